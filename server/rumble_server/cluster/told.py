"""What the leader of a club tells of a tournament by its feed, as an edge keeps it for its visitors. Sans-I/O.

Ids are numbers of the log. The last event of a batch has a greater id than the batch before, the others have that one's
(docs/FEED.md). So an event with a greater id than any before it ends a batch, and a chunk, too: whoever was told up to
an id goes on behind the chunk that ended with it.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from rumble_server.web.feed.channel import MOST_KEPT_BYTES
from rumble_server.web.feed.spectator import Chunk


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it was written, with the empty line at its end."""

    number: int
    kind: bytes
    data: bytes


class EventReader:
    """Reads Server-Sent Events from pieces that end anywhere."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, piece: bytes) -> list[Event]:
        """Return the events that have come whole; signs of life and the time to reconnect are left out."""
        *blocks, self._rest = (self._rest + piece).split(b"\n\n")
        return [_event(block) for block in blocks if block.startswith(b"id: ")]


def _event(block: bytes) -> Event:
    number, kind, _ = block.split(b"\n", 2)
    return Event(int(number.removeprefix(b"id: ")), kind.removeprefix(b"event: "), block + b"\n\n")


@dataclass(frozen=True, slots=True)
class _Kept:
    chunk: Chunk
    ends_batch: bool


class Told:
    """The newest of what was told, for visitors who come, and for those who come back."""

    def __init__(self) -> None:
        self.last = 0
        """The greatest id."""
        self._from: int | None = None
        """A reader that was told up to this id can be told the rest; None before the first snapshot."""
        self._kept: deque[_Kept] = deque()
        self._bytes = 0
        self._field: Chunk | None = None
        """The newest `field`, since the newest snapshot of the stream."""

    def take(self, events: Iterable[Event]) -> list[Chunk]:
        """Take events in, and return them as they are passed on."""
        chunks: list[Chunk] = []
        parts: list[bytes] = []
        for event in events:
            if event.kind == b"snapshot":
                parts.clear()  # the snapshot tells of these, too
                chunks.append(self._begin(event))
                continue
            parts.append(event.data)
            if event.kind == b"field":
                self._field = Chunk(event.number, event.data)
            if event.number > self.last:
                self.last = event.number
                chunks.append(self._keep(parts, ends_batch=True))
                parts = []
        if parts:
            chunks.append(self._keep(parts, ends_batch=False))
        return chunks

    def _begin(self, snapshot: Event) -> Chunk:
        self._kept.clear()
        self._bytes = 0
        self._field = None
        self._from = self.last = snapshot.number
        return Chunk(snapshot.number, snapshot.data)

    def _keep(self, parts: list[bytes], *, ends_batch: bool) -> Chunk:
        chunk = Chunk(self.last, b"".join(parts))
        self._kept.append(_Kept(chunk, ends_batch))
        self._bytes += len(chunk.data)
        while self._bytes > MOST_KEPT_BYTES and len(self._kept) > 1:
            dropped = self._kept.popleft()
            self._bytes -= len(dropped.chunk.data)
            self._from = dropped.chunk.number if dropped.ends_batch else dropped.chunk.number + 1
        return chunk

    def since(self, number: int) -> list[Chunk] | None:
        """Return what was told after an id; None if not all of it is kept."""
        if self._from is None or number < self._from:
            return None
        start = 0
        for index, kept in enumerate(self._kept, 1):
            if kept.chunk.number > number:
                break
            if kept.ends_batch:
                start = index
        return [kept.chunk for kept in list(self._kept)[start:]]

    def resumed(self, number: int) -> list[Chunk] | None:
        """Return what a reader that was told up to an id is sent when it comes back; None: it needs a snapshot."""
        missed = self.since(number) if number <= self.last else None
        return None if missed is None or self._field is None else [*missed, self._field]
