"""However the bytes are cut, and whatever they are, a frame reader reads the same as `websockets`' parser."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rumble_server.gateway.frame_reader import FRAMES_AT_ONCE, FrameReader
from rumble_server.gateway.frames import LEAST_FRAME_BYTES
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from tests.needs import long_or
from tests.server.gateway.iterating_loop import Loop
from tests.server.gateway.pages import UPGRADE

MOST_BYTES = 300
REQUEST = UPGRADE + b"\r\n"


class Peer:
    """A side of a connection, with the texts received until its close."""

    def __init__(self) -> None:
        self.protocol = ServerProtocol(max_size=MOST_BYTES)
        self.texts: list[str] = []
        self.closed = False

    def open(self, request: bytes) -> None:
        self.protocol.receive_data(request)
        for event in self.protocol.events_received():
            assert isinstance(event, Request)
            self.protocol.send_response(self.protocol.accept(event))

    def close(self, code: int) -> None:
        if not self.closed:
            self.closed = True
            if self.protocol.state is State.OPEN:
                self.protocol.send_close(code)


def read_by_reader(chunks: list[bytes]) -> tuple[list[str], Any]:
    peer = Peer()
    peer.open(chunks[0])
    reader = FrameReader(peer.protocol, Bounds(), ReadFairness(100_000, lambda _: None, lambda: 0.0))
    for chunk in chunks[1:]:
        reader.feed(chunk)
        for message in reader.read():
            if isinstance(message, bytes):
                peer.close(1007)
            elif isinstance(message, Frame):
                if message.opcode is Opcode.BINARY:
                    peer.close(1003)
            elif not peer.closed:
                peer.texts.append(message)
    return peer.texts, peer.protocol.close_sent


def read_by_library(chunks: list[bytes]) -> tuple[list[str], Any]:
    peer, parts = Peer(), b""
    peer.open(chunks[0])
    for chunk in chunks[1:]:
        peer.protocol.receive_data(chunk)
        for event in peer.protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode is Opcode.BINARY:
                peer.close(1003)
            elif event.opcode in (Opcode.TEXT, Opcode.CONT):
                parts += event.data
                if event.fin and not peer.closed:
                    try:
                        peer.texts.append(parts.decode())
                    except UnicodeDecodeError:
                        peer.close(1007)
                    parts = b""
    return peer.texts, peer.protocol.close_sent


def wire(
    opcode: int, payload: bytes, *, fin: bool = True, mask: bytes = b"abcd", form: int = 0, bits: int = 0
) -> bytes:
    """Build a frame of a client.

    `form` 1 or 2 writes a length longer than necessary; without `mask` the frame is broken.
    """
    size = len(payload)
    form = max(form, 0 if size < 126 else 1)
    length = (size, 126, 127)[form]
    extended = (b"", size.to_bytes(2), size.to_bytes(8))[form]
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)) if mask else payload
    return bytes((fin << 7 | bits | opcode, bool(mask) << 7 | length)) + extended + mask + masked


payloads = st.one_of(
    st.binary(max_size=8),
    st.text(max_size=20).map(str.encode),
    st.sampled_from([b"x" * 125, b"x" * 126, b"x" * MOST_BYTES, b"x" * (MOST_BYTES + 1), b"\r\n\r\n", b"\x81\x80abcd"]),
)
masks = st.sampled_from([b"abcd", b"\x00\x00\x00\x00", b"\x81\x82\x81\x80"])
texts = st.builds(wire, st.just(1), payloads, mask=masks)
frames = st.one_of(
    texts,
    texts,
    st.builds(wire, st.sampled_from([0, 1]), payloads, fin=st.booleans(), mask=masks, form=st.integers(0, 2)),
    st.builds(wire, st.sampled_from([9, 10]), st.binary(max_size=4), mask=masks),
    st.just(wire(8, (1000).to_bytes(2))),
    st.builds(
        wire,
        st.integers(0, 15),
        payloads,
        fin=st.booleans(),
        mask=st.one_of(masks, st.just(b"")),
        form=st.integers(0, 2),
        bits=st.sampled_from([0, 0, 64]),
    ),
    st.binary(max_size=6),
)


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """The bytes of a connection from its request on, cut anywhere, and often between frames."""
    parts = draw(st.lists(frames, max_size=8))
    stream = b"".join(parts)
    ends = [sum(map(len, parts[:count])) for count in range(1, len(parts))]
    anywhere = st.integers(0, len(stream))
    at = st.one_of(st.sampled_from(ends), anywhere) if ends else anywhere
    cuts = sorted(draw(st.lists(at, max_size=8)))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    chunks = [chunk for chunk in chunks if chunk]
    return [REQUEST, *chunks]


@settings(max_examples=long_or(50, 300))
@given(streams())
@example([REQUEST, wire(8, (1000).to_bytes(2)), wire(1, b"after the close")])
@example([REQUEST, wire(1, b"half", fin=False), wire(1, b"breaks the protocol")])
@example([REQUEST, wire(1, b"long length", form=2), wire(1, b"next")])
@example([REQUEST, wire(1, b"\x81\x80abcd", mask=bytes(4))[:6], wire(1, b"\x81\x80abcd", mask=bytes(4))[6:]])
def test_a_reader_reads_the_same_as_the_library(chunks: list[bytes]) -> None:
    assert read_by_reader(chunks) == read_by_library(chunks)


def reading(data: bytes, fairness: ReadFairness, **bounds: int) -> FrameReader:
    """Return the reader of an open connection that has received `data`."""
    peer = Peer()
    peer.open(REQUEST)
    reader = FrameReader(peer.protocol, Bounds.model_validate(bounds), fairness)
    reader.feed(data)
    return reader


FRAGMENTS = wire(1, b"x", fin=False) + wire(0, b"x", fin=False) * 199


@pytest.mark.parametrize(
    ("data", "pieces", "bounds", "expected"),
    [
        (wire(1, b"x") * 25, 1_000, {"frames_per_iteration": 10}, 3),
        (FRAGMENTS, 1_000, {"frames_per_iteration": 50}, 4),
        (wire(1, b"x" * 250, fin=False), 1_000, {"bytes_per_iteration": 100}, 3),
        (FRAGMENTS, 2, {}, -(-len(FRAGMENTS) // (2 * FRAMES_AT_ONCE * LEAST_FRAME_BYTES))),
    ],
    ids=["texts", "fragments", "bytes", "time"],
)
def test_the_work_of_an_iteration_is_bounded(data: bytes, pieces: int, bounds: dict[str, int], expected: int) -> None:
    loop, iterations = Loop(), 0
    reader = reading(data, loop.fairness(pieces), **bounds)
    while reader.has_bytes:
        for _ in reader.read():
            pass
        loop.iterate()
        iterations += 1
    assert iterations == expected


def test_fragments_without_content_take_no_memory() -> None:
    empty = wire(1, b"", fin=False) + wire(0, b"", fin=False) * 200
    reader = reading(empty + wire(0, b"text", fin=False), Loop().fairness(1_000))
    assert all(isinstance(message, Frame) for message in reader.read())
    assert bytes(reader._parts) == b"text"
