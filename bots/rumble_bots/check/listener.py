"""The kit's port: takes WebSockets of bots, and puts what comes over them into one queue."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

import orjson
from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Connected, Ended, Event, Said, TurnedAway
from rumble_bots.check.record import Record

PATH = "/bot"
PING_S = 0.2
OPEN_S = 3.0
"""How long a bot may take over the opening handshake."""
CLOSE_S = 1.0
"""How long a bot may take over the closing handshake."""
LARGEST = 1 << 20
"""What the kit reads at most: more than the limit it tells, so that the rest of the bot can still be checked."""
ABNORMAL = 1006

quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.CRITICAL)


@dataclass(slots=True)
class Ping:
    """One ping of a connection."""

    sent_at: float
    answered: bool = False


class Link:
    """One connection of a bot. What is sent to one that has ended is lost: its `Ended` tells."""

    def __init__(self, socket: ServerConnection, record: Record) -> None:
        self._socket = socket
        self._record = record
        self.pings: list[Ping] = []
        self.opened_at = record.now()
        self.extras = 0
        """Frames that answered no turn."""
        self.gone = False
        """The kit has done with it, whatever still comes."""

    @property
    def speaks_ours(self) -> bool:
        """Whether it offered our sub-protocol, or none."""
        offered = self._socket.request.headers.get_all("Sec-WebSocket-Protocol") if self._socket.request else []
        return not offered or self._socket.subprotocol == SUBPROTOCOL

    async def send(self, frame: bytes) -> None:
        """Send a text frame."""
        text = frame.decode()
        self._record.add("kit", text)
        with suppress(ConnectionClosed):
            await self._socket.send(text)

    async def close(self, code: int, reason: str) -> None:
        """Close it in good order."""
        self._record.add("note", f"the kit closes the connection: {code} {reason}")
        await self._socket.close(code, reason)

    def abort(self) -> None:
        """End it without a word."""
        self._record.add("note", "the kit breaks the connection")
        self._socket.transport.abort()

    async def keep_pinging(self) -> None:
        """Ping it for as long as it is open."""
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(PING_S)
                ping = Ping(self._record.now())
                self.pings.append(ping)
                pong = asyncio.ensure_future(await self._socket.ping())
                pong.add_done_callback(partial(_note_pong, ping))


def _note_pong(ping: Ping, done: "asyncio.Future[float]") -> None:
    ping.answered = not done.cancelled() and done.exception() is None


class Listener:
    """Listens at one address; may go down and come up again there, as a server that restarts."""

    def __init__(self, host: str, port: int, inbox: "asyncio.Queue[Event]", record: Record) -> None:
        self.host = host
        self.port = port
        """0 until `up`, if any free one will do."""
        self._inbox = inbox
        self._record = record
        self._server: Server | None = None

    async def up(self) -> None:
        """Listen. Raises BadCommand where that is not possible."""
        try:
            self._server = await serve(
                self._talk,
                self.host,
                self.port,
                process_request=self._look,
                select_subprotocol=_subprotocol,
                compression=None,
                ping_interval=None,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                max_size=LARGEST,
                logger=quiet,
            )
        except OSError as error:
            raise BadCommand(f"cannot listen on {self.host} port {self.port}: {error.strerror or error}") from None
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def down(self) -> None:
        """Stop listening; connections that are still open are closed with 1001."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def _talk(self, socket: ServerConnection) -> None:
        link = Link(socket, self._record)
        self._inbox.put_nowait(Connected(link))
        pinging = asyncio.create_task(link.keep_pinging())
        code, reason = ABNORMAL, ""
        try:
            async for frame in socket:
                self._inbox.put_nowait(Said(link, frame, self._record.now()))
            code, reason = socket.close_code or ABNORMAL, socket.close_reason or ""
        except ConnectionClosed as closed:
            close = closed.rcvd or closed.sent  # what the bot said, or else why our library ended it
            if close is not None:
                code, reason = close.code, close.reason
        finally:
            pinging.cancel()
        self._inbox.put_nowait(Ended(link, code, reason))

    def _look(self, socket: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path == PATH:
            return None
        self._inbox.put_nowait(TurnedAway(f"it asked for {path[:80]}; bots connect at {PATH}"))
        return socket.respond(HTTPStatus.NOT_FOUND, f"bots connect at {PATH}\n")


def _subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    ours = Subprotocol(SUBPROTOCOL)
    return ours if ours in offered else None


def with_unknown_fields(frame: bytes) -> bytes:
    """The frame as a later server may send it: with fields that nobody knows yet."""
    message = orjson.loads(frame)
    extra = {"from_the_future": {"kit": [1, "two", None]}}
    for name in ("clock", "time_control", "limits"):
        if name in message:
            message[name] |= extra
    return orjson.dumps(message | extra)
