"""The one module that touches links' sockets: a WebSocket between two nodes, either end, on `websockets`' sans-I/O API.

Packets go as whole binary frames, which are read and written here: the library takes as long for one as four moves do.
It has everything else, frame by frame. Pings end a link on which nothing comes any more.
"""

import asyncio
import logging
import os
import ssl
from collections.abc import Callable
from typing import cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Frame, Opcode, apply_mask  # type: ignore[attr-defined]  # in C, where it was built with it
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from rumble_server.gateway.handshake import LINK_PATH

log = logging.getLogger(__name__)
quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.ERROR)

MOST_FRAME_BYTES = 16 << 20
"""Bytes of one frame of a link; a larger one ends it."""
FULL_BYTES = 1 << 20
"""Bytes that may wait for the other node to take them; what is more waits in its stream."""
PING_S = 1.0
OPEN = State.OPEN  # to look up a member of an enumeration takes longer than to compare
WHOLE_BINARY = 0x82
"""The first byte of a binary frame that is not fragmented."""


class LinkError(ConnectionError):
    """A link could not be made; its text is one line."""


class LinkConnection(asyncio.Protocol):
    """One end of a link. `on_packet` and `on_down` are called with it; it is a `Link` of `cluster/edge.py`."""

    def __init__(
        self,
        protocol: ClientProtocol | ServerProtocol,
        silent_s: float,
        on_packet: "Callable[[LinkConnection, bytes], None]",
        on_down: "Callable[[LinkConnection], None]",
        on_writable: "Callable[[LinkConnection], None]",
    ) -> None:
        """A link on which nothing came for `silent_s` is ended."""
        self.node = ""
        """The node at the other end."""
        self.is_full = False
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when a link that was dialled is up; LinkError if it is refused."""
        self._protocol = protocol
        self._silent_s = silent_s
        self._on_packet, self._on_down = on_packet, on_down
        self._on_writable = on_writable
        self._transport: asyncio.Transport | None = None
        self._masks = isinstance(protocol, ClientProtocol)
        self._rest = b""
        """The beginning of a frame whose end has not come."""
        self._now_s = asyncio.get_running_loop().time
        self._heard_at_s = self._now_s()
        self._pings: asyncio.TimerHandle | None = None
        self.is_up = False

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(FULL_BYTES)
        if isinstance(self._protocol, ClientProtocol):
            self._write()

    def accept(self, request: bytes, rest: bytes) -> None:
        """Answer a request that is accepted, and read what came with it."""
        self.opened.set_result(None)
        protocol = cast(ServerProtocol, self._protocol)
        protocol.receive_data(request)
        for event in protocol.events_received():
            protocol.send_response(protocol.accept(cast(Request, event)))
        self._write()
        if protocol.state is State.OPEN:
            self._begin()
            if rest:
                self.data_received(rest)

    def data_received(self, data: bytes) -> None:
        self._heard_at_s = self._now_s()
        if not self.is_up:
            self._protocol.receive_data(data)
            self._look()
            return
        if self._rest:
            data = self._rest + data
        start = 0
        while (found := whole_frame(data, start)) is not None:
            body, end, mask = found
            if data[start] == WHOLE_BINARY:
                payload = data[body:end]
                self._on_packet(self, apply_mask(payload, mask) if mask else payload)
            else:
                self._protocol.receive_data(data[start:end])
                self._look()
            start = end
        self._rest = data[start:]
        if len(self._rest) > MOST_FRAME_BYTES:
            self.end()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._pings is not None:
            self._pings.cancel()
        if not self.opened.done():
            self.opened.set_exception(LinkError("the other node ended the connection"))
        if self.is_up:
            self.is_up = False
            self._on_down(self)

    def pause_writing(self) -> None:
        self.is_full = True

    def resume_writing(self) -> None:
        self.is_full = False
        self._on_writable(self)

    # --- Link ---

    def send(self, packet: bytes) -> None:
        """Send a packet."""
        if self._transport is not None and self._protocol.state is OPEN:
            self._transport.write(binary_frame(packet, os.urandom(4) if self._masks else b""))

    def end(self) -> None:
        """End the link at once."""
        if self._transport is not None:
            self._transport.abort()

    # --- events ---

    def _look(self) -> None:
        """Handle what came, and write what the protocol answers."""
        for event in self._protocol.events_received():
            if isinstance(event, Frame):
                self._on_frame(event)
            elif isinstance(event, Response):
                self._on_response(event)
        self._write()

    def _on_response(self, response: Response) -> None:
        if self.opened.done():
            return  # whoever dialled has given it up
        if self._protocol.state is State.OPEN:
            self._begin()
            self.opened.set_result(None)
        else:
            told = bytes(response.body or b"").decode("utf-8", "replace").strip()
            problem = self._protocol.handshake_exc
            self.opened.set_exception(LinkError(told or _line_of(problem)))

    def _on_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.BINARY and frame.fin:
            self._on_packet(self, bytes(frame.data))

    def _begin(self) -> None:
        self.is_up = True
        if self._masks:
            self._ping()
        else:  # nothing may come together with the answer: the other end has another parser for it
            self._ping_later()

    def _ping(self) -> None:
        """Ping, and end a link on which the other node has long said nothing."""
        if self._now_s() - self._heard_at_s > self._silent_s:
            log.warning("link to node %s: nothing came for %.1f s; it is ended", self.node, self._silent_s)
            self.end()
            return
        if self._protocol.state is State.OPEN:
            self._protocol.send_ping(b"")
            self._write()
        self._ping_later()

    def _ping_later(self) -> None:
        wait_s = min(PING_S, self._silent_s / 3)
        self._pings = asyncio.get_running_loop().call_later(wait_s, self._ping)

    def _write(self) -> None:
        transport = self._transport
        if transport is None:
            return
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()
        if self._protocol.state is State.CLOSED:
            transport.close()


def whole_frame(data: bytes, start: int) -> tuple[int, int, bytes] | None:
    """Return where the payload of the frame at `start` begins and ends, and its mask; None if it is not whole."""
    body = start + 2
    if len(data) < body:
        return None
    size = data[start + 1] & 0x7F
    if size == 126:
        body += 2
        size = int.from_bytes(data[start + 2 : body])
    elif size == 127:
        body += 8
        size = int.from_bytes(data[start + 2 : body])
    mask = b""
    if data[start + 1] & 0x80:
        mask = data[body : body + 4]
        body += 4
    end = body + size
    return (body, end, mask) if end <= len(data) else None


def binary_frame(payload: bytes, mask: bytes) -> bytes:
    """Build a whole binary frame (RFC 6455, section 5.2); `mask` has four bytes, or none."""
    size, bit = len(payload), 0x80 if mask else 0
    if size < 126:
        head = bytes((WHOLE_BINARY, size | bit))
    elif size < 1 << 16:
        head = bytes((WHOLE_BINARY, 126 | bit, size >> 8, size & 0xFF))
    else:
        head = bytes((WHOLE_BINARY, 127 | bit)) + size.to_bytes(8)
    return b"".join((head, mask, apply_mask(payload, mask))) if mask else head + payload


def client_protocol(address: str, headers: dict[str, str]) -> tuple[ClientProtocol, str, int, bool]:
    """Return the protocol that asks the node at this address for a link, and its host, port and whether by TLS."""
    uri = parse_uri(address.replace("http", "ws", 1).rstrip("/") + LINK_PATH)
    protocol = ClientProtocol(uri, max_size=MOST_FRAME_BYTES, logger=quiet)
    request = protocol.connect()
    for name, value in headers.items():
        request.headers[name] = value
    protocol.send_request(request)
    return protocol, uri.host, uri.port, uri.secure


def server_protocol() -> ServerProtocol:
    """Return the protocol of the end that was dialled."""
    return ServerProtocol(max_size=MOST_FRAME_BYTES, logger=quiet)


async def dial(
    connection: LinkConnection, host: str, port: int, context: ssl.SSLContext | None, within_s: float
) -> None:
    """Connect, and return once the link is up. Raises LinkError."""
    try:
        async with asyncio.timeout(within_s):
            await asyncio.get_running_loop().create_connection(lambda: connection, host, port, ssl=context)
            await connection.opened
        if not connection.is_up:  # it was lost before this went on
            raise LinkError("the other node ended the connection")
    except TimeoutError:
        connection.end()
        raise LinkError(f"no answer within {within_s:g} s") from None
    except (LinkError, asyncio.CancelledError):
        connection.end()
        raise
    except OSError as error:
        raise LinkError(error.strerror or str(error)) from None


def _line_of(problem: Exception | None) -> str:
    return str(problem) if isinstance(problem, InvalidHandshake) else "the other node refused the link"
