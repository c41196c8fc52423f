"""A server with tournaments of every kind, for whoever wants to look at all pages."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.guests import Guests, Pace
from tests.browser.stage import Stage, staged

FEW = ("ann", "bob", "cid", "dot", "eve", "fay")
WAITING = ("gus", "hal", "ida")
THINKING = ("jay", "kim", "lou", "max", "ned", "oli")
RESTING = ("pat", "quin", "ron", "sue")
"""Bots that stay connected have names of their own: a second login would take the name from the first."""
MANY = tuple(f"bot{number:02}" for number in range(1, 25))
LONG_NAMES = ("a.name-of-thirty-two-characters_", "The_Longest_Name_That_A_Bot_Has_", "z")
MARKUP = "<b>Cup</b> of <img src=x onerror=alert(1)> & a name that goes on to the last one"
"""As long as a name may be."""
LOOKS = 1000
SLOW = {"move_ms": 3_600_000}
"""Who thinks in front of the camera never loses on time."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """The server, and what the paths of `places` are made of: ids of tournaments and matches, names of bots."""

    stage: Stage
    ids: dict[str, str]

    def path(self, pattern: str) -> str:
        """The path of a page: `/tournaments/{lobby}` with the id filled in."""
        return pattern.format(**self.ids)


class _Painter:
    """Makes the tournaments, one by one."""

    def __init__(self, stage: Stage, guests: Guests) -> None:
        self.stage = stage
        self.guests = guests

    async def join(self, tournament: str, names: tuple[str, ...], max_matches: int = 4) -> Pace:
        url = self.stage.bot_url
        return await self.guests.join(
            url, tournament, *names, max_matches=max_matches, client="rumble-python", version="1.0"
        )

    async def played(self, name: str, game: str, names: tuple[str, ...], **config: Any) -> str:
        """A tournament that was played to its end."""
        tournament = self.stage.create(name, game, **config)
        await self.join(tournament, names, max_matches=8)
        self.stage.command(tournament, "start")
        await self.until(tournament, lambda told: told["status"] == "finished")
        return tournament

    async def begun(self, name: str, game: str, names: tuple[str, ...], **config: Any) -> str:
        """A tournament in which something was played, and whose bots think now."""
        tournament = self.stage.create(name, game, **config)
        pace = await self.join(tournament, names, max_matches=1)
        self.stage.command(tournament, "start")
        await self.until(tournament, lambda told: told["matches_over"] >= 3)
        pace.think_s = 0.03
        await self.until(tournament, _is_under_way)
        pace.hold()
        return tournament

    async def until(self, tournament: str, come: Callable[[Any], bool]) -> None:
        """Wait until the tournament is as it should be."""
        for _ in range(LOOKS):
            if come(self.stage.tournament(tournament)):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"it did not come so far: {self.stage.tournament(tournament)}")


def _is_under_way(told: Any) -> bool:
    return bool(told["running"]) and all(board["ply"] >= 4 for board in told["running"])


@asynccontextmanager
async def scenery(folder: Path) -> AsyncIterator[Scenery]:
    """A server with files in `folder` and tournaments in every state, until the end of the block."""
    guests = Guests()
    with staged(folder) as stage:
        try:
            yield Scenery(stage, await _paint(_Painter(stage, guests)))
        finally:
            await guests.end()


async def _paint(painter: _Painter) -> dict[str, str]:
    stage = painter.stage
    empty = stage.create("Tomorrow", "chess", start_at_bots=8)
    lobby = stage.create("Friday night", "connect4", start_at_bots=8, cycles=2)
    await painter.join(lobby, WAITING)
    running = await painter.begun("Connect four league", "connect4", THINKING, cycles=2, time_control=SLOW)
    paused = await painter.begun("Hex, after lunch", "hex", RESTING, cycles=4, time_control=SLOW)
    stage.command(paused, "pause", reason="lunch")
    finished = await painter.played(MARKUP, "tictactoe", LONG_NAMES, cycles=2)
    swiss = await painter.played("Swiss open", "tictactoe", FEW, format="swiss", rounds=4)
    knockout = await painter.played("Knockout", "connect4", FEW, format="knockout")
    big = await painter.played("The big one", "tictactoe", MANY, legs=1)
    cancelled = stage.create("Called off", "othello")
    stage.command(cancelled, "cancel")
    return {
        "empty": empty,
        "lobby": lobby,
        "running": running,
        "paused": paused,
        "finished": finished,
        "swiss": swiss,
        "knockout": knockout,
        "big": big,
        "cancelled": cancelled,
        "running_match": stage.tournament(running)["running"][0]["match"],
        "finished_match": stage.tournament(knockout)["latest"][0]["match"],
        "bot": FEW[0],
    }
