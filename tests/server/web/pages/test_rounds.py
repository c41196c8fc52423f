"""Rounds and brackets as pages show them, from tournaments that bots have played."""

import re
from itertools import pairwise

import httpx
import pytest
from rumble_server.web.pages.rounds import knockout_result, pairing_text, rounds_of

from tests.server.web.memory_server import MemoryServer

NAMES = ("ann", "bob", "cey", "dan", "eve")


def test_a_swiss_has_its_rounds_with_scores_and_byes(server: MemoryServer) -> None:
    tournament = server.played(*NAMES, format="swiss")
    rounds = rounds_of(tournament)
    assert [each.title for each in rounds] == ["Round 1 of 3", "Round 2 of 3", "Round 3 of 3"]
    for each in rounds:
        names = [name for meeting in each.meetings for name in meeting.seats] + each.idle
        assert sorted(names) == list(NAMES)
        assert len(each.idle) == 1
        assert all(meeting.played == 2 and sum(meeting.points) == 2 for meeting in each.meetings)


async def test_byes_have_a_column_of_their_own(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    swiss = server.played(*NAMES, format="swiss", points=[3, 1, 0])
    lines = {line.name: line for line in swiss.standings.lines()}
    assert all(line.points == 3 * (line.wins + line.byes) + line.draws for line in lines.values())
    html = (await browser.get("/tournaments/friday")).text
    shown = dict(re.findall(r'<tr data-name="(\w+)">.*?<td class="number byes">(\d*)</td>', html, re.DOTALL))
    assert shown == {name: str(line.byes or "") for name, line in lines.items()}
    assert " byeless" not in html
    rounds = re.findall(r"<li><details (\w*)><summary><h3>(.*?)</h3>", html)
    assert rounds == [("open", "Round 3 of 3"), ("", "Round 2 of 3"), ("", "Round 1 of 3")], "the newest is open"
    (bye, *_) = (name for name, line in lines.items() if line.byes)
    assert '<td class="number">2</td>' in (await browser.get(f"/bots/{bye}")).text
    server.played(*NAMES[:2], name="Other")
    assert " byeless" in (await browser.get("/tournaments/other")).text


def test_a_knockout_has_a_place_for_every_meeting_from_the_start(server: MemoryServer) -> None:
    tournament, _ = server.world.begun(*NAMES, format="knockout")
    server.pass_ms()
    first, semi, final = rounds_of(tournament)
    assert [each.title for each in (first, semi, final)] == ["Quarter-finals", "Semi-finals", "Final"]
    assert [len(each.meetings) for each in (first, semi, final)] == [4, 2, 1]
    byes = [meeting for meeting in first.meetings if meeting.is_bye]
    assert len(byes) == 3
    assert all(meeting.winner == meeting.seats[0] for meeting in byes)
    assert final.meetings[0].seats == ("", "")
    (played,) = [meeting for meeting in first.meetings if not meeting.is_bye]
    assert (played.is_playing, played.winner) == (True, "")


def test_a_bracket_that_is_over_tells_who_went_on_and_who_won(server: MemoryServer) -> None:
    tournament = server.played(*NAMES, format="knockout")
    rounds = rounds_of(tournament)
    for before, after in pairwise(rounds):
        went_on = [meeting.winner for meeting in before.meetings]
        assert "" not in went_on
        assert sorted(went_on) == sorted(name for meeting in after.meetings for name in meeting.seats)
        pairs = zip(went_on[::2], went_on[1::2], strict=True)
        assert [meeting.seats for meeting in after.meetings] == list(pairs)
    champion = next(line.name for line in tournament.standings.lines() if line.rank == 1)
    assert rounds[-1].meetings[0].winner == champion


def test_a_tie_that_the_seeds_decide_is_told(server: MemoryServer) -> None:
    # Bots that play the first legal move always win from the same seat, so every pairing is tied.
    tournament = server.played("ann", "bob", format="knockout", replays=0)
    ((meeting,),) = [each.meetings for each in rounds_of(tournament)]
    assert meeting.points == [1, 1]
    assert meeting.is_by_seed
    assert meeting.winner == tournament.standings.lines()[0].name


@pytest.mark.parametrize("format_", ["round-robin", "gauntlet"])
async def test_other_formats_have_no_rounds(server: MemoryServer, browser: httpx.AsyncClient, format_: str) -> None:
    tournament = server.played("ann", "bob", "cey", format=format_)
    assert rounds_of(tournament) == []
    answer = await browser.get("/tournaments/friday/rounds")
    assert answer.status_code == 404
    assert "this tournament is not shown in rounds" in answer.text


@pytest.mark.parametrize("format_", ["swiss", "knockout"])
async def test_the_page_has_the_part_that_scripts_fetch(
    server: MemoryServer, browser: httpx.AsyncClient, format_: str
) -> None:
    server.played(*NAMES, format=format_)
    page = (await browser.get("/tournaments/friday")).text
    part = (await browser.get("/tournaments/friday/rounds")).text
    start = '<div class="row spread">\n<h2 id="rounds-title">'
    shown = page[page.index(start) : page.index("</section>", page.index(start))]
    assert shown in part


async def test_a_gauntlet_has_a_column_for_each_challenger_and_no_winner(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.played(*NAMES, format="gauntlet")
    (challenger,) = tournament.challengers
    page = (await browser.get("/tournaments/friday")).text
    assert re.findall(r'<th scope="col" title="(\w+)">', page) == [challenger]
    assert page.count('<td class="place">') == len(NAMES)
    assert f"Against the field: {challenger} with 4 points from 8 matches." in page
    assert 'class="place-1"' not in page
    assert '<td class="number">0</td><td class="number">8</td>' in (await browser.get("/")).text


def test_how_far_a_bot_came_follows_from_its_rank() -> None:
    assert [knockout_result(rank, 1) for rank in (1, 2, 3, 5, 9)] == [
        *("winner", "final", "semi-finals", "quarter-finals", "round of 16"),
    ]
    assert knockout_result(1, 8) == "still in"


async def test_a_large_bracket_draws_its_last_rounds_and_lists_the_others(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.played(*(f"bot{number:02}" for number in range(33)), format="knockout", legs=1)
    page = (await browser.get("/tournaments/friday")).text
    lists, drawn = page.split('<ol class="bracket">')
    assert re.findall("<h3>(Round of [0-9]+)</h3>", lists) == ["Round of 64"]
    assert re.findall("<details >", lists) == ["<details >"]
    titles = re.findall(r'<li class="round"><h3>([\w -]+)</h3>', drawn)
    assert titles == ["Round of 32", "Round of 16", "Quarter-finals", "Semi-finals", "Final"]


def test_a_round_that_is_being_paired_is_told(server: MemoryServer) -> None:
    tournament, _ = server.begun("ann", "bob", "cey", "dan", think_ms=100, format="swiss", rounds=2, legs=1)
    server.pass_ms(300)
    rounds = rounds_of(tournament)
    assert pairing_text(tournament, rounds) == ""
    for meeting in rounds[-1].meetings:
        meeting.to_play = 0
    assert pairing_text(tournament, rounds) == "Round 2 is being paired."
    assert pairing_text(tournament, [*rounds, *rounds]) == ""


async def test_bots_that_are_still_in_a_knockout_have_no_rank_yet(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.begun(*NAMES, think_ms=1_000, format="knockout")
    server.pass_ms()
    page = (await browser.get("/tournaments/friday")).text
    assert re.findall(r'<td class="number rank">(.)</td>', page) == ["–"] * 5
    assert page.count('<td class="reached">still in</td>') == 5
    server.world.run()
    server.pass_ms()
    page = (await browser.get("/tournaments/friday")).text
    assert re.findall(r'<td class="number rank">(.)</td>', page) == list("12335")
    reached_texts = re.findall(r'<td class="reached">(.*?)</td>', page)
    assert reached_texts == ["winner", "final", "semi-finals", "semi-finals", "quarter-finals"]


async def test_pages_of_a_swiss_have_its_rules_and_half_point_byes_before_and_after_the_end(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.world.create(format="swiss", rounds=1, legs=1, start_at_bots=len(NAMES))
    server.bots(NAMES[0], join=tournament.id)
    server.pass_ms(10)
    server.world.organiser.give_half_bye(tournament.id, NAMES[0], 1)
    server.bots(*NAMES[1:], join=tournament.id)
    assert '<td class="number">½</td>' in (await browser.get(f"/bots/{NAMES[0]}")).text
    server.world.run()
    assert tournament.status == "finished"
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert "Rounds are paired by the rules dutch-2026." in page
    assert f"{NAMES[0]} (half-point bye)" in page
    server.forget_tournaments()
    page = (await browser.get(f"/bots/{NAMES[0]}")).text
    assert page.count('<td class="number">½</td>') == 2  # the bot's points, and its byes
