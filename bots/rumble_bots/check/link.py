"""A WebSocket connection of a bot, on the side of the scripted server."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from rumble_bots.check.record import Record

PING_S = 0.2
"""Time in s between two pings."""


@dataclass(slots=True)
class Ping:
    """A ping on a connection. `sent_at` is in s of the loop's clock."""

    sent_at: float
    answered: bool = False


class Link:
    """A bot's connection. Frames sent after the connection's end are lost. The event `Ended` reports the end."""

    def __init__(self, socket: ServerConnection, record: Record) -> None:
        self._socket = socket
        self._record = record
        self.pings: list[Ping] = []
        self.opened_at = record.now()
        self.extras = 0
        """Number of frames from the bot that did not answer a turn."""
        self.gone = False
        """True if further frames from this connection are ignored."""

    @property
    def speaks_ours(self) -> bool:
        """True if the bot offered the sub-protocol of Rumble, or offered no sub-protocol."""
        offered = self._socket.request.headers.get_all("Sec-WebSocket-Protocol") if self._socket.request else []
        return not offered or self._socket.subprotocol == SUBPROTOCOL

    async def send(self, frame: bytes) -> None:
        text = frame.decode()
        self._record.add("kit", text)
        with suppress(ConnectionClosed):
            await self._socket.send(text)

    async def close(self, code: int, reason: str) -> None:
        """Close the connection with a closing handshake."""
        self._record.add("note", f"the kit closes the connection: {code} {reason}")
        await self._socket.close(code, reason)

    def abort(self) -> None:
        """End the connection without a closing handshake."""
        self._record.add("note", "the kit breaks the connection")
        self._socket.transport.abort()

    async def keep_pinging(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(PING_S)
                ping = Ping(self._record.now())
                self.pings.append(ping)
                pong = asyncio.ensure_future(await self._socket.ping())
                pong.add_done_callback(partial(_note_pong, ping))


def _note_pong(ping: Ping, done: "asyncio.Future[float]") -> None:
    ping.answered = not done.cancelled() and done.exception() is None
