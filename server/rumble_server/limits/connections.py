"""Limits of the connections, event streams and requests of each address."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import Buckets

WAIT_MS = 5_000
"""Maximum time in ms that a new connection waits for a place. A stranger keeps its place for at least this time."""
Room = tuple[str, ...]
"""Key under which a place is counted: kind of place, address, and for an invited connection also the tournament.

If the key is empty, the place is not counted.
"""


class Connections:
    """The places of a server's open connections and streams. Each place is counted in a room, which has a maximum.

    An address has separate rooms for strangers, known connections, invited connections and streams, so that strangers
    cannot take the places of bots.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.counts: Counter[Room] = Counter()
        """Number of places in use, by room. Empty rooms are left out."""
        self.strangers: dict[str, dict[Place, Callable[[], None]]] = {}
        """Strangers of each address, oldest first, each with a function to end its connection."""
        self.waiting: dict[str, dict[Newcomer, None]] = {}
        """New connections of each address that wait for a place, the longest wait first."""
        self._requests = Buckets(bounds.requests_per_minute)
        self._reading = Buckets(bounds.reading_ms_per_minute)

    def open(self, address: str, now_ms: int, end: Callable[[], None]) -> "Place | None":
        """Return a place for a new connection; None if the address has too many strangers. `end` ends the connection.

        If the address has the maximum number of strangers, first call `make_room`, which may end an old connection.
        If other connections wait, the freed place goes to the connection that has waited longest.
        """
        if self.counts["stranger", address] >= self._bounds.strangers_per_address:
            self.make_room(address, now_ms)
        place = self._place("stranger", address, self._bounds.strangers_per_address)
        if place is not None:
            place.listen(now_ms, end)
        return place

    def make_room(self, address: str, now_ms: int) -> None:
        """End the connection of the oldest stranger of `address`, if the connection is at least `WAIT_MS` old."""
        for oldest, end in self.strangers.get(address, {}).items():
            if now_ms - oldest.since_ms >= WAIT_MS:
                oldest.close()
                end()
            return

    def wait(self, address: str, admit: Callable[["Place"], object]) -> "Newcomer | None":
        """Queue a new connection. When a place is free for the connection, `admit` is called with the place.

        Return None if too many connections of the address wait.
        """
        waiting, bounds = self.waiting.setdefault(address, {}), self._bounds
        if len(waiting) >= bounds.connections_per_address + bounds.invited_connections_per_address:
            return None
        newcomer = Newcomer(address, admit)
        waiting[newcomer] = None
        return newcomer

    def leave(self, newcomer: "Newcomer") -> bool:
        """Remove a new connection from the queue. Return true if it was waiting."""
        return _take_out(self.waiting, newcomer.address, newcomer)

    def admit(self, address: str) -> None:
        """Give a free place for strangers to the connection that has waited longest at `address`."""
        for newcomer in self.waiting.get(address, ()):
            self.leave(newcomer)
            newcomer.admit(Place(self, address, ("stranger", address)))
            return

    def refuse(self, address: str) -> "Place | None":
        """Return a place for a connection that gets a refusal; None if the address has too many such connections."""
        return self._place("refused", address, self._bounds.strangers_per_address)

    def stream(self, address: str) -> "Place | None":
        """Return a place for a new event stream; None if the address has too many streams."""
        return self._place("stream", address, self._bounds.streams_per_address)

    def take_request(self, address: str, now_ms: int, requests: int = 1) -> bool:
        """Count HTTP requests of an address. Return False if there are too many."""
        return self._bounds.exempts(address) or self._requests.take(address, now_ms, times=requests)

    def may_ask(self, address: str, now_ms: int) -> bool:
        """Return true if `address` has time left in the process that reads the log (`reading_ms_per_minute`)."""
        return self._bounds.exempts(address) or self._reading.allows(address, now_ms)

    def spend(self, address: str, now_ms: int, cost_ms: int) -> None:
        """Subtract `cost_ms` from the time that `address` has in the process that reads the log."""
        if not self._bounds.exempts(address):
            self._reading.spend(address, now_ms, cost_ms)

    def uncounted(self, address: str) -> "Place":
        """Return a place that is not counted. A proxy gets such a place, because its clients are counted instead."""
        return Place(self, address, ())

    def has_room(self, address: str) -> bool:
        """Return true if `address` may have one more known connection."""
        return self.counts["known", address] < self._bounds.connections_per_address

    def has_room_for_invited(self, address: str, tournament_id: str) -> bool:
        """Return true if `address` may have one more connection that counts as invited to the tournament."""
        return self.counts["invited", address, tournament_id] < self._bounds.invited_connections_per_address

    def count(self, room: Room, change: int) -> None:
        """Change the number of places in use in a room by `change`."""
        if room:
            self.counts[room] += change
            if not self.counts[room]:
                del self.counts[room]

    def _place(self, kind: str, address: str, most: int) -> "Place | None":
        if self._bounds.exempts(address):
            return self.uncounted(address)
        return Place(self, address, (kind, address)) if self.counts[kind, address] < most else None


