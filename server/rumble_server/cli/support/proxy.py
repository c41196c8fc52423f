"""A proxy between a bot and the server. Every frame is shown to a watcher, and passed on unchanged."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Literal, Protocol

from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

PING_S = 5.0
"""Time in s between two pings to the bot, which does not get the server's pings, and gives up a silent connection."""

Sender = Literal["bot", "server"]
Socket = ClientConnection | ServerConnection


class Watcher(Protocol):
    """A watcher of the proxy's connections."""

    async def opened(self) -> None:
        """Show that the bot opened a connection."""

    async def frame(self, sender: Sender, frame: str | bytes) -> None:
        """Show a frame. The proxy passes the frame on when this method returns."""

    async def closed(self, sender: Sender, code: int, reason: str) -> None:
        """Show that `sender` ended the connection."""


@asynccontextmanager
async def proxying(ws_url: str, watcher: Watcher) -> AsyncIterator[int]:
    """Run a proxy for the server at `ws_url` on a free port of loopback, and yield that port."""

    async def carry(bot: ServerConnection) -> None:
        await watcher.opened()
        offered = [] if bot.request is None else bot.request.headers.get_all("Sec-WebSocket-Protocol")
        names = [Subprotocol(name.strip()) for line in offered for name in line.split(",")]
        async with connect(
            ws_url, subprotocols=names or None, compression=None, proxy=None, ping_interval=None, max_size=None
        ) as server:
            pumps = [
                asyncio.create_task(_pump(bot, server, "bot", watcher)),
                asyncio.create_task(_pump(server, bot, "server", watcher)),
            ]
            try:
                done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                for pump in done:
                    pump.result()
                ended, other = (bot, server) if bot.close_code is not None else (server, bot)
                await watcher.closed(*_how_it_ended(ended))
                await other.close(_passed_on(ended.close_code), ended.close_reason or "")
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)

    def choose(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
        return next((name for name in offered if name == SUBPROTOCOL), None)

    async with serve(
        carry,
        "127.0.0.1",
        0,
        select_subprotocol=choose,
        compression=None,
        ping_interval=PING_S,
        ping_timeout=None,
        max_size=None,
    ) as listener:
        yield next(iter(listener.sockets)).getsockname()[1]


async def _pump(source: Socket, sink: Socket, sender: Sender, watcher: Watcher) -> None:
    """Pass on all frames of one side, until either connection ends."""
    try:
        while True:
            frame = await source.recv()
            await watcher.frame(sender, frame)
            await sink.send(frame)
    except ConnectionClosed:
        return


def _how_it_ended(connection: Socket) -> tuple[Sender, int, str]:
    """Return the side that ended the connection, the code and the reason.

    The server's side counts as the ender if it closed the connection because the bot broke the WebSocket protocol.
    """
    refused = connection.protocol.close_rcvd_then_sent is False
    sender: Sender = "server" if refused or isinstance(connection, ClientConnection) else "bot"
    return sender, connection.close_code or CloseCode.ABNORMAL_CLOSURE, connection.close_reason or ""


def _passed_on(code: int | None) -> int:
    """Return the close code for the other side. Codes that stand for a missing code cannot be sent."""
    unsent = (None, CloseCode.NO_STATUS_RCVD, CloseCode.ABNORMAL_CLOSURE)
    return CloseCode.NORMAL_CLOSURE if code is None or code in unsent else code
