"""Rounds of tables as pages show them, from tournaments that bots have played."""

import re
from itertools import pairwise
from typing import Any

import httpx
import pytest
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.pages.table_rounds import TablesOfRound, finalists, table_rounds

from tests.server.arena.playing import at_random
from tests.server.web.memory_server import MemoryServer

NAMES = ("ann", "bob", "cey", "dan", "eve", "fay", "gus", "hal", "ida", "jon")
TABLES: dict[str, Any] = {"game": "snakes", "seats": 4, "settings": {"size": 7, "turns": 8}}


def played(server: MemoryServer, bots: int, **config: Any) -> Tournament:
    """Play a tournament of tables at random to its end."""
    tournament = server.world.create(start_at_bots=bots, **{**TABLES, **config})
    for bot, name in zip(server.world.logins(*NAMES[:bots], join=tournament.id), NAMES, strict=False):
        bot.play(at_random(name), lambda: 10)
    server.world.run()
    server.pass_ms()
    assert tournament.status == "finished"
    return tournament


def names_in(made: TablesOfRound) -> list[str]:
    return [name for table in made.meetings for name in table.seats]


def test_a_swiss_has_its_tables_with_places_and_byes(server: MemoryServer) -> None:
    tournament = played(server, 5, format="swiss", rounds=3)
    rounds = table_rounds(tournament)
    assert [each.title for each in rounds] == ["Round 1 of 3", "Round 2 of 3", "Round 3 of 3"]
    for each in rounds:
        assert sorted(names_in(each) + each.idle) == list(NAMES[:5])
        assert len(each.idle) == 1
        (table,) = each.meetings
        (play,) = table.plays
        assert tournament.results[play.match].seats == table.seats
        assert play.places.keys() == set(table.seats)
        assert (table.is_playing, table.went_on) == (False, frozenset())
    assert finalists(tournament) == 0


@pytest.mark.parametrize("bots", range(3, 11))
def test_a_knockout_tells_who_went_on_and_who_had_a_bye(server: MemoryServer, bots: int) -> None:
    tournament = played(server, bots, format="knockout")
    rounds = table_rounds(tournament)
    assert rounds[-1].title == "Final"
    assert rounds[-1].idle == []
    for before, after in pairwise(rounds):
        on = [name for table in before.meetings for name in table.went_on]
        assert sorted(on + before.idle) == sorted(names_in(after) + after.idle)
        assert all(0 < len(table.went_on) < len(table.seats) for table in before.meetings)
    (final,) = rounds[-1].meetings
    assert final.went_on == {tournament.standings.lines()[0].name}
    assert len(final.seats) == finalists(tournament)
    matches = [play.match for each in rounds for table in each.meetings for play in table.plays]
    assert sorted(matches) == sorted(tournament.results), "replays, too"


def test_before_their_results_tables_have_no_places(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=8, format="knockout", **TABLES)
    assert table_rounds(tournament) == []
    server.world.logins(*NAMES[:8], join=tournament.id)
    server.pass_ms()
    (first,) = table_rounds(tournament)
    assert not first.is_over
    for table in first.meetings:
        assert (table.is_playing, table.to_play, table.went_on) == (True, 1, frozenset())
        assert [play.places for play in table.plays] == [{}]


async def test_the_page_shows_tables_in_the_order_of_seats(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    for kind in ("swiss", "knockout"):
        tournament = played(server, 9, name=kind, format=kind)
        html = (await browser.get(f"/tournaments/{kind}/rounds")).text
        shown = re.findall(r'<div class="sides">(.*?)</div>', html)
        tables = [table for each in reversed(table_rounds(tournament)) for table in each.meetings]
        assert [re.findall(r'title="(\w+)"', each) for each in shown] == [list(table.seats) for table in tables]
        for table in tables:
            for play in table.plays:
                assert f'href="/matches/{play.match}"' in html
        page = (await browser.get(f"/tournaments/{kind}")).text
        assert all(each in page for each in shown)
        assert "bracket.js" in page or kind == "swiss"


async def test_a_live_table_is_told(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, _ = server.world.begun(*NAMES[:4], format="swiss", **TABLES)
    server.pass_ms()
    html = (await browser.get(f"/tournaments/{tournament.id}/rounds")).text
    assert f'<a class="leg now" href="/matches/{next(iter(tournament.running))}"><span>live' in html
