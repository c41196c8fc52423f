"""A stream: every record arrives once and in order, whatever links drop, delay and repeat."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.cluster.link import (
    RECORD_HEAD,
    LinkError,
    Opening,
    Outgoing,
    Packet,
    Records,
    Stream,
    read_packet,
    write_opening,
)


def record(content: bytes, session: int = 7, kind: int = 1) -> bytes:
    return RECORD_HEAD.pack(len(content), kind, session) + content


def records_of(packet: bytes | None) -> Records:
    assert packet is not None
    read = read_packet(packet)
    assert isinstance(read, Records)
    return read


class Ends:
    """Two ends of a stream, and a link that keeps packets until they are delivered or lost."""

    def __init__(self, most_bytes: int) -> None:
        self.ends = (Stream("main", 3, 1, acknowledges_bytes=1), Stream("main", 3, 1, acknowledges_bytes=1))
        self.said: tuple[list[bytes], list[bytes]] = ([], [])
        self.heard: tuple[list[bytes], list[bytes]] = ([], [])
        self._wires: tuple[deque[bytes], deque[bytes]] = (deque(), deque())
        self._most_bytes = most_bytes
        self.connect()

    def connect(self) -> None:
        for end, other in (self.ends, self.ends[::-1]):
            end.up(other.seen)

    def do(self, what: str, who: int) -> None:
        match what:
            case "say":
                content = f"{who}.{len(self.said[who])}".encode()
                self.said[who].append(content)
                self.ends[who].out.add(record(content))
            case "send":
                packet = self.ends[who].packet(self._most_bytes)
                if packet is not None:
                    self._wires[who].append(packet)
            case "deliver" if self._wires[who]:
                self._take(1 - who, self._wires[who].popleft())
            case "process":
                self.ends[who].processed = self.ends[who].seen
            case "drop":
                for end, wire in zip(self.ends, self._wires, strict=True):
                    end.down()
                    wire.clear()
                self.connect()

    def _take(self, who: int, packet: bytes) -> None:
        self.heard[who].extend(content for _, _, content in self.ends[who].take(records_of(packet)))

    def settle(self) -> None:
        """Let everything arrive that was said."""
        self.do("drop", 0)
        for _ in range(120):
            for who in (0, 1):
                self.do("process", who)
                self.do("send", who)
                self.do("deliver", who)


@given(
    st.lists(st.tuples(st.sampled_from(["say", "say", "send", "deliver", "process", "drop"]), st.integers(0, 1))),
    st.sampled_from([1, 40, 1 << 20]),
)
def test_each_record_arrives_once_and_in_order_whatever_is_lost(events: list[tuple[str, int]], most: int) -> None:
    ends = Ends(most)
    for what, who in events:
        ends.do(what, who)
        for one, other in ((0, 1), (1, 0)):
            assert ends.heard[other] == ends.said[one][: len(ends.heard[other])]
    ends.settle()
    assert ends.heard == ends.said[::-1]
    assert [(end.out.bytes, end.out.kept()) for end in ends.ends] == [(0, []), (0, [])]


def test_what_was_seen_is_dropped_and_a_gap_is_an_error() -> None:
    one, other = Stream("main", 1, 1), Stream("main", 1, 1)
    one.up(0)
    one.out.add(record(b"a"))
    first = records_of(one.packet(100))
    assert other.take(first) == [(1, 7, b"a")]
    assert other.take(first) == []
    one.out.add(record(b"b"))
    one.packet(100)
    one.out.add(record(b"c"))
    with pytest.raises(LinkError, match="record 3 came after 1"):
        other.take(records_of(one.packet(100)))


@pytest.mark.parametrize(("epoch", "number"), [(4, 1), (2, 1), (3, 2)])
def test_records_of_another_epoch_or_stream_are_dropped(epoch: int, number: int) -> None:
    old = Stream("main", epoch, number)
    old.up(0)
    old.out.add(record(b"old"))
    stream = Stream("main", 3, 1)
    assert stream.take(records_of(old.packet(100))) == []
    assert stream.seen == 0


def test_nothing_is_said_while_no_link_is_up_or_nothing_is_new() -> None:
    stream = Stream("main", 1, 1)
    stream.out.add(record(b"a"))
    assert stream.packet(100) is None
    stream.up(0)
    assert stream.packet(100) is not None
    assert stream.packet(100) is None
    stream.out.add(record(b"b"))
    stream.processed = 1
    assert records_of(stream.packet(100)).acknowledged == 1


def test_many_bytes_are_acknowledged_even_by_who_has_nothing_to_say() -> None:
    one, other = Stream("main", 1, 1), Stream("main", 1, 1, acknowledges_bytes=1000)
    one.up(0)
    other.up(0)
    one.out.add(record(b"a" * 100))
    other.take(records_of(one.packet(100)))
    assert other.packet(100) is None
    one.out.add(record(b"a" * 1000))
    other.take(records_of(one.packet(100)))
    other.processed = 2
    assert records_of(other.packet(100)).acknowledged == 2
    assert other.packet(100) is None


def test_an_acknowledgement_goes_with_the_last_of_what_there_was_to_say() -> None:
    one, other = Stream("main", 1, 1), Stream("main", 1, 1)
    one.up(0)
    other.up(0)
    one.out.add(record(b"asked"))
    other.take(records_of(one.packet(100)))
    other.processed = 1
    for _ in range(2):
        other.out.add(record(b"answer" * 20))
    assert [records_of(other.packet(100)).acknowledged for _ in range(2)] == [0, 1]


def test_an_acknowledgement_of_what_was_never_said_is_an_error() -> None:
    out = Outgoing()
    out.add(record(b"a"))
    with pytest.raises(LinkError, match="is the last"):
        out.acknowledge(2)
    with pytest.raises(LinkError, match="are kept"):
        out.rewind(2)


def test_openings_survive_their_packets() -> None:
    written = write_opening(Packet.OPEN, "school", 5, 9, 12, is_new=True)
    assert read_packet(written) == Opening(Packet.OPEN, "school", 5, 9, 12, True)


@given(st.binary(max_size=80))
def test_what_is_no_packet_is_a_link_error(data: bytes) -> None:
    try:
        packet = read_packet(data)
        if isinstance(packet, Records):
            stream = Stream(packet.club, packet.epoch, packet.stream)
            stream.take(packet)
    except LinkError:
        pass
