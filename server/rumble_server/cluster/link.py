"""A stream between an edge and a club's leader, sans-I/O: numbered records each way, over links that may break.

Each end keeps what it said until the other has acknowledged it, and says it again over the next link; each end drops
what it has seen. So every record arrives once and in order as long as both ends live. A leader acknowledges what is
on disk and answered. A stream belongs to one epoch of its club: a new leader, or one that has forgotten it, begins
another.

On a link everything is a packet: its kind, the club, the epoch, and what the kind says. Integers are little-endian.
"""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct, error
from typing import TypedDict

ACKNOWLEDGED_BYTES = 1 << 16
"""Bytes of records after which they are acknowledged, even if there is nothing else to say."""


class LinkError(ValueError):
    """The other end broke the rules of links; the link is to be ended."""


class Packet(IntEnum):
    """What a packet is."""

    OPEN = 1
    """From the edge: begin a stream of this number, or go on with it, from the record after the last one seen."""
    OPENED = 2
    """From the leader: the stream goes on, and this is the number of the last record that it has seen."""
    GONE = 3
    """From the leader: it does not know the stream of this number, or does not lead the club."""
    RECORDS = 4
    """Records, the number of the first of them, and how many of the other's are acknowledged."""
    ASK = 5
    """From the edge: a request of the web, its head as JSON."""
    BODY = 6
    """From the edge: more of its body; empty at the end."""
    CANCEL = 7
    """From the edge: nobody waits for the answer any more. From the leader: no more of it comes."""
    MORE = 8
    """From the edge: bytes of the answer that were taken."""
    HEAD = 9
    """From the leader: the head of the answer as JSON."""
    CHUNK = 10
    """From the leader: more of the answer; empty at the end."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The contents of OPEN, OPENED and GONE."""

    kind: Packet
    club: str
    epoch: int
    stream: int
    seen: int
    is_new: bool


@dataclass(slots=True)
class Records:
    """The contents of RECORDS: `data` has them from `start` on, each with its size before it."""

    club: str
    epoch: int
    stream: int
    first: int
    acknowledged: int
    data: bytes
    start: int


@dataclass(frozen=True, slots=True)
class Web:
    """A part of a request of the web or of its answer, by the number that the edge gave it."""

    kind: Packet
    club: str
    number: int
    content: bytes


class RequestHead(TypedDict):
    """The head of a request of the web, as ASK has it in JSON; texts stand for bytes of Latin-1."""

    method: str
    path: str
    raw_path: str
    query: str
    scheme: str
    headers: list[tuple[str, str]]
    client: tuple[str, int] | None
    server: tuple[str, int | None] | None
    is_local: bool
    shown_host: str


class AnswerHead(TypedDict):
    """The head of an answer, as HEAD has it in JSON."""

    status: int
    headers: list[tuple[str, str]]


_head = Struct("<BB")
_web = Struct("<Q")
_opening = Struct("<QQQ?")
_records = Struct("<QQQQ")
RECORD_HEAD = Struct("<IBI")
"""Of a record: its size without this head, its kind, and its session."""
RECORDS, HEAD_BYTES, RECORDS_BYTES = int(Packet.RECORDS), _head.size, _records.size  # read for each packet
FORMATS = {kind.name: kind.value for kind in Packet} | {
    "packet": _head.format,
    "opening": _opening.format,
    "records": _records.format,
    "record": RECORD_HEAD.format,
    "web": _web.format,
    "ask": list(RequestHead.__annotations__),
    "head": list(AnswerHead.__annotations__),
}
"""How packets are written; nodes that differ in it refuse each other."""


def write_opening(kind: Packet, club: str, epoch: int, stream: int, seen: int = 0, *, is_new: bool = False) -> bytes:
    """Build an OPEN, OPENED or GONE."""
    name = club.encode()
    return _head.pack(kind, len(name)) + name + _opening.pack(epoch, stream, seen, is_new)


def write_web(kind: Packet, club: str, number: int, content: bytes = b"") -> bytes:
    """Build a part of a request or of an answer."""
    name = club.encode()
    return b"".join((_head.pack(kind, len(name)), name, _web.pack(number), content))


def read_packet(data: bytes) -> Opening | Records | Web:
    """Parse a packet. Raises LinkError."""
    try:
        kind, size = _head.unpack_from(data)
        start = HEAD_BYTES + size
        club = data[HEAD_BYTES:start].decode("ascii")
        if kind == RECORDS:
            epoch, stream, first, acknowledged = _records.unpack_from(data, start)
            return Records(club, epoch, stream, first, acknowledged, data, start + RECORDS_BYTES)
        if kind > RECORDS:
            (number,) = _web.unpack_from(data, start)
            return Web(Packet(kind), club, number, data[start + _web.size :])
        epoch, stream, seen, is_new = _opening.unpack_from(data, start)
        return Opening(Packet(kind), club, epoch, stream, seen, is_new)
    except (error, ValueError) as problem:
        raise LinkError(f"not a packet: {problem}") from None


