"""A proxy between a bot and the server. Every frame is shown, and passed on unchanged."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rumble_bots.check.listener import Listener
from rumble_bots.sdk.address import Address
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from rumble_server.cli.output.screen import Screen
from rumble_server.cli.output.trace import Sender

LOOPBACK, BOT_PATH = "127.0.0.1", "/bot"
PING_S = 5.0
"""Time in s between two pings from the proxy to the bot. The proxy does not pass on the server's pings.

A bot may close a connection on which nothing arrives for long.
"""

Socket = ClientConnection | ServerConnection


@asynccontextmanager
async def proxying(ws_url: str, screen: Screen) -> AsyncIterator[Address]:
    """Run a proxy for the server at `ws_url` on a free port of loopback, and yield the proxy's address."""

    async def carry(bot: ServerConnection) -> None:
        screen.show(*screen.trace.opened())
        offered = [] if bot.request is None else bot.request.headers.get_all("Sec-WebSocket-Protocol")
        names = [Subprotocol(name.strip()) for line in offered for name in line.split(",")]
        async with connect(
            ws_url, subprotocols=names or None, compression=None, proxy=None, ping_interval=None, max_size=None
        ) as server:
            pumps = [
                asyncio.create_task(_pump(bot, server, "bot", screen)),
                asyncio.create_task(_pump(server, bot, "server", screen)),
            ]
            try:
                done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                for pump in done:
                    pump.result()
                ended, other = (bot, server) if bot.close_code is not None else (server, bot)
                screen.show(*screen.trace.closed(*_how_it_ended(ended)))
                await other.close(_close_code_to_send(ended.close_code), ended.close_reason or "")
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)

    listener = Listener(LOOPBACK, 0, BOT_PATH, carry, screen.turned_away, PING_S)
    await listener.up()
    try:
        yield Address(LOOPBACK, listener.port)
    finally:
        await listener.down()


async def _pump(source: Socket, sink: Socket, sender: Sender, screen: Screen) -> None:
    """Pass on all frames from `source` to `sink`, until either connection ends."""
    try:
        while True:
            frame = await source.recv()
            await screen.frame(sender, frame)
            await sink.send(frame)
    except ConnectionClosed:
        return


def _how_it_ended(connection: Socket) -> tuple[Sender, int, str]:
    """Return the side that ended a connection of the proxy, the close code and the reason.

    If the bot broke the WebSocket protocol, the proxy itself closed the connection. The returned side is then
    `"server"`.
    """
    refused = connection.protocol.close_rcvd_then_sent is False
    sender: Sender = "server" if refused or isinstance(connection, ClientConnection) else "bot"
    return sender, connection.close_code or CloseCode.ABNORMAL_CLOSURE, connection.close_reason or ""


def _close_code_to_send(code: int | None) -> int:
    """Return the close code for the connection that is still open: `code`, or 1000 if `code` stands for no close code.

    None and the codes 1005 and 1006 stand for an end without a close code, and cannot be sent.
    """
    unsent = (None, CloseCode.NO_STATUS_RCVD, CloseCode.ABNORMAL_CLOSURE)
    return CloseCode.NORMAL_CLOSURE if code is None or code in unsent else code
