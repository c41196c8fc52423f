"""Events of the bot's connections and program. They are put into a queue in the order in which they happened."""

import asyncio
from dataclasses import dataclass

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from rumble_bots.check.link import Link
from rumble_bots.check.record import Record

ABNORMAL = 1006


@dataclass(frozen=True, slots=True)
class Connected:
    """The event that a bot has opened a WebSocket."""

    link: Link


@dataclass(frozen=True, slots=True)
class Said:
    """The event that a frame has come.

    `frame` is bytes for a binary frame, and otherwise text. `at` is the time of the event in s of the loop's clock.
    """

    link: Link
    frame: str | bytes
    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The event that a connection has ended. `code` is the close code: 1006 if there was no closing handshake."""

    link: Link
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """The event that the server refused a request that cannot be a bot's connection.

    `why` is the reason.
    """

    why: str


@dataclass(slots=True)
class Exited:
    """The event that the bot's program has ended.

    `code` is the exit code, negative if a signal ended the program. `said` is the last part of the program's output.
    """

    code: int
    said: str
    stale: bool = False
    """True if `Child.stop` was called after the program's end, and before this event was read from the queue."""

    @property
    def how(self) -> str:
        ended = f"was ended by signal {-self.code}" if self.code < 0 else f"ended with exit code {self.code}"
        return f"{ended}; it said last: {self.said}" if self.said else ended


Event = Connected | Said | Ended | TurnedAway | Exited


async def put_events(socket: ServerConnection, inbox: "asyncio.Queue[Event]", record: Record) -> None:
    """Put the events of a connection into the inbox until the connection ends."""
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
