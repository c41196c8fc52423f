"""Permits: how many connections and event streams an address may have open, and how many requests it may make."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import Buckets

PERMIT_WAIT_MS = 5_000
"""Maximum time in ms that a new connection waits for a permit. A stranger keeps its permit for at least this time."""
CountKey = tuple[str, ...]
"""Key under which a permit is counted: kind of permit, address, and for an invited connection club and tournament.

If the key is empty, the permit is not counted.
"""


class Permits:
    """The permits of a server's open connections and streams. The number of permits under each key has a maximum.

    The permits of an address are counted apart for strangers, known connections, invited connections and streams, so
    that strangers cannot take the permits of bots.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.counts: Counter[CountKey] = Counter()
        """Number of permits in use, by key. Keys without a permit are left out."""
        self.strangers: dict[str, dict[Permit, Callable[[], None]]] = {}
        """Strangers of each address, oldest first, each with a function to end its connection."""
        self.waiting: dict[str, dict[WaitingConnection, None]] = {}
        """New connections of each address that wait for a permit, the longest wait first."""
        self.requests = Buckets(bounds.requests_per_minute, exempts=bounds.exempts)
        """Buckets of HTTP requests, by address."""
        self.reading = Buckets(bounds.reading_ms_per_minute, exempts=bounds.exempts)
        """Buckets of the time in ms for which the process that reads the log works, by address."""

    def open(self, address: str, now_ms: int, end: Callable[[], None]) -> "Permit | None":
        """Return a permit for a new connection; None if the address has too many strangers. `end` ends the connection.

        If the address has the maximum number of strangers, first call `make_room`, which may end an old connection.
        If other connections wait, the freed permit goes to the one that has waited longest.
        """
        if self.counts["stranger", address] >= self._bounds.strangers_per_address:
            self.make_room(address, now_ms)
        permit = self._permit("stranger", address, self._bounds.strangers_per_address)
        if permit is not None:
            permit.allow_eviction(now_ms, end)
        return permit

    def make_room(self, address: str, now_ms: int) -> None:
        """End the connection of the oldest stranger of `address`, if it is at least `PERMIT_WAIT_MS` old."""
        for oldest, end in self.strangers.get(address, {}).items():
            if now_ms - oldest.since_ms >= PERMIT_WAIT_MS:
                oldest.release()
                end()
            return

    def wait(self, address: str, grant: Callable[["Permit"], object]) -> "WaitingConnection | None":
        """Queue a new connection. When a permit is free for the connection, `grant` is called with the permit.

        Return None if too many connections of the address wait.
        """
        waiting, bounds = self.waiting.setdefault(address, {}), self._bounds
        if len(waiting) >= bounds.connections_per_address + bounds.invited_connections_per_address:
            return None
        connection = WaitingConnection(address, grant)
        waiting[connection] = None
        return connection

    def stop_waiting(self, connection: "WaitingConnection") -> bool:
        """Remove a new connection from the queue. Return true if it was waiting."""
        return _remove(self.waiting, connection.address, connection)

    def grant_next(self, address: str) -> None:
        """Give a free permit for strangers to the connection that has waited longest at `address`."""
        for connection in self.waiting.get(address, ()):
            self.stop_waiting(connection)
            connection.grant(Permit(self, address, ("stranger", address)))
            return

    def refuse(self, address: str) -> "Permit | None":
        """Return a permit for a connection that gets a refusal; None if the address has too many such connections."""
        return self._permit("refused", address, self._bounds.strangers_per_address)

    def stream(self, address: str) -> "Permit | None":
        """Return a permit for a new event stream; None if the address has too many streams."""
        return self._permit("stream", address, self._bounds.streams_per_address)

    def uncounted(self, address: str) -> "Permit":
        """Return a permit that is not counted. A proxy gets one, because its clients are counted instead."""
        return Permit(self, address, ())

    def has_room(self, address: str) -> bool:
        """Return true if `address` may have one more known connection."""
        return self.counts["known", address] < self._bounds.connections_per_address

    def has_room_for_invited(self, address: str, tournament_id: str) -> bool:
        """Return true if `address` may have one more connection that counts as invited to the tournament."""
        return self.counts["invited", address, tournament_id] < self._bounds.invited_connections_per_address

    def count(self, key: CountKey, change: int) -> None:
        """Change the number of permits in use under a key by `change`."""
        if key:
            self.counts[key] += change
            if not self.counts[key]:
                del self.counts[key]

    def _permit(self, kind: str, address: str, most: int) -> "Permit | None":
        if self._bounds.exempts(address):
            return self.uncounted(address)
        return Permit(self, address, (kind, address)) if self.counts[kind, address] < most else None


