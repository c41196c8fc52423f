"""Bots with a fault, as real programs, for tests of servers and tournaments: `rumble bot faulty --fault NAME`.

The bots use the `websockets` library directly, because a bot that uses the SDK cannot break the rules of the protocol.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import orjson
from rumble_protocol import SUBPROTOCOL
from rumble_protocol.codes import DO_NOT_RECONNECT
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.errors import BadServer, Closed, Refused

PAUSE_S = 0.1
"""Pause in s before the bot connects again."""
PATIENCE_S = 60.0
"""Maximum time in s for which the bot waits for the next frame of the server. Then the bot stops."""
HUGE_BYTES = 70_000
FLOOD_FRAMES = 400
GARBAGE = ("", "not json", "[1, 2", '{"type": "mvoe"}', '{"type": "move", "match": 7}', "\u0000", "{}", "[]", "7")
CRASH_AT_TURN = 3
REFUSED = ("bad_key", "bad_name", "invite_required", "key_required", "tournament_closed", "unknown_tournament")
"""Codes of errors after which the bot stops, because it cannot enter the tournament."""
NOW_AND_THEN = 4
"""Number of turns from one faulty frame to the next, for faults that happen now and then.

If faulty frames came more often, the server would close the connection.
"""
Frame = dict[str, Any]
AtATurn = Callable[["FaultyBot", Frame], Awaitable[None]]


@dataclass(slots=True)
class FaultyBot:
    """A bot that plays random moves, apart from its fault."""

    server: Address
    name: str
    join: str
    fault: str
    key: str | None = None
    invite: str | None = None
    random: Random = field(default_factory=Random)
    turns: int = 0
    last_answer: Frame | None = None
    match_ids: set[str] = field(default_factory=set)
    _socket: ClientConnection | None = None

    async def run(self) -> str:
        """Play until the tournament is over, or the fault ends the bot. Return a sentence about the bot's end.

        Raises Refused if the server refuses the login, and Closed if the server closes the connection for good. Raises
        BadServer if no frame comes for `PATIENCE_S`.
        """
        clock = asyncio.get_running_loop().time
        last_frame_at = clock()
        while clock() - last_frame_at < PATIENCE_S:
            try:
                async with connect(
                    self.server.ws_url,
                    subprotocols=[Subprotocol(SUBPROTOCOL)],
                    compression=None,
                    ping_interval=None,
                    proxy=None if self.server.loopback else True,
                ) as self._socket:
                    while True:
                        frame: Frame = orjson.loads(await self._socket.recv())
                        last_frame_at = clock()
                        end = await self._on(frame)
                        if end is not None:
                            return end
            except ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code in DO_NOT_RECONNECT:
                    raise Closed(closed.rcvd.code, closed.rcvd.reason) from None
            except (OSError, EOFError, ValueError, WebSocketException):  # a ValueError for a wrong proxy
                pass
            await asyncio.sleep(PAUSE_S)
        raise BadServer(f"{self.server.http_base} has not answered for {PATIENCE_S:g} s")

    async def _on(self, frame: Frame) -> str | None:
        match frame["type"]:
            case "welcome":
                given = {"key": self.key, "invite": self.invite}
                login = {"type": "login", "name": self.name, "join": self.join}
                await self.say(login | {field: value for field, value in given.items() if value})
            case "joined" if self.fault == "absent":
                return "joined and left"
            case "joined" if self.fault == "slow-reader":
                await self._ask_without_reading()
            case "match_start":
                self.match_ids.add(frame["match"])
            case "turn":
                self.turns += 1
                await FAULTS[self.fault](self, frame)
            case "tournament_over":
                return f"{frame['status']}: rank {frame['rank']} of {frame['bots']}"
            case "error" if frame["code"] in REFUSED:
                raise Refused(frame["code"], frame["message"])
            case _:
                pass
        return None

    async def _ask_without_reading(self) -> None:
        """Send requests without reading the answers. The library then stops reading the socket."""
        while True:
            await self.say({"type": "join", "tournament": self.join})
            await asyncio.sleep(0.6)

    async def say(self, message: Frame) -> None:
        await self.say_text(orjson.dumps(message).decode())

    async def say_text(self, text: str) -> None:
        if self._socket is not None:
            await self._socket.send(text)

    async def drop(self) -> None:
        """End the connection without a closing handshake."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def answer(self, turn: Frame) -> None:
        await self.move(turn, self.random.choice(turn["legal"]))

    async def move(self, turn: Frame, move: str) -> None:
        self.last_answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": move}
        await self.say(self.last_answer)


