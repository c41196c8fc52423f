"""The pages of tournaments of tables as the server renders them: the tournament, its matches, a match and the audit."""

import re
from typing import Any

import httpx
import pytest
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.pages.tournament_page import places_text

from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import Page
from tests.server.web.pages.test_table_rounds import NAMES, TABLES, played


def with_absent(server: MemoryServer) -> Tournament:
    """Play a round-robin of tables that a bot leaves after its start."""
    tournament, bots = server.begun(*NAMES[:8], **TABLES)
    server.world.clock.step()
    while not tournament.running:
        server.world.clock.step()
    bots[7].say(type="leave", tournament=tournament.id)
    server.world.run()
    server.pass_ms()
    return tournament


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ("places", "a point for each seat behind"),
        ("payoffs", "points are payoffs"),
        ([12_345_678, 6, 3.5, 0], "points 12345678, 6, 3.5, 0 by place"),
    ],
)
def test_how_results_count(points: list[float] | str, text: str) -> None:
    assert places_text(points) == text


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "knockout", "gauntlet"])
async def test_the_page_of_a_tournament_tells_its_tables(
    server: MemoryServer, browser: httpx.AsyncClient, kind: str
) -> None:
    tournament = played(server, 9, format=kind, points=[10.0, 6.0, 3.0, 0.0])
    html = (await browser.get(f"/tournaments/{tournament.id}")).text
    page = Page(html)
    assert page.refused == []
    assert "tables of 4, points 10, 6, 3, 0 by place" in page.text
    assert "matches a pairing" not in page.text
    assert "First places alone, first places shared, and other places" in html
    assert ("finished before the bot of a column" in html) == (kind != "knockout")
    assert "tie-breaks of 2026" not in page.text
    assert "export.trf" not in html
    assert "export.pgn" not in html
    over = next(reversed(tournament.results.values()))
    assert over.placement is not None
    places = over.placement.places or ()
    line = ", ".join(f"<span>{name}</span> <b>{place}</b>" for name, place in zip(over.seats, places, strict=True))
    assert f'<a href="/matches/{over.match}">{line}</a>' in html
    view = (await browser.get(f"/api/tournaments/{tournament.id}")).json()
    assert view["match_seats"] == 4
    if kind == "knockout":
        assert set(re.findall(r'<td class="reached">(.*?)</td>', html)) == {"winner", "final", "out"}


async def test_a_lobby_has_boards_for_all_seats(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(format="knockout", **TABLES)
    html = (await browser.get(f"/tournaments/{tournament.id}")).text
    slot = html.partition('<template id="slot">')[2].partition("</template>")[0]
    assert slot.count('class="seat') == 4
    assert "The tables and the boards appear with the first round." in html


async def test_a_small_table_leaves_a_seat_of_its_board_out(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, _ = server.world.begun(*NAMES[:3], **TABLES)
    server.pass_ms()
    html = (await browser.get(f"/tournaments/{tournament.id}")).text
    card = html.partition("<article")[2].partition("</article>")[0]
    assert (card.count('<span class="seat'), card.count('<span hidden class="seat')) == (3, 1)


async def test_matches_name_every_bot_and_its_place(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = with_absent(server)
    over = next(over for over in tournament.results.values() if over.absent)
    html = (await browser.get(f"/tournaments/{tournament.id}/matches")).text
    row = html.partition(f'href="/matches/{over.match}"')[2].partition("</tr>")[0]
    assert re.findall(r"<span>(\w+)", row) == [*over.seats, *over.absent]
    assert re.findall(r"<b>(\d)</b>", row)[-1] == "4"
    assert row.count("absent") == 1
    of_gone = (await browser.get(f"/tournaments/{tournament.id}/matches?bot={over.absent[0]}")).text
    assert f'href="/matches/{over.match}"' in of_gone


async def test_the_page_of_a_table_has_places_and_the_absent(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = with_absent(server)
    over = next(over for over in tournament.results.values() if over.absent)
    assert over.placement is not None
    html = (await browser.get(f"/matches/{over.match}")).text
    assert f"Absent, and so last: {over.absent[0]}" in html
    scores = [int(score) for score in re.findall(r'<b class="score">(\d)</b>', html)]
    assert tuple(scores) == over.placement.places
    assert f"placed {', '.join(map(str, scores))}" in html
    view = (await browser.get(f"/api/matches/{over.match}")).json()
    assert view["absent"] == list(over.absent)
    for ply in range(len(over.moves)):
        assert (await browser.get(f"/matches/{over.match}?ply={ply}")).status_code == 200
    boards = (await browser.get(f"/api/matches/{over.match}/boards")).json()["boards"]
    assert sum(map(boards[0]["board"].count, "ABCD")) == len(over.seats)


async def test_a_table_that_was_lost_before_it_began_has_a_page(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, bots = server.begun(*NAMES[:3], **TABLES)
    for bot in bots[1:]:
        bot.say(type="leave", tournament=tournament.id)
    server.world.run()
    server.pass_ms()
    match = next(over.match for over in tournament.results.values() if over.termination == "no_show")
    html = (await browser.get(f"/matches/{match}")).text
    assert "ann wins: " in html
    assert sorted(re.findall(r'<b class="score">(\d)</b>', html)) == ["1", "2", "2"]


async def test_the_audit_has_every_seat_and_the_void_attempts(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, _ = server.begun(*NAMES[:4], format="swiss", rounds=2, **TABLES)
    while not tournament.results:
        server.world.clock.step()
    (match,) = tournament.results
    server.world.organiser.play_again(match)
    server.world.run()
    server.pass_ms()
    html = (await browser.get(f"/tournaments/{tournament.id}/audit")).text
    assert all(f"Seat {seat}</th>" in html for seat in range(4))
    assert f'Void attempts, each played again: <a href="/matches/{match}">1.1.1.1</a>.' in html
    audit: dict[str, Any] = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    assert audit["void"] == {match: 1}