class WaitingConnection:
    """A new connection that waits for a permit, and gets it by `grant`."""

    __slots__ = ("address", "grant")

    def __init__(self, address: str, grant: Callable[["Permit"], object]) -> None:
        self.address = address
        self.grant = grant


class Permit:
    """The permit of an open connection. A bot's permit begins as a stranger's, and becomes known or invited at the
    login.

    An address may have at most `strangers_per_address` strangers, `connections_per_address` known connections, and for
    each tournament `invited_connections_per_address` invited connections. The bounds are separate. So a full address
    still lets a stranger in, whose login may show an invitation.

    By default these bounds are 64, 256 and 256. So 500 bots behind one router get in if at least 244 of them have
    invitations to one tournament. At any time, at most 64 of the bots can be connected without having logged in.
    """

    __slots__ = ("_key", "_permits", "address", "since_ms")

    def __init__(self, permits: Permits, address: str, key: CountKey) -> None:
        self._permits = permits
        self.address = address
        self.since_ms = 0
        """Time in ms at which the connection was opened, or later became a WebSocket."""
        self._key: CountKey = ()
        self._count_under(key)

    def allow_eviction(self, now_ms: int, end: Callable[[], None]) -> None:
        """If the permit is a stranger's, let a new connection take it over at `now_ms` + `PERMIT_WAIT_MS` or later.

        `end` is called when the permit is taken over, and ends the stranger's connection.
        """
        strangers = self._permits.strangers
        _remove(strangers, self.address, self)
        if self.is_stranger:
            self.since_ms = now_ms
            strangers.setdefault(self.address, {})[self] = end

    @property
    def is_stranger(self) -> bool:
        """True if the connection is counted, and neither a login nor an HTTP request was completed on it."""
        return self._key[:1] == ("stranger",)

    @property
    def has_room(self) -> bool:
        """True if the connection may become known, or is not a stranger any more."""
        return not self.is_stranger or self._permits.has_room(self.address)

    def has_room_for(self, tournament_id: str) -> bool:
        """Return true if `has_room` is true, or if the connection may become invited to the tournament."""
        return self.has_room or self._permits.has_room_for_invited(self.address, tournament_id)

    def mark_known(self) -> None:
        """Count the connection as known, after a login or a completed HTTP request."""
        if self.is_stranger:
            self._count_under(("known", self.address))

    def invite(self, tournament_id: str) -> None:
        """Count the connection as invited to the tournament, after a login with a valid invitation.

        If the address has the maximum number of such connections, nothing changes.
        """
        if self._key[:1] in {("stranger",), ("known",)} and self._permits.has_room_for_invited(
            self.address, tournament_id
        ):
            self._count_under(("invited", self.address, tournament_id))

    def release(self) -> None:
        """Give the permit back. Further calls do nothing."""
        self._count_under(())

    def _count_under(self, key: CountKey) -> None:
        _remove(self._permits.strangers, self.address, self)
        before, self._key = self._key, key
        self._permits.count(before, -1)
        self._permits.count(key, 1)
        if before[:1] == ("stranger",):
            self._permits.grant_next(self.address)


def _remove(by_address: dict[str, dict[Any, Any]], address: str, item: object) -> bool:
    """Remove an item from the items of an address. Return whether it was there.

    If no item is left, remove the address from `by_address`.
    """
    items = by_address.get(address, {})
    was_there = item in items
    items.pop(item, None)
    if not items:
        by_address.pop(address, None)
    return was_there