# --- the faults at a turn ---


async def _nothing(bot: FaultyBot, turn: Frame) -> None:
    pass


async def _too_late(bot: FaultyBot, turn: Frame) -> None:
    await asyncio.sleep(turn["clock"]["remaining_ms"] / 1000 + 0.3)
    await bot.answer(turn)


async def _illegal(bot: FaultyBot, turn: Frame) -> None:
    await bot.move(turn, turn["moves"][0] if turn["moves"] else "nowhere")


async def _garbage(bot: FaultyBot, turn: Frame) -> None:
    if bot.turns % NOW_AND_THEN == 0:
        await bot.say_text(bot.random.choice(GARBAGE))
    await bot.answer(turn)


async def _drop(bot: FaultyBot, turn: Frame) -> None:
    if bot.turns % 2:
        await bot.drop()
    else:
        await bot.answer(turn)


async def _flood(bot: FaultyBot, turn: Frame) -> None:
    for number in range(FLOOD_FRAMES):
        await bot.say({"type": "join", "tournament": f"none-{number}"})


async def _crash(bot: FaultyBot, turn: Frame) -> None:
    if bot.turns == CRASH_AT_TURN:
        await bot.drop()
        sys.exit(1)
    await bot.answer(turn)


async def _stale(bot: FaultyBot, turn: Frame) -> None:
    if bot.last_answer is not None and bot.turns % NOW_AND_THEN == 0:
        await bot.say({**bot.last_answer, "move": turn["legal"][0]})
    await bot.answer(turn)


async def _duplicate(bot: FaultyBot, turn: Frame) -> None:
    await bot.answer(turn)
    if bot.last_answer is not None and bot.turns % NOW_AND_THEN == 0:
        await bot.say(bot.last_answer)


async def _wrong_match(bot: FaultyBot, turn: Frame) -> None:
    if bot.turns % NOW_AND_THEN == 0:
        match_id = bot.random.choice([*sorted(bot.match_ids - {turn["match"]}), "no.such.match"])
        await bot.say({"type": "move", "match": match_id, "turn_id": turn["turn_id"], "move": turn["legal"][0]})
    await bot.answer(turn)


async def _huge(bot: FaultyBot, turn: Frame) -> None:
    await bot.say_text(" " * HUGE_BYTES)
    await bot.answer(turn)


FAULTS: dict[str, AtATurn] = {
    "timeout": _too_late,  # answers every turn after its clock has run out
    "illegal": _illegal,  # plays moves that are not allowed
    "garbage": _garbage,  # now and then sends a frame that is not a message
    "drop": _drop,  # drops its connection at every other turn, and comes back
    "flood": _flood,  # sends hundreds of messages that answer nothing
    "slow-reader": _nothing,  # keeps sending requests, and never reads the answers
    "crash": _crash,  # exits without a message at its turn number `CRASH_AT_TURN`
    "stale": _stale,  # now and then answers an old turn before the right one
    "duplicate": _duplicate,  # now and then sends an answer twice
    "wrong-match": _wrong_match,  # now and then sends its answer to another match first
    "huge": _huge,  # at every turn sends a frame larger than the server allows
    "silent": _nothing,  # logs in and sends nothing more
    "absent": _nothing,  # joins, goes away and never comes back
}
"""The faults by name. Each fault is a function that is called at each turn."""


def run_faulty(
    server: str, *, fault: str, name: str, join: str, key: str | None = None, invite: str | None = None
) -> str:
    """Run a bot with one of `FAULTS`, and return a sentence about the bot's end. Raises SdkError."""
    return asyncio.run(FaultyBot(Address.parse(server), name, join, fault, key, invite).run())
