"""However the bytes are cut, and whatever they are, a connection reads the same as `websockets`' parser."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rumble_protocol.codes import CloseCode
from rumble_protocol.server_messages import Limits
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.connections import Connections
from rumble_server.limits.source import Source
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from tests.needs import long_or

MOST_BYTES = 300
REQUEST = (
    b"GET /bot HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Recorder:
    """A stand-in for a session that records its calls."""

    def __init__(self, link: Connection) -> None:
        self.link = link
        self.texts: list[str] = []
        self.closed = False

    def received(self, text: str) -> None:
        if not self.closed:
            self.texts.append(text)

    def close(self, code: CloseCode) -> None:
        if not self.closed:
            self.closed = True
            self.link.close(code, "")

    def lost(self) -> None:
        """Ignore the end of the connection."""

    def round_trip(self, _: int) -> None:
        """No ping is answered here."""


class Transport:
    """A transport that records written bytes."""

    def __init__(self) -> None:
        self.written = b""

    def get_extra_info(self, what: str) -> Any:
        return None if what == "socket" else ("127.0.0.1", 1)

    def write(self, data: bytes) -> None:
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return False

    def write_eof(self) -> None:
        """The peer would see the end."""

    def close(self) -> None:
        """The socket would end."""

    def get_write_buffer_size(self) -> int:
        return 0


class Reference:
    """The result of `websockets`' parser alone: the texts of an open connection, and its close."""

    def __init__(self) -> None:
        self.protocol = ServerProtocol(max_size=MOST_BYTES)
        self.texts: list[str] = []
        self.closed = False
        self._parts = b""

    def receive(self, data: bytes) -> None:
        self.protocol.receive_data(data)
        for event in self.protocol.events_received():
            if isinstance(event, Request):
                self.protocol.send_response(self.protocol.accept(event))
            elif isinstance(event, Frame) and not self.closed:
                self._frame(event)

    def _frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.BINARY:
            self._close(1003)
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            self._parts += frame.data
            if frame.fin:
                whole, self._parts = self._parts, b""
                try:
                    self.texts.append(whole.decode())
                except UnicodeDecodeError:
                    self._close(1007)

    def _close(self, code: int) -> None:
        self.closed = True
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code)


class Timers:
    """A loop whose timers never fire."""

    def time(self) -> float:
        return 0.0

    def call_later(self, *_: Any) -> Any:
        return SimpleNamespace(cancel=lambda: None)


@pytest.fixture(autouse=True, scope="module")
def _alone() -> Iterator[None]:
    """No session, and no loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rumble_server.gateway.connection.asyncio.get_running_loop", Timers)
        yield


def read_by_connection(chunks: list[bytes]) -> tuple[list[str], Any]:
    clock = SimpleNamespace(now_ms=lambda: 0)
    gateway: Any = SimpleNamespace(
        limits=Limits(frame_bytes=MOST_BYTES), frame_bytes=MOST_BYTES, clock=clock, connect=Recorder
    )
    bounds = Bounds()
    entrance: Any = SimpleNamespace(
        policy=HandshakePolicy(),
        outbox=Outbox(lambda _: None),
        turns=ReadFairness(100_000, lambda _: None, lambda: 0.0),
        bounds=bounds,
    )
    source, place = Source("127.0.0.1", True, "http"), Connections(bounds).uncounted("")
    link = Connection(gateway, entrance, source, place, set())
    transport: Any = Transport()
    link.connection_made(transport)
    link.keep_alive = lambda: None  # type: ignore[method-assign]
    link.open(chunks[0], b"")
    for chunk in chunks[1:]:
        link.data_received(chunk)
    session: Any = link.session
    return session.texts, link.protocol.close_sent


def read_by_reference(chunks: list[bytes]) -> tuple[list[str], Any]:
    reference = Reference()
    for chunk in chunks:
        reference.receive(chunk)
    return reference.texts, reference.protocol.close_sent


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
def test_a_connection_reads_what_the_library_reads(chunks: list[bytes]) -> None:
    assert read_by_connection(chunks) == read_by_reference(chunks)
