"""A Battlesnake as a bot.

After a late or wrong answer, the bridge plays the last direction again, as the game servers of Battlesnake do.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rumble_protocol import server_messages

from rumble_bots.bridges.battlesnake.objects import body_of, last_direction
from rumble_bots.bridges.battlesnake.webhooks import NoAnswer, Webhooks
from rumble_bots.bridges.program import margin_ms
from rumble_bots.sdk.bot import Bot, Noted, Turn

TIMEOUT_MS = 500
"""Maximum time in ms for a request and its answer, as on the game servers of Battlesnake.

If a match's clock allows less time, the maximum is lower.
"""
LONGEST_SHOUT = 256
"""Maximum number of characters of a shout, the remark that a Battlesnake sends with its move."""


@dataclass(slots=True)
class Played:
    """A match reported to the Battlesnake."""

    match: str
    attempt: int
    seat: int
    names: Sequence[str]
    view: Mapping[str, Any]
    """The newest view of the match."""
    latency_ms: int = 0
    """Duration of the Battlesnake's last answer in ms."""
    shout: str = ""
    moves: int = 0
    """Number of requests for a move."""
    repeated: int = 0
    """Number of moves that the bridge chose because the Battlesnake gave no valid answer."""

    def body(self, timeout_ms: int) -> dict[str, Any]:
        game_id = f"{self.match}-{self.attempt}"
        known = self.view, self.seat, self.names, game_id, timeout_ms
        return body_of(*known, latency_ms=self.latency_ms, shout=self.shout)


class BattlesnakeBot(Bot):
    """A bot whose moves come from a Battlesnake. Call `start` before use, and `close` at the end."""

    games = ("snakes",)

    def __init__(self, webhooks: Webhooks, say: Callable[[str], None] = lambda _: None) -> None:
        self._webhooks = webhooks
        self._say = say
        self._played: dict[str, Played] = {}
        self._ends = set[asyncio.Task[None]]()
        self._is_hurried = False
        """True after the owner was warned that a match's clock is too short for `TIMEOUT_MS`."""

    async def start(self) -> None:
        """Check that a Battlesnake answers. Raises BadProgram."""
        await self._webhooks.check()

    async def close(self) -> None:
        """Report the end of every open game to the Battlesnake, and close the connections."""
        self._end_all_but(())
        await asyncio.gather(*self._ends)
        await self._webhooks.close()

    async def choose(self, turn: Turn) -> str:
        """Return the Battlesnake's move; without a valid answer, return the snake's last direction.

        Before the first move of a match, the request `/start` is sent. This request may take at most half of the turn's
        time.
        """
        played = self._played.get(turn.match)
        if played is None or played.attempt != turn.attempt:
            played = await self._begin(turn)
        played.view = turn.state
        last = last_direction(turn.state, turn.seat)
        began, timeout_ms = turn.now(), min(TIMEOUT_MS, left_ms(turn))
        try:
            answer = await self._webhooks.move(played.body(timeout_ms), timeout_ms)
        except NoAnswer as problem:
            if not played.repeated:
                self._say(
                    f"{turn.match}: turn {turn.state['turn']}: the Battlesnake {problem}; the bridge sends {last}"
                )
            move, played.shout = Noted(last, note=f"{last} by the bridge: the Battlesnake {problem}"), ""
            played.repeated += 1
        else:
            played.shout = (answer.shout or "")[:LONGEST_SHOUT]
            move = Noted(answer.move, note=played.shout)
        played.latency_ms = min(timeout_ms, round((turn.now() - began) * 1000))
        played.moves += 1
        return move

    def session(self, message: server_messages.Session) -> None:
        """Report to the Battlesnake the end of each game that ended while the bot was away."""
        self._end_all_but(message.matches)

    def match_over(self, message: server_messages.MatchOver) -> None:
        played = self._played.get(message.match)
        if played is not None and played.attempt == message.attempt:
            played.view = message.state
            self._end(played)

    async def _begin(self, turn: Turn) -> Played:
        if turn.match in self._played:
            self._end(self._played[turn.match])
        names = (
            turn.start.seats if turn.start is not None else [f"Snake {n + 1}" for n in range(len(turn.state["snakes"]))]
        )
        played = self._played[turn.match] = Played(turn.match, turn.attempt, turn.seat, names, turn.state)
        if left_ms(turn) < TIMEOUT_MS and not self._is_hurried:
            self._is_hurried = True
            self._say(f"{turn.match}: the clock leaves the Battlesnake {left_ms(turn)} ms a turn, not {TIMEOUT_MS}")
        await self._report("start", played, min(TIMEOUT_MS, left_ms(turn) // 2))
        return played

    def _end_all_but(self, matches: Sequence[str]) -> None:
        for match_id in self._played.keys() - set(matches):
            self._end(self._played[match_id])

    def _end(self, played: Played) -> None:
        del self._played[played.match]
        if played.repeated:
            self._say(f"{played.match}: {played.repeated} of {played.moves} moves were the bridge's")
        task = asyncio.get_running_loop().create_task(self._report("end", played, TIMEOUT_MS))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    async def _report(self, name: Literal["start", "end"], played: Played, timeout_ms: int) -> None:
        """Report the start or end of a game to the Battlesnake. If this fails, tell the owner, and raise nothing."""
        try:
            await self._webhooks.event(name, played.body(timeout_ms), timeout_ms)
        except NoAnswer as problem:
            self._say(f"{played.match}: /{name}: the Battlesnake {problem}")


def left_ms(turn: Turn) -> int:
    """Return the time in ms for a request to the Battlesnake: the turn's time minus the margin (`margin_ms`)."""
    return turn.think_ms - margin_ms(turn.think_ms)
