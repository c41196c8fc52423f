"""Events that happen outside the kit. A queue has the events in the order in which they happened."""

import asyncio
from dataclasses import dataclass

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from rumble_bots.check.link import Link
from rumble_bots.check.record import Record

ABNORMAL = 1006


@dataclass(frozen=True, slots=True)
class Connected:
    """A bot opened a WebSocket."""

    link: Link


@dataclass(frozen=True, slots=True)
class Said:
    """A frame came: text, or bytes for a binary frame. `at` is in seconds of the loop's clock."""

    link: Link
    frame: str | bytes
    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A connection is over; the code is 1006 without a closing handshake."""

    link: Link
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """A request could not become a connection of a bot; `why` is the reason."""

    why: str


@dataclass(slots=True)
class Exited:
    """The bot's program ended. `code` is negative after a signal; `said` is the end of its output."""

    code: int
    said: str
    stale: bool = False
    """True if the kit stopped the program before this event was read from the queue."""

    @property
    def how(self) -> str:
        ended = f"was ended by signal {-self.code}" if self.code < 0 else f"ended with exit code {self.code}"
        return f"{ended}; it said last: {self.said}" if self.said else ended


Event = Connected | Said | Ended | TurnedAway | Exited


async def put_events(socket: ServerConnection, inbox: "asyncio.Queue[Event]", record: Record) -> None:
    """Put all events of a connection into the inbox, until the connection's end."""
    link = Link(socket, record)
    inbox.put_nowait(Connected(link))
    pinging = asyncio.create_task(link.keep_pinging())
    code, reason = ABNORMAL, ""
    try:
        async for frame in socket:
            inbox.put_nowait(Said(link, frame, record.now()))
        code, reason = socket.close_code or ABNORMAL, socket.close_reason or ""
    except ConnectionClosed as closed:
        close = closed.rcvd or closed.sent  # the close frame of the bot, or else of our library
        if close is not None:
            code, reason = close.code, close.reason
    finally:
        pinging.cancel()
    inbox.put_nowait(Ended(link, code, reason))