class Outgoing:
    """Records that are kept until they are acknowledged; the first has number 1."""

    __slots__ = ("_kept", "_sent", "acknowledged", "bytes")

    def __init__(self) -> None:
        self._kept: deque[bytes] = deque()
        self.acknowledged = 0
        """The number of the last record that the other end needs no more."""
        self._sent = 0
        """How many of those that are kept were handed to the link that is up."""
        self.bytes = 0

    @property
    def last(self) -> int:
        """The number of the last record."""
        return self.acknowledged + len(self._kept)

    @property
    def has_unsent(self) -> bool:
        return self._sent < len(self._kept)

    def add(self, record: bytes) -> None:
        """Keep a record, with its head."""
        self._kept.append(record)
        self.bytes += len(record)

    def acknowledge(self, number: int) -> None:
        """Forget the records up to this one, if they are kept. Raises LinkError if there was none of this number."""
        kept, count = self._kept, number - self.acknowledged
        if count <= 0:
            return
        if count > len(kept):
            raise LinkError(f"record {number} is acknowledged, and {self.last} is the last")
        if count == len(kept):
            kept.clear()
            self.bytes = 0
        else:
            for _ in range(count):
                self.bytes -= len(kept.popleft())
        self.acknowledged = number
        self._sent = max(0, self._sent - count)

    def rewind(self, seen: int) -> None:
        """A new link is up, and the other end has seen the records up to this one."""
        if not self.acknowledged <= seen <= self.last:
            raise LinkError(f"record {seen} was seen, and {self.acknowledged} to {self.last} are kept")
        self._sent = seen - self.acknowledged

    def take(self, most_bytes: int) -> tuple[int, list[bytes]]:
        """Return the number of the next record to be sent and some records, at least one, of about this many bytes."""
        kept, sent = self._kept, self._sent
        first = self.acknowledged + sent + 1
        if sent == 0 and self.bytes <= most_bytes:
            records = list(kept)
        else:
            records, size = [], 0
            for index in range(sent, len(kept)):
                records.append(kept[index])
                size += len(kept[index])
                if size >= most_bytes:
                    break
        self._sent = sent + len(records)
        return first, records

    def kept(self) -> list[bytes]:
        """Return what is not acknowledged."""
        return list(self._kept)


class Stream:
    """One end of a stream of a club. Its owner adds what it says, hands in packets, and asks for packets to send."""

    __slots__ = (
        "_acknowledges_bytes",
        "_head",
        "_owed_bytes",
        "_told",
        "club",
        "epoch",
        "is_up",
        "number",
        "out",
        "processed",
        "seen",
    )

    def __init__(self, club: str, epoch: int, number: int, acknowledges_bytes: int = ACKNOWLEDGED_BYTES) -> None:
        self._acknowledges_bytes = acknowledges_bytes
        name = club.encode()
        self._head = _head.pack(RECORDS, len(name)) + name
        """What each packet of records begins with."""
        self.club = club
        self.epoch = epoch
        self.number = number
        self.out = Outgoing()
        self.seen = 0
        """The number of the last record that came."""
        self.processed = 0
        """The number of the last record of the other end that it need not keep."""
        self._owed_bytes = 0
        """Bytes that came since all that had come was acknowledged."""
        self._told = 0
        """What of `processed` was told."""
        self.is_up = False
        """Whether a link is up over which records go."""

    def up(self, seen: int) -> None:
        """A link is up, on which the other end has seen our records up to this one. Raises LinkError."""
        self.out.rewind(seen)
        self._told, self._owed_bytes = 0, self._acknowledges_bytes  # what was told last may be lost
        self.is_up = True

    def down(self) -> None:
        """The link is lost."""
        self.is_up = False

    def take(self, packet: Records) -> list[tuple[int, int, bytes]]:
        """Return the kinds, sessions and contents of the records that did not come before. Raises LinkError."""
        if packet.stream != self.number or packet.epoch != self.epoch:
            return []
        self.out.acknowledge(packet.acknowledged)
        repeated = self.seen + 1 - packet.first
        if repeated < 0:
            raise LinkError(f"record {packet.first} came after {self.seen}")
        data, at, taken = packet.data, packet.start, []
        end, head, unpack = len(data), RECORD_HEAD.size, RECORD_HEAD.unpack_from
        try:
            while at < end:
                size, kind, session = unpack(data, at)
                at += head
                taken.append((kind, session, data[at : at + size]))
                at += size
        except error:
            at = -1
        if at != end:
            raise LinkError("half of a record")
        if repeated:
            del taken[:repeated]
        self.seen += len(taken)
        self._owed_bytes += end - packet.start
        return taken

    @property
    def owes(self) -> bool:
        """Whether an acknowledgement is due, even if there is nothing else to say."""
        return self._owed_bytes >= self._acknowledges_bytes and self.processed > self._told

    def packet(self, most_bytes: int) -> bytes | None:
        """Return the next packet for the link that is up; None: there is nothing to say."""
        if not self.is_up or not (self.out.has_unsent or self.owes):
            return None
        first, records = self.out.take(most_bytes)
        if not self.out.has_unsent:  # else an acknowledgement might get there without the answers that go before it
            self._told = self.processed
            if self._told == self.seen:
                self._owed_bytes = 0
        numbers = _records.pack(self.epoch, self.number, first, self._told)
        return b"".join((self._head, numbers, *records))
