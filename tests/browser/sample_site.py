"""A club with tournaments of every kind, so that every page has content."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.opponents import Opponents, WaitingBot
from tests.browser.paced_bots import SLOW, Pace, PacedBots
from tests.browser.running_server import RunningServer, started_server
from tests.browser.site_pages import SitePage

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
OF_MAIN = ("in-main", "in-main-too")
CLUB = "class-7b"
CLUB_TITLE = "Class 7b: the <i>robotics</i> club of the school in the old town, Thursdays"
ONE_MOVE: dict[str, Any] = {"openings": [[*"01234576"]]}
"""Openings of tic-tac-toe with a single move left, which wins; so hundreds of matches take seconds."""
TABLES: dict[str, Any] = {"seats": 4, "settings": {"size": 7, "turns": 8}}


@dataclass(frozen=True, slots=True)
class SampleSite:
    """The server, and the values for the paths of `site_pages`: ids of tournaments and matches, names of bots."""

    server: RunningServer
    ids: dict[str, str]

    def path(self, pattern: str) -> str:
        """Fill the ids into a path of the site's club, such as `/tournaments/{lobby}`."""
        return self.server.root + pattern.format(**self.ids)

    def path_of(self, site_page: SitePage) -> str:
        """Return the path of a page."""
        return site_page.path.format(**self.ids) if site_page.of_main else self.path(site_page.path)


class _Builder:
    """Creates the tournaments of the site, and keeps their ids."""

    def __init__(self, server: RunningServer, paced_bots: PacedBots) -> None:
        self.server = server
        self.paced_bots = paced_bots
        self.ids: dict[str, str] = {}
        """The ids of the tournaments by their keys in paths of `site_pages`."""

    def create(self, key: str, name: str, game: str, **config: Any) -> str:
        self.ids[key] = self.server.create(name, game, **config)
        return self.ids[key]

    async def join(self, tournament: str, names: tuple[str, ...], max_matches: int = 4) -> Pace:
        url = self.server.bot_url
        return await self.paced_bots.join(
            url, tournament, *names, max_matches=max_matches, client="rumble-python", version="1.0"
        )

    async def played(self, key: str, name: str, game: str, names: tuple[str, ...], **config: Any) -> None:
        """Create a tournament, and play it to its end."""
        tournament = self.create(key, name, game, **config)
        await self.join(tournament, names, max_matches=8)
        self.server.command(tournament, "start")
        await self.server.until(tournament, lambda view: view["status"] == "finished")

    async def begun(self, key: str, name: str, game: str, names: tuple[str, ...], **config: Any) -> None:
        """Create a tournament, play some matches, and stop its bots in the middle of the next."""
        tournament = self.create(key, name, game, time_control=SLOW, **config)
        pace = await self.join(tournament, names, max_matches=1)
        pace.stop_at(4, after_matches=3)
        self.server.command(tournament, "start")
        await self.server.until(tournament, _is_under_way)


def _between(matches: Any, names: set[str]) -> str:
    return next(str(match["match"]) for match in matches if set(match["seats"]) == names)


def _is_under_way(view: Any) -> bool:
    boards = view["running"]
    return view["matches_over"] >= 3 and bool(boards) and all(board["ply"] >= 4 for board in boards)


@asynccontextmanager
async def serve_sample_site(folder: Path, *, large: bool) -> AsyncIterator[SampleSite]:
    """Run a server with a sample site, with its files in `folder`, until the end of the block."""
    with started_server(folder) as main:
        async with sample_site_on(main, variants=True, large=large) as sample_site:
            yield sample_site


@asynccontextmanager
async def sample_site_on(main: RunningServer, *, variants: bool, large: bool = False) -> AsyncIterator[SampleSite]:
    """Make the club and further clubs on a server; the bots stay until the end of the block.

    With `variants` it has the tournaments for pages that are variants, too; a `large` site has `{hundred}`.
    """
    main.club("robotics", listed=True, house=True)
    main.club("staff-room", title="Not for everyone", quotas={"bots": None})
    club = main.club(CLUB, title=CLUB_TITLE, listed=True, quotas={"bots": 400, "bytes": 50_000_000})
    opponents, opponent, paced_bots = Opponents(club.url), WaitingBot(), PacedBots()
    opponent.may_move.set()
    opponents.add(opponent, OPPONENT, max_matches=64)
    builder = _Builder(club, paced_bots)
    try:
        await _build(builder)
        if variants:
            of_main = _Builder(main, paced_bots)
            await of_main.begun("main_running", "Thursday", "connect4", OF_MAIN, cycles=9)
            await _build_variants(builder)
            builder.ids |= of_main.ids
        if large:
            await builder.played("hundred", "A hundred bots", "tictactoe", HUNDRED, legs=1, **ONE_MOVE)
        yield SampleSite(club, builder.ids)
    finally:
        await opponents.end()
        await paced_bots.end()


async def _build(builder: _Builder) -> None:
    server, ids = builder.server, builder.ids
    lobby = builder.create("lobby", "Friday night", "connect4", start_at_bots=8, cycles=2)

    async def one_after_another() -> None:
        """Play the tournaments that share bots."""
        await builder.played("swiss", "Swiss open", "tictactoe", FEW, format="swiss", rounds=4)
        await builder.played("knockout", "Knockout", "connect4", FEW, format="knockout")
        await builder.played("tables", "Tables", "snakes", FEW, format="swiss", rounds=2, **TABLES)

    await asyncio.gather(
        builder.begun("running", "Connect four league", "connect4", THINKING, cycles=2),
        builder.played("finished", MARKUP, "tictactoe", LONG_NAMES, cycles=2),
        builder.played("big", "The big one", "tictactoe", MANY, legs=1, **ONE_MOVE),
        one_after_another(),
        builder.join(lobby, WAITING),
    )
    ids["tables_match"] = server.tournament(ids["tables"])["latest"][0]["match"]
    ids["running_match"] = server.tournament(ids["running"])["running"][0]["match"]
    ids["finished_match"] = server.tournament(ids["knockout"])["latest"][0]["match"]
    ids["long_match"] = _between(server.tournament(ids["finished"])["latest"], set(LONG_NAMES[:2]))
    ids["bot"] = FEW[0]
    ids["opponent"] = OPPONENT


async def _build_variants(builder: _Builder) -> None:
    server, ids = builder.server, builder.ids
    builder.create("empty", "Tomorrow", "chess", start_at_bots=8)
    server.command(builder.create("cancelled", "Called off", "othello"), "cancel")
    await builder.played("gauntlet", "Gauntlet", "tictactoe", FEW, format="gauntlet", challengers=2, legs=2)
    await builder.played("double", "Double round-robin", "tictactoe", FEW[:4], cycles=2)
    await builder.played("tables_knockout", "Tables of a knockout", "snakes", FEW, format="knockout", **TABLES)
    await builder.begun("paused", "Hex, after lunch", "hex", RESTING, cycles=4)
    await builder.begun("swiss_running", "Swiss, third table", "connect4", PAIRED, format="swiss", rounds=5)
    await builder.begun("knockout_running", "Cup night", "connect4", OUT, format="knockout")
    await builder.begun("gauntlet_running", "All comers", "othello", AGAINST_ALL, format="gauntlet")
    server.command(ids["paused"], "pause", reason="lunch")
    ids["othello_match"] = server.tournament(ids["gauntlet_running"])["running"][0]["match"]
