"""The one module that touches bots' sockets: an `asyncio.Protocol` on the sans-I/O API of `websockets`.

uvicorn hands a connection over when a request asks for an upgrade (its option `ws=` takes a class like this one),
so bots share the port with the pages. Everything a frame causes happens within `data_received`.
"""

import asyncio
import logging
from typing import Any, cast

from rumble_protocol import SUBPROTOCOL
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode
from rumble_protocol.server_messages import Error
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from rumble_server.gateway.frames import least_size, text_frame, whole_texts
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import HandshakePolicy, select_subprotocol
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.round_trip import kernel_round_trip_ms
from rumble_server.gateway.session import Session
from rumble_server.hosts import is_loopback

log = logging.getLogger(__name__)
quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.ERROR)

FORWARDED_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP")
MOST_UNSENT_BYTES = 1 << 20
"""A bot that leaves more than this unread is cut off."""
CLOSE_S = 5.0
"""How long the peer may take over the closing handshake."""
ROUND_TRIPS = 5


class Connection(asyncio.Protocol):
    """One WebSocket, from the upgrade request to its end. The `Link` of a `Session`."""

    def __init__(self, gateway: Gateway, policy: HandshakePolicy, outbox: Outbox, connections: "set[Any]") -> None:
        self._gateway = gateway
        self._policy = policy
        self._outbox = outbox
        self._connections = connections
        """uvicorn's set of what it must shut down."""
        self._protocol = ServerProtocol(
            max_size=gateway.limits.frame_bytes,
            subprotocols=[cast(Subprotocol, SUBPROTOCOL)],
            select_subprotocol=select_subprotocol,
            logger=quiet,
        )
        self._transport: asyncio.Transport | None = None
        self._session: Session | None = None
        self._unsent: list[bytes] = []
        """Frames for the end of this turn of the loop."""
        self._parts: list[bytes] = []
        self._fragmented = False
        """Whether a message has begun whose last frame has not come."""
        self._unparsed = 0
        """How many bytes the parser may hold of a frame that is not whole; 0 is certain."""
        self._keepalive: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._pinged_at_ms: int | None = None
        self._heard_at_ms = 0
        self._round_trips: tuple[int, ...] = ()  # a deque takes as much memory as half of this object
        self.address = ""
        self.is_local = False
        self.lag_ms = 0
        self.lag_by_pings = True

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there; uvicorn then hands over the request."""
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""

    def data_received(self, data: bytes) -> None:
        """Bytes came in: frames, messages, and all that follows from them."""
        if self._unparsed == 0 and not self._fragmented and self._protocol.state is State.OPEN:
            texts = whole_texts(data, self._gateway.limits.frame_bytes)
            if texts is not None:
                for text in texts:
                    self._on_text(text)
                return
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        protocol = self._protocol
        protocol.receive_data(data)
        self._unparsed += len(data)
        for event in protocol.events_received():
            if type(event) is Frame:
                # `least_size` is a lower bound, so `_unparsed == 0` proves that the parser's buffer is empty.
                self._unparsed -= least_size(len(event.data))
                self._on_frame(event)
            elif isinstance(event, Request):
                self._unparsed = 0 if data.endswith(b"\r\n\r\n") else len(data)
                self._on_request(event)
        self._flush()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        for timer in (self._keepalive, self._closing):
            if timer is not None:
                timer.cancel()
        self._keepalive = self._closing = None
        self._transport = None
        session, self._session = self._session, None
        if session is not None:
            self._gateway.lost(session)

    def shutdown(self) -> None:
        """uvicorn stops: say that the server is draining."""
        if self._session is not None:
            self._session.close(CloseCode.DRAINING)
        elif self._transport is not None:
            self._transport.close()

    # --- Link ---

    def send(self, frame: bytes) -> None:
        """Write a text frame; a peer that does not read is cut off."""
        if self._transport is None or self._protocol.state is not State.OPEN:
            return
        self._unsent.append(text_frame(frame))
        if len(self._unsent) == 1:
            self._outbox.add(self)

    def write_out(self) -> None:
        """Write the frames that were sent in this turn of the loop."""
        unsent, self._unsent = self._unsent, []
        transport = self._transport
        if transport is not None and unsent:
            transport.write(unsent[0] if len(unsent) == 1 else b"".join(unsent))
            self._shed_if_slow(transport)

    def close(self, code: CloseCode, reason: str) -> None:
        """Begin the closing handshake; it ends by force if the peer takes too long."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code, reason)
        self._flush()

    def cut(self) -> None:
        """End the connection at once: its peer has long been silent."""
        log.warning("%s: cut off, silent for %d ms", self._who(), self._now_ms() - self._heard_at_ms)
        self._abort()

    # --- frames ---

    def _on_request(self, request: Request) -> None:
        transport = self._transport
        if transport is None:
            return
        local = transport.get_extra_info("sockname")
        refusal = self._policy.refusal(request, str(local[0]) if isinstance(local, tuple) else "")
        response: Response
        response = self._protocol.reject(*refusal) if refusal is not None else self._protocol.accept(request)
        self._protocol.send_response(response)
        self._flush()
        if self._protocol.state is not State.OPEN:
            return
        forwarded = any(name in request.headers for name in FORWARDED_HEADERS)
        self.is_local = is_loopback(self.address) and not forwarded
        self.lag_by_pings = forwarded or kernel_round_trip_ms(transport) is None
        offered = request.headers.get_all("Sec-WebSocket-Protocol")
        if offered and self._protocol.subprotocol is None:
            message = CLOSE_REASONS[CloseCode.PROTOCOL_NOT_SUPPORTED]
            self.send(write_message(Error(code=ErrorCode.PROTOCOL_NOT_SUPPORTED, message=message, fatal=True)))
            self.close(CloseCode.PROTOCOL_NOT_SUPPORTED, message)
            return
        self._session = self._gateway.connect(self)
        self._heard_at_ms = self._now_ms()
        self._keep_alive()

    def _on_frame(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is Opcode.TEXT or opcode is Opcode.CONT:
            self._fragmented = not frame.fin
            if frame.data:  # fragments without content are no limit's business, and would pile up
                self._parts.append(bytes(frame.data))
            if frame.fin:
                parts, self._parts = self._parts, []
                self._on_text(b"".join(parts))
        elif opcode is Opcode.BINARY:
            if self._session is not None:
                self._session.close(CloseCode.BINARY_FRAME)
        elif opcode is Opcode.PONG:
            self._on_pong(bytes(frame.data))

    def _on_text(self, data: bytes) -> None:
        session = self._session
        if session is None:
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            session.close(CloseCode.NOT_UTF8)
            return
        session.received(text)

    def _on_pong(self, data: bytes) -> None:
        if self._session is None or self._pinged_at_ms is None or data != str(self._pinged_at_ms).encode():
            return
        now_ms = self._now_ms()
        self._round_trips = (*self._round_trips, now_ms - self._pinged_at_ms)[-ROUND_TRIPS:]
        self._pinged_at_ms = None
        self._heard_at_ms = now_ms
        self.lag_ms = min(self._round_trips)
        if self._transport is not None and not self.lag_by_pings:  # a bot may delay its pongs
            self.lag_ms = min(self.lag_ms, kernel_round_trip_ms(self._transport) or 0)
        self._session.round_trip(self.lag_ms)

    def _flush(self) -> None:
        """Write what the protocol has to say, and see to it that a closing connection comes to an end."""
        transport = self._transport
        if transport is None:
            return
        self.write_out()
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()
            else:
                transport.close()
        self._shed_if_slow(transport)
        if self._protocol.close_expected() and self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(CLOSE_S, self._abort)
        elif self._protocol.state is State.CLOSED:
            transport.close()

    def _shed_if_slow(self, transport: asyncio.Transport) -> None:
        unsent = transport.get_write_buffer_size()
        if unsent > MOST_UNSENT_BYTES:
            log.warning("%s: cut off, it left %d bytes unread", self._who(), unsent)
            transport.abort()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # --- liveness ---

    def _keep_alive(self) -> None:
        """Ping, and end a connection that has long been silent, unless its bot is thinking."""
        session = self._session
        if session is None or self._protocol.state is not State.OPEN:
            return
        limits = self._gateway.limits
        now_ms = self._now_ms()
        if self._pinged_at_ms is None:
            self._pinged_at_ms = now_ms
            self._protocol.send_ping(str(now_ms).encode())
            self._flush()
        elif now_ms - self._heard_at_ms > limits.pong_ms:
            session.silent()
        self._keepalive = asyncio.get_running_loop().call_later(limits.ping_ms / 1000, self._keep_alive)

    def _now_ms(self) -> int:
        return self._gateway.arena.clock.now_ms()

    def _who(self) -> str:
        name = None if self._session is None else self._session.name
        return self.address if name is None else f"{self.address} ({name})"
