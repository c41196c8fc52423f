"""The connection of a bot: an `asyncio.Protocol` on the sans-I/O API of `websockets`.

No other module reads or writes bots' sockets.

Bots use the same port as the pages: `upgrade.py` hands a connection over when a request asks for an upgrade. A received
frame has all of its effects within `data_received`, or within `on_scheduled` if the frame had to wait for a later
iteration of the loop.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Any, cast

from rumble_protocol import SUBPROTOCOL
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode
from rumble_protocol.server_messages import Error
from websockets.exceptions import InvalidMessage
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from rumble_server.gateway.descriptors import Idleness
from rumble_server.gateway.frame_reader import FrameReader
from rumble_server.gateway.frames import HEADS, KNOWN_HEADS, only_pong, text_head, whole_texts
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import select_subprotocol
from rumble_server.gateway.pings import Pings
from rumble_server.gateway.round_trip import kernel_round_trip_ms, kernel_unread_ms
from rumble_server.gateway.session import Session
from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.limits.permits import Permit
from rumble_server.limits.source import Source
from rumble_server.match.seat import MeasureWait

log = logging.getLogger(__name__)
quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.ERROR)

MOST_UNSENT_BYTES = 1 << 20
"""Maximum number of sent bytes that a bot may leave unread. A bot that leaves more is disconnected."""
CLOSE_S = 5.0
"""Maximum time in s of the closing handshake; then the connection is cut."""
FLOOD_MS = 10_000
"""Length in ms of the period in which `_count_empty` counts frames."""
FLOOD_REASON = "too many control or empty frames"
TURN_PREFIX = b'{"type":"turn"'
"""First bytes of a `turn` frame, which asks a bot for a move."""
MOST_PONG_BYTES = 32
"""Maximum size in bytes of received data that `only_pong` tests. Pongs to this server's pings are smaller."""
MOST_UNANSWERED_TURNS = 64
"""Maximum value of `_unanswered_turns`. Answers beyond this number wait for the time budget."""
MOST_UNBUDGETED_BYTES = 512
"""Maximum size in bytes of received answers to turns that are handled without a look at the time budget.

Larger data is handled only if `claim_time` returns true. Refusing a frame of this size takes 0.2 ms.
"""
MOST_WASTED = 32
"""Maximum number of wasted messages (`ReadFairness.count_wasted`) in an iteration of the loop.

Once the number is reached, answers to turns need the time budget, too.
"""
BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
"""The HTTP response to an upgrade request that cannot be parsed."""


