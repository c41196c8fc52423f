"""What each address has open, connections and event streams, and the requests it makes."""

from collections import Counter
from collections.abc import Callable

from rumble_server.bounds import Bounds
from rumble_server.hosts import is_loopback
from rumble_server.limits.buckets import Buckets

SLOW_MS = 2_000
"""Time in ms for which a stranger that has said something keeps its place before a newcomer of its address."""
Room = tuple[str, ...]
"""Where a place is counted: its kind and its address, and the tournament of an invitation. Empty: nowhere."""


class Connections:
    """The places of a server's open connections and streams."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.counts: Counter[Room] = Counter()
        """The number of taken places by room; a room without one is left out."""
        self.silent: dict[str, dict[Place, Callable[[], None]]] = {}
        """By address: the strangers that have said nothing, the oldest first, each with what ends its connection."""
        self.slow: dict[str, dict[Place, Callable[[], None]]] = {}
        """The same of all strangers that said something, in the order in which they did."""
        self._requests = Buckets(bounds.requests_per_minute)
        self._reading = Buckets(bounds.reading_ms_per_minute)

    def open(self, address: str, now_ms: int, end: Callable[[], None]) -> "Place | None":
        """Give a new connection, which `end` ends, its place; None: its address has too many strangers.

        Where an address has as many as it may, the oldest that has said nothing is ended, or else one that has said
        something for `SLOW_MS`, and is a stranger still.
        """
        most = self._bounds.strangers_per_address
        place = self._place("stranger", address, most)
        if place is None and self._end_one(address, now_ms):
            place = self._place("stranger", address, most)
        if place is not None:
            place.listen(now_ms, end)
        return place

    def _end_one(self, address: str, now_ms: int) -> bool:
        """End a stranger of an address that gives way to a new one. Return whether there is any."""
        for waiting, least_ms in ((self.silent, 0), (self.slow, SLOW_MS)):
            found = waiting.get(address)
            if not found:
                continue
            oldest, end = next(iter(found.items()))
            if now_ms - oldest.since_ms >= least_ms:
                oldest.close()
                end()
                return True
        return False

    def refuse(self, address: str) -> "Place | None":
        """Give a connection that is refused a place until it is told so; None: too many wait for that already."""
        return self._place("refused", address, self._bounds.strangers_per_address)

    def stream(self, address: str) -> "Place | None":
        """Give a new stream its place; None: its address has too many."""
        return self._place("stream", address, self._bounds.streams_per_address)

    def may_request(self, address: str, now_ms: int, requests: int = 1) -> bool:
        """Count HTTP requests. Return False if these are too many."""
        return self._is_exempt(address) or self._requests.take(address, now_ms, times=requests)

    def may_ask(self, address: str, now_ms: int) -> bool:
        """Whether this address has a share left of the process that reads the log."""
        return self._is_exempt(address) or self._reading.allows(address, now_ms)

    def spend(self, address: str, now_ms: int, cost_ms: int) -> None:
        """Take of the share of this address what a request has cost."""
        if not self._is_exempt(address):
            self._reading.spend(address, now_ms, cost_ms)

    def uncounted(self, address: str) -> "Place":
        """Give a place to what counts elsewhere: the connection of a proxy counts as those of its clients."""
        return Place(self, address, ())

    def has_room(self, address: str) -> bool:
        """Whether a stranger of this address may become known."""
        return self.counts["known", address] < self._bounds.connections_per_address

    def has_room_for_invited(self, address: str, tournament_id: str) -> bool:
        """Whether one more connection of this address may be counted as invited to the tournament."""
        return self.counts["invited", address, tournament_id] < self._bounds.invited_connections_per_address

    def count(self, room: Room, change: int) -> None:
        """Count a place in or out of a room."""
        if room:
            self.counts[room] += change
            if not self.counts[room]:
                del self.counts[room]

    def _place(self, kind: str, address: str, most: int) -> "Place | None":
        if self._is_exempt(address):
            return self.uncounted(address)
        return Place(self, address, (kind, address)) if self.counts[kind, address] < most else None

    def _is_exempt(self, address: str) -> bool:
        return is_loopback(address) and not self._bounds.limit_loopback


class Place:
    """The place of one open connection: a stranger's, then that of one who is known, or an invited one's.

    Whether an invitation is valid shows only at the login. So a stranger finds a place while its address has fewer
    than `strangers_per_address` of them, however many others are open. Only for more than that it needs room: among
    the `connections_per_address` of its address, or by an invitation among those of (address, tournament). A class of
    500 behind one router gets in with invitations to two tournaments, or with one and half of its bots without, and
    at most 64 at a time are on their way from the accept to the login.
    """

    __slots__ = ("_connections", "_room", "address", "since_ms")

    def __init__(self, connections: Connections, address: str, room: Room) -> None:
        self._connections = connections
        self.address = address
        self.since_ms = 0
        """Since when it is there, or speaks WebSocket; of strangers."""
        self._room: Room = ()
        self._move(room)

    def listen(self, now_ms: int, end: Callable[[], None]) -> None:
        """Count a stranger as silent until it is heard."""
        self._forget()
        if self.is_stranger:
            self.since_ms = now_ms
            self._connections.silent.setdefault(self.address, {})[self] = end

    def hear(self) -> None:
        """Count a stranger as silent no more: it has said something."""
        end = self._forget()
        if end is not None:
            self._connections.slow.setdefault(self.address, {})[self] = end

    def _forget(self) -> Callable[[], None] | None:
        """Be ended for no newcomer. Return what ends the connection; None if nothing was to."""
        found = None
        for waiting in (self._connections.silent, self._connections.slow):
            own = waiting.get(self.address)
            if own is not None and self in own:
                found = own.pop(self)
                if not own:
                    del waiting[self.address]
        return found

    @property
    def is_stranger(self) -> bool:
        """Whether it has neither logged in nor completed an HTTP request, and counts."""
        return self._room[:1] == ("stranger",)

    @property
    def has_room(self) -> bool:
        """Whether it may be known, or is."""
        return not self.is_stranger or self._connections.has_room(self.address)

    def has_room_for(self, tournament_id: str) -> bool:
        """Whether it has room, or would have by an invitation to this tournament."""
        return self.has_room or self._connections.has_room_for_invited(self.address, tournament_id)

    def know(self) -> None:
        """Count it as known: its bot has logged in, or it has completed an HTTP request."""
        if self.is_stranger:
            self._move(("known", self.address))

    def invite(self, tournament_id: str) -> None:
        """Count it as invited: it showed a valid invitation to this tournament. Without room there it stays."""
        if self._room[:1] in {("stranger",), ("known",)} and self._connections.has_room_for_invited(
            self.address, tournament_id
        ):
            self._move(("invited", self.address, tournament_id))

    def close(self) -> None:
        """Give the place back; to do so twice is no error."""
        self._move(())

    def _move(self, room: Room) -> None:
        self._forget()
        self._connections.count(self._room, -1)
        self._room = room
        self._connections.count(room, 1)
