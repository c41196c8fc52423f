"""A server with tournaments of every kind, so that every page has something to show."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.opponents import Opponents, WaitingBot
from tests.browser.paced_bots import Pace, PacedBots
from tests.browser.running_server import RunningServer, started_server

FEW = ("ann", "bob", "cid", "dot", "eve", "fay")
WAITING = ("gus", "hal", "ida")
THINKING = ("jay", "kim", "lou", "max", "ned", "oli")
RESTING = ("pat", "quin", "ron", "sue")
PAIRED = ("tia", "uma", "val", "wes", "xan", "yul", "zoe")
OUT = ("abe", "bea", "cam", "dee", "eli", "flo", "gil")
AGAINST_ALL = ("han", "ivo", "jen", "kai", "lea")
"""Bots that stay connected have unique names, because a second login would replace the first."""
OPPONENT = "parlour"
"""The name of a bot that takes challenges, and plays the first legal move."""
MANY = tuple(f"bot{number:02}" for number in range(1, 25))
HUNDRED = tuple(f"bot-{number:03}" for number in range(1, 101))
LONG_NAMES = ("a.name-of-thirty-two-characters_", "The_Longest_Name_That_A_Bot_Has_", "z")
MARKUP = "<b>Cup</b> of <img src=x onerror=alert(1)> & a name that goes on to the last one"
"""A tournament name of the greatest length, with markup in it."""
CLUB_TITLE = "Class 7b: the <i>robotics</i> club of the school in the old town, Thursdays"
SLOW = {"move_ms": 3_600_000}
"""A time control under which bots that hold their move do not lose on time."""


@dataclass(frozen=True, slots=True)
class SampleSite:
    """The server, and the values for the paths of `site_pages`: ids of tournaments and matches, names of bots."""

    server: RunningServer
    ids: dict[str, str]

    def path(self, pattern: str) -> str:
        """Fill the ids into a path such as `/tournaments/{lobby}`, which is one of the site's club."""
        return self.server.root + pattern.format(**self.ids)


class _Builder:
    """Creates the tournaments, one by one."""

    def __init__(self, server: RunningServer, paced_bots: PacedBots) -> None:
        self.server = server
        self.paced_bots = paced_bots

    async def join(self, tournament: str, names: tuple[str, ...], max_matches: int = 4) -> Pace:
        url = self.server.bot_url
        return await self.paced_bots.join(
            url, tournament, *names, max_matches=max_matches, client="rumble-python", version="1.0"
        )

    async def played(self, name: str, game: str, names: tuple[str, ...], **config: Any) -> str:
        """Create a tournament, play it to its end, and return its id."""
        tournament = self.server.create(name, game, **config)
        await self.join(tournament, names, max_matches=8)
        self.server.command(tournament, "start")
        await self.server.until(tournament, lambda told: told["status"] == "finished")
        return tournament

    async def begun(self, name: str, game: str, names: tuple[str, ...], **config: Any) -> str:
        """Create a tournament, play some matches, and stop its bots in the middle of the next."""
        tournament = self.server.create(name, game, **config)
        pace = await self.join(tournament, names, max_matches=1)
        self.server.command(tournament, "start")
        await self.server.until(tournament, lambda told: told["matches_over"] >= 3)
        pace.think_s = 0.03
        await self.server.until(tournament, _is_under_way)
        pace.hold()
        return tournament


def _between(matches: Any, names: set[str]) -> str:
    return next(str(match["match"]) for match in matches if set(match["seats"]) == names)


def _is_under_way(told: Any) -> bool:
    return bool(told["running"]) and all(board["ply"] >= 4 for board in told["running"])


@asynccontextmanager
async def serve_sample_site(folder: Path, *, large: bool = False, club: str = "") -> AsyncIterator[SampleSite]:
    """Run the server, with its files in `folder`, until the end of the block.

    A `large` one has the tournament `{hundred}`, too, which takes ten seconds to play. With `club` all is in a club of
    that name; without it, in main, beside a few clubs.
    """
    paced_bots = PacedBots()
    with started_server(folder) as main:
        server = main.club(club, title=CLUB_TITLE, listed=True) if club else main
        opponents, opponent = Opponents(server.url), WaitingBot()
        opponent.may_move.set()
        opponents.add(opponent, OPPONENT, max_matches=64)
        builder = _Builder(server, paced_bots)
        try:
            ids = await _build(builder)
            if not club:
                ids |= await _build_clubs(main, paced_bots)
            if large:
                ids["hundred"] = await builder.played("A hundred bots", "tictactoe", HUNDRED, legs=1)
            yield SampleSite(server, ids)
        finally:
            await opponents.end()
            await paced_bots.end()


async def _build_clubs(main: RunningServer, paced_bots: PacedBots) -> dict[str, str]:
    main.club("robotics", listed=True, house=True)
    main.club("staff-room", title="Not for everyone", quotas={"bots": None})
    club = main.club("class-7b", title=CLUB_TITLE, listed=True, quotas={"bots": 40, "bytes": 50_000_000})
    builder = _Builder(club, paced_bots)
    return {"club": club.root, "club_running": await builder.begun("Thursday", "connect4", FEW, time_control=SLOW)}


async def _build(builder: _Builder) -> dict[str, str]:
    server = builder.server
    empty = server.create("Tomorrow", "chess", start_at_bots=8)
    lobby = server.create("Friday night", "connect4", start_at_bots=8, cycles=2)
    await builder.join(lobby, WAITING)
    running = await builder.begun("Connect four league", "connect4", THINKING, cycles=2, time_control=SLOW)
    paused = await builder.begun("Hex, after lunch", "hex", RESTING, cycles=4, time_control=SLOW)
    server.command(paused, "pause", reason="lunch")
    finished = await builder.played(MARKUP, "tictactoe", LONG_NAMES, cycles=2)
    swiss = await builder.played("Swiss open", "tictactoe", FEW, format="swiss", rounds=4)
    knockout = await builder.played("Knockout", "connect4", FEW, format="knockout")
    gauntlet = await builder.played("Gauntlet", "othello", FEW, format="gauntlet", challengers=2, legs=2)
    double = await builder.played("Double round-robin", "breakthrough", FEW[:4], cycles=2)
    slow = {"time_control": SLOW}
    swiss_running = await builder.begun("Swiss, third table", "connect4", PAIRED, format="swiss", rounds=5, **slow)
    knockout_running = await builder.begun("Cup night", "connect4", OUT, format="knockout", **slow)
    gauntlet_running = await builder.begun("All comers", "othello", AGAINST_ALL, format="gauntlet", **slow)
    big = await builder.played("The big one", "tictactoe", MANY, legs=1)
    cancelled = server.create("Called off", "othello")
    server.command(cancelled, "cancel")
    return {
        "empty": empty,
        "lobby": lobby,
        "running": running,
        "paused": paused,
        "finished": finished,
        "swiss": swiss,
        "knockout": knockout,
        "gauntlet": gauntlet,
        "double": double,
        "swiss_running": swiss_running,
        "knockout_running": knockout_running,
        "gauntlet_running": gauntlet_running,
        "big": big,
        "cancelled": cancelled,
        "running_match": server.tournament(running)["running"][0]["match"],
        "finished_match": server.tournament(knockout)["latest"][0]["match"],
        "othello_match": server.tournament(gauntlet_running)["running"][0]["match"],
        "long_match": _between(server.tournament(finished)["latest"], set(LONG_NAMES[:2])),
        "bot": FEW[0],
        "opponent": OPPONENT,
    }
