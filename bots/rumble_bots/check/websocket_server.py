"""The kit's port: accepts WebSockets of bots, and puts their frames into a queue."""

import asyncio
import logging
from collections.abc import Sequence
from http import HTTPStatus

from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Connected, Ended, Event, Said, TurnedAway
from rumble_bots.check.link import Link
from rumble_bots.check.record import Record

OPEN_S = 3.0
"""Seconds a bot has for the opening handshake."""
CLOSE_S = 1.0
"""Seconds a bot has for the closing handshake."""
LARGEST = 1 << 20
"""Maximum number of bytes read of a frame: more than `welcome` allows, so that the check goes on after a breach."""
ABNORMAL = 1006

quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.CRITICAL)


class WebSocketServer:
    """Listens at an address; may go down and come up again there, like a server that restarts."""

    def __init__(self, host: str, port: int, path: str, inbox: "asyncio.Queue[Event]", record: Record) -> None:
        """Bots connect at `path`; requests for another path are turned away."""
        self.host = host
        self.port = port
        """The port; 0 before `up` chooses a free port."""
        self.path = path
        self._inbox = inbox
        self._record = record
        self._server: Server | None = None

    async def up(self) -> None:
        """Listen. Raises BadCommand if the address cannot be used."""
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
        """Stop listening, and close the open connections with 1001."""
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
            close = closed.rcvd or closed.sent  # the close frame of the bot, or else the reason of our library
            if close is not None:
                code, reason = close.code, close.reason
        finally:
            pinging.cancel()
        self._inbox.put_nowait(Ended(link, code, reason))

    def _look(self, socket: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path == self.path:
            return None
        self._inbox.put_nowait(TurnedAway(f"it asked for {path[:80]}; bots connect at {self.path}"))
        return socket.respond(HTTPStatus.NOT_FOUND, f"bots connect at {self.path}\n")


def _subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    ours = Subprotocol(SUBPROTOCOL)
    return ours if ours in offered else None