class Newcomer:
    """A new connection that waits for a place. `admit` is called with the place."""

    __slots__ = ("address", "admit")

    def __init__(self, address: str, admit: Callable[["Place"], object]) -> None:
        self.address = address
        self.admit = admit


class Place:
    """The place of an open connection. A bot's place begins as a stranger's, and becomes known or invited at the login.

    A stranger gets a place while its address has fewer than `strangers_per_address` strangers. Known and invited places
    do not matter for this bound, because the server learns only at the login whether the bot is invited. A place can
    become known while its address has fewer than `connections_per_address` known places. A place can become invited
    while its address has fewer than `invited_connections_per_address` places invited to the same tournament.

    By default these bounds are 64, 256 and 256. A class of 500 bots behind one router gets in if half of it is invited
    to one tournament, and the other half to another tournament or to none. At any time, at most 64 of the bots can be
    connected without having logged in.
    """

    __slots__ = ("_connections", "_room", "address", "since_ms")

    def __init__(self, connections: Connections, address: str, room: Room) -> None:
        self._connections = connections
        self.address = address
        self.since_ms = 0
        """Time in ms at which the connection was opened, or later became a WebSocket."""
        self._room: Room = ()
        self._move(room)

    def listen(self, now_ms: int, end: Callable[[], None]) -> None:
        """If the place is a stranger's, let a new connection take over the place at `now_ms` + `WAIT_MS` or later.

        `end` is called when the place is taken over, and ends the stranger's connection.
        """
        strangers = self._connections.strangers
        _take_out(strangers, self.address, self)
        if self.is_stranger:
            self.since_ms = now_ms
            strangers.setdefault(self.address, {})[self] = end

    @property
    def is_stranger(self) -> bool:
        """True if the connection is counted, and neither a login nor an HTTP request was completed on it."""
        return self._room[:1] == ("stranger",)

    @property
    def has_room(self) -> bool:
        """True if the connection may become known, or is not a stranger any more."""
        return not self.is_stranger or self._connections.has_room(self.address)

    def has_room_for(self, tournament_id: str) -> bool:
        """Return true if `has_room` is true, or if the connection may become invited to the tournament."""
        return self.has_room or self._connections.has_room_for_invited(self.address, tournament_id)

    def know(self) -> None:
        """Count the connection as known, after a login or a completed HTTP request."""
        if self.is_stranger:
            self._move(("known", self.address))

    def invite(self, tournament_id: str) -> None:
        """Count the connection as invited to the tournament, after a login with a valid invitation.

        If the address has the maximum number of such connections, nothing changes.
        """
        if self._room[:1] in {("stranger",), ("known",)} and self._connections.has_room_for_invited(
            self.address, tournament_id
        ):
            self._move(("invited", self.address, tournament_id))

    def close(self) -> None:
        """Give the place back. Further calls do nothing."""
        self._move(())

    def _move(self, room: Room) -> None:
        _take_out(self._connections.strangers, self.address, self)
        before, self._room = self._room, room
        self._connections.count(before, -1)
        self._connections.count(room, 1)
        if before[:1] == ("stranger",):
            self._connections.admit(self.address)


def _take_out(rows: dict[str, dict[Any, Any]], address: str, one: object) -> bool:
    """Remove `one` from the row of an address. Return whether `one` was in the row.

    If the row is then empty, remove the row from `rows`.
    """
    row = rows.get(address, {})
    was_there = one in row
    row.pop(one, None)
    if not row:
        rows.pop(address, None)
    return was_there