class Connection(asyncio.Protocol):
    """The WebSocket of a bot, from the upgrade request to the end. The class implements `Link` for a session."""

    def __init__(
        self, gateway: Gateway, shared: SharedByConnections, source: Source, permit: Permit, connections: "set[Any]"
    ) -> None:
        """Make a connection to the club that `gateway` belongs to.

        `permit` is the connection's permit from its address.
        """
        self._shared = shared
        self._fairness = shared.fairness
        self._gateway = gateway
        self._permit = permit
        self._connections = connections
        """The set in which uvicorn keeps connections, to shut them down when it stops."""
        self.protocol = ServerProtocol(
            max_size=shared.bounds.stranger_frame_bytes,
            subprotocols=[cast(Subprotocol, SUBPROTOCOL)],
            select_subprotocol=select_subprotocol,
            logger=quiet,
        )
        self._reader = FrameReader(self.protocol, shared.bounds, shared.fairness)
        self._unanswered_turns = 0
        """Number of `turn` frames sent and not answered yet. Up to this number, received frames need no time budget
        (see `ReadFairness`)."""
        self.transport: asyncio.Transport | None = None
        self.session: Session | None = None
        self._unsent: list[bytes] = []
        """Header and payload of each frame to be written at the end of this iteration of the loop."""
        self._is_paused = False
        """True from `pause_reading` to `resume_reading`, while the login of the session is checked."""
        self._empty_frames = 0
        """Number of frames counted by `_count_empty` since `_counted_from_ms`."""
        self.opened_ms = self._counted_from_ms = self._now_ms()
        self._keepalive: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self.pings = Pings(self.opened_ms)
        self.address = source.address
        self.is_local = source.is_local
        self._forwarded_host = source.forwarded_host
        self.lag_ms = 0
        self.lag_by_pings = source.is_proxied
        self._is_stamped = False
        """True if the kernel reports how long received data has waited to be read."""

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport. `Upgrade` then calls `open` with the upgrade request."""
        self.transport = cast(asyncio.Transport, transport)
        self.lag_by_pings = self.lag_by_pings or kernel_round_trip_ms(transport) is None
        self._is_stamped = kernel_unread_ms(transport) is not None
        self._connections.add(self)
        self._fairness.sockets.add(self)

    def open(self, request: bytes, rest: bytes, refused: CloseCode | None = None) -> None:
        """Answer the upgrade request, and then handle `rest`, the bytes received after the request.

        With `refused`, accept the upgrade and close the WebSocket with this code.
        """
        self.protocol.receive_data(request)
        for event in self.protocol.events_received():
            self._on_request(cast(Request, event), refused)
        if isinstance(self.protocol.handshake_exc, InvalidMessage) and self.transport is not None:
            self.transport.write(BAD_REQUEST)
        self._flush()
        if rest:
            self.data_received(rest)

    def data_received(self, data: bytes) -> None:
        """Handle received bytes, with all effects of their messages.

        Bytes beyond this iteration's bounds wait for a later iteration.
        """
        reader, session, size = self._reader, self.session, len(data)
        if (
            size <= MOST_UNBUDGETED_BYTES
            and session is not None
            and session.name is not None
            and reader.is_between_messages
        ):
            if size <= MOST_PONG_BYTES and (pong := only_pong(data)) is not None and self._is_open:
                self._count_empty()
                self._on_pong(pong)
                return
            if self._unanswered_turns and self._fairness.wasted < MOST_WASTED and self._is_open:
                texts, _ = whole_texts(data, 0, size, self._gateway.frame_bytes)
                if 0 < len(texts) <= self._unanswered_turns:
                    self._receive_answers(session, texts)
                    return
        waits = self._is_paused or reader.has_bytes
        reader.feed(data)  # a transport may still deliver data that was read before a pause
        if not waits:
            self._read()

    def _receive_answers(self, session: Session, texts: list[str]) -> None:
        """Handle answers to open turns, which need no budget."""
        if len(texts) > 1:
            self._reader.is_newest = False
            for text in texts[:-1]:
                session.on_text(text)
            self._reader.is_newest = True
        session.on_text(texts[-1])
        left = self._unanswered_turns - len(texts)  # read anew: a message that answers nothing sets it to 0
        self._unanswered_turns = left if left > 0 else 0

    def on_scheduled(self) -> None:
        """Handle bytes that waited for this iteration of the loop.

        If no bytes are left, resume reading from the socket.
        """
        if not self._is_paused and self.transport is not None:
            self._read()
            self.resume_socket()

    def read_waiting(self) -> bool:
        if not self._reader.has_bytes or self._is_paused or self.transport is None:
            return False
        try:
            self._read(most_unbudgeted=MOST_UNANSWERED_TURNS)
        except Exception:
            log.exception("%s: cut off, its bytes could not be handled", self._log_name())
            self.abort()
        self.resume_socket()
        return True

    def _read(self, *, most_unbudgeted: int = 0) -> None:
        """Handle the bytes that `_reader` has, up to the bounds of an iteration of the loop.

        If bytes are left, they wait for a later iteration. Pause reading from the socket meanwhile. `most_unbudgeted`
        is the number of frames that are read even if the time budget is spent.
        """
        for message in self._reader.read(most_unbudgeted=most_unbudgeted):
            session = self.session
            if isinstance(message, Frame) and message.opcode is not Opcode.BINARY:
                self._count_empty()
                if message.opcode is Opcode.PONG:
                    self._on_pong(bytes(message.data))
            elif session is None or session.is_ending:
                self._count_empty()
            elif isinstance(message, str):
                session.on_text(message)
                if self._unanswered_turns:
                    self._unanswered_turns -= 1
            else:
                session.request_close(CloseCode.NOT_UTF8 if isinstance(message, bytes) else CloseCode.BINARY_FRAME)
        self._flush()
        if self._reader.has_bytes and self.transport is not None and not self.transport.is_closing():
            self.transport.pause_reading()
            self._fairness.enqueue(self)

    def resume_socket(self) -> None:
        transport = self.transport
        must_wait = self._reader.has_bytes or self._is_paused or self in self._fairness.unread
        if transport is not None and not must_wait and not transport.is_closing():
            transport.resume_reading()

    def eof_received(self) -> None:
        self._fairness.claim_time()  # counts the end of a connection, which takes time as a frame does
        self.protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._fairness.forget_socket(self)
        for timer in (self._keepalive, self._closing):
            if timer is not None:
                timer.cancel()
        self._keepalive = self._closing = None
        self.transport = None
        self._fairness.run_or_enqueue(self.address, self._clean_up)

    def _clean_up(self) -> None:
        """After the loss of the connection, end the session, and give back the permit."""
        protocol = self.protocol  # without the references below, the protocol is freed without the collector
        protocol.parser.close()
        protocol.parser_exc = None
        vars(protocol).pop("select_subprotocol", None)
        self._permit.release()
        self._end_session()

    def shutdown(self) -> None:
        """Close the connection because uvicorn stops. A bot with a session gets the close code DRAINING."""
        if self.session is not None:
            self.session.request_close(CloseCode.DRAINING)
        elif self.transport is not None and not self.transport.is_closing():
            self.transport.close()

    # --- Link ---

    @property
    def can_send(self) -> bool:
        return self._is_open and self.transport is not None and not self.transport.is_closing()

    @property
    def has_room(self) -> bool:
        return self._permit.has_room

    def has_room_for(self, tournament_id: str) -> bool:
        return self._permit.has_room_for(f"{self._gateway.club}/{tournament_id}")

    @property
    def measure_wait(self) -> MeasureWait | None:
        return self._measure_wait if self._is_stamped else None

    def _measure_wait(self, ago_ms: int) -> tuple[int, bool]:
        """Return the waiting time in ms of a frame and its answer, and True if the time is exact.

        The time has two parts: the frame's wait to be written, and the answer's wait to be read. The frame was sent
        `ago_ms` before now.

        The kernel reports only the age of the newest data. If more data came after the answer, or may have come while
        the socket was not read, the time is therefore only a minimum, and the second value is False.
        """
        transport = self.transport
        unread_ms = None if transport is None else kernel_unread_ms(transport)
        is_exact = self._reader.is_newest and transport is not None and transport.is_reading()
        return (unread_ms or 0) + self._shared.outbox.waited_ms(ago_ms), is_exact

    def pause_reading(self) -> None:
        """Pause reading while the login of the session is checked."""
        if self.transport is not None and not self.transport.is_closing():
            self._is_paused = True
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        """Resume reading, in a later iteration of the loop."""
        if self._is_paused:
            self._is_paused = False
            self._fairness.enqueue(self)

    def count_as_logged_in(self) -> None:
        self._permit.mark_known()
        self._fairness.forget_socket(self)  # from now on the socket is read, so that moves do not wait for strangers
        self.resume_socket()
        self.protocol.max_message_size = self._gateway.frame_bytes

    def end_unbudgeted_reading(self) -> None:
        if self._unanswered_turns:
            self._unanswered_turns = 0
            self._fairness.count_wasted()

    def mark_invited(self, tournament_id: str) -> None:
        self._permit.invite(f"{self._gateway.club}/{tournament_id}")  # other clubs may have a tournament of this id

    def send(self, frame: bytes) -> None:
        """Add a text frame to the frames that are written at the end of this iteration of the loop."""
        if not self._is_open:
            return
        unsent, size = self._unsent, len(frame)
        is_first = not unsent
        if frame.startswith(TURN_PREFIX) and self._unanswered_turns < MOST_UNANSWERED_TURNS:
            self._unanswered_turns += 1
        unsent.append(HEADS[size] if size < KNOWN_HEADS else text_head(size))
        unsent.append(frame)
        if is_first:
            self._shared.outbox.add(self)

    def write_out(self) -> None:
        """Write the frames of this iteration of the loop. Disconnect a bot that leaves too many bytes unread."""
        unsent, self._unsent = self._unsent, []
        transport = self.transport
        if transport is not None and unsent:
            transport.write(b"".join(unsent))
            if (size := transport.get_write_buffer_size()) > MOST_UNSENT_BYTES:
                log.warning("%s: cut off, it left %d bytes unread", self._log_name(), size)
                transport.abort()

    def close(self, code: CloseCode, reason: str) -> None:
        """Begin the closing handshake. Cut the connection if the handshake takes longer than `CLOSE_S`."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code, reason)
            self._flush()
            self.resume_reading()  # so that the bot's own close is read, even if the login is never answered

    def cut_off_silent(self) -> None:
        """End the connection without a handshake, because the bot has been silent for long."""
        log.warning("%s: cut off, silent for %d ms", self._log_name(), self._now_ms() - self.pings.heard_ms)
        self.abort()

    # --- frames ---

    def _on_request(self, request: Request, refused: CloseCode | None) -> None:
        transport = self.transport
        if transport is None:
            return
        local = transport.get_extra_info("sockname")
        address = str(local[0]) if isinstance(local, tuple) else ""
        refusal = self._shared.policy.refusal(request, address, self._forwarded_host)
        response: Response
        response = self.protocol.reject(*refusal) if refusal is not None else self.protocol.accept(request)
        self.protocol.send_response(response)
        self._flush()
        if self.protocol.state is not State.OPEN:
            return
        offered = request.headers.get_all("Sec-WebSocket-Protocol")
        if offered and self.protocol.subprotocol is None:
            message = CLOSE_REASONS[CloseCode.PROTOCOL_NOT_SUPPORTED]
            self.send(write_message(Error(code=ErrorCode.PROTOCOL_NOT_SUPPORTED, message=message, fatal=True)))
            self.close(CloseCode.PROTOCOL_NOT_SUPPORTED, message)
            return
        if refused is not None:
            self.close(refused, CLOSE_REASONS[refused])
            return
        self.session = self._gateway.connect(self)
        self.keep_alive()

    def _count_empty(self) -> None:
        """Count a control frame, an empty frame, or a frame that is dropped because the connection ends.

        If there are too many in `FLOOD_MS`, close the connection. The bot forfeits no match.
        """
        self._empty_frames += 1
        if self._empty_frames <= self._shared.bounds.empty_frames_per_10_s:
            return
        now_ms = self._now_ms()
        if now_ms - self._counted_from_ms >= FLOOD_MS:
            self._empty_frames, self._counted_from_ms = 1, now_ms
        elif not self.protocol.eof_sent:
            log.warning("%s: closed, %s", self._log_name(), FLOOD_REASON)
            self._shared.refusals.count("empty_frames", self.address, self._name())
            self._end_session()
            # No closing handshake: nothing more is parsed.
            self.protocol.fail(CloseCode.TOO_MANY_MESSAGES, FLOOD_REASON)
            self._flush()

    @property
    def _is_open(self) -> bool:
        """True if frames can be sent."""
        return self.transport is not None and self.protocol.state is State.OPEN

    def _end_session(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            self._gateway.end_session(session)

    def _on_pong(self, data: bytes) -> None:
        if self.session is None:
            return
        shortest_ms = self.pings.pong(data, self._now_ms())
        if shortest_ms is None:
            return
        self.lag_ms = shortest_ms
        if self.lag_ms and self.transport is not None and not self.lag_by_pings:  # a bot may delay its pongs
            self.lag_ms = min(self.lag_ms, kernel_round_trip_ms(self.transport) or 0)
        self.session.on_round_trip(self.lag_ms)

    def _flush(self) -> None:
        """Write the bytes that `protocol` (of `websockets`) has ready to send.

        If the connection is closing, set a timer to cut it after `CLOSE_S`. The transport is closed only once, because
        a TLS transport of asyncio breaks at a second close.
        """
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        parts = self.protocol.data_to_send()
        if parts:
            self._unsent += parts  # behind earlier frames
            self.write_out()
            if b"" in parts and not transport.is_closing():  # `websockets` ends what it sends by an empty part
                if transport.can_write_eof():
                    with suppress(OSError):  # a loop of asyncio raises if the peer has gone
                        transport.write_eof()
                else:
                    transport.close()
        if self.protocol.close_expected() and self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(CLOSE_S, self.abort)
        elif self.protocol.state is State.CLOSED and not transport.is_closing():
            transport.close()

    # --- when descriptors run out ---

    @property
    def idleness(self) -> Idleness | None:
        """Degree of idleness of the connection; None while its bot plays."""
        plays = self._gateway.bots.is_playing(self._name())
        if plays is None:
            return Idleness.STRANGER
        return None if plays else Idleness.PLAYS_NOTHING

    def abort(self) -> None:
        """End the connection at once. Its bot may connect again."""
        if self.transport is not None:
            self.transport.abort()

    def close_if_banned(self) -> None:
        """End the connection if its address is banned and no bot has logged in on it.

        The arena closes connections with a login.
        """
        if not self._name() and self._gateway.bots.ban_of(self.address) is not None:
            self.abort()

    # --- liveness ---

    def keep_alive(self) -> None:
        """Send a ping, now and every `ping_ms`. Tell the session if the bot has been silent for longer than `pong_ms`.

        A bot is not silent while the server does not read its socket.
        A ping is sent even if the last ping was not answered, because bots may give up a server that is silent.
        """
        session, transport = self.session, self.transport
        if session is None or transport is None or self.protocol.state is not State.OPEN:
            return
        limits, now_ms = self._gateway.limits, self._now_ms()
        if self.pings.is_silent(now_ms, limits.pong_ms) and transport.is_reading():
            session.on_silence()
        if not transport.is_closing():
            transport.write(self.pings.ping(now_ms))
        self._keepalive = asyncio.get_running_loop().call_later(limits.ping_ms / 1000, self.keep_alive)

    def _now_ms(self) -> int:
        return self._gateway.clock.now_ms()

    def _log_name(self) -> str:
        name = self._name()
        return f"{self.address} ({name})" if name else self.address

    def _name(self) -> str:
        return (self.session and self.session.name) or ""
