"""The page of a match as the server renders it, before any script: at any ply, running or over."""

import re
import shlex
from html import unescape

import httpx
import pytest
from rumble_engine import get_game
from rumble_server.cli.main import run
from rumble_server.web.api.answers import ClubAnswers
from rumble_server.web.api.models import MatchView
from rumble_server.web.texts import clock_face

from tests.server.web.memory_server import MemoryServer


def picture(html: str) -> str:
    found = re.search(r'aria-label="([^"]*)"[^>]*><g class="surface">', html)
    assert found is not None
    return unescape(found[1])


def shown(html: str, name: str) -> str:
    """Return the text of the element with this id."""
    found = re.search(rf'id="{name}"[^>]*>(.*?)</', html, re.DOTALL)
    assert found is not None
    return " ".join(re.sub("<[^>]*>", " ", unescape(found[1])).split())


async def test_every_ply_has_an_address(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1)
    over = next(iter(tournament.results.values()))
    page = f"/matches/{over.match}"
    names = " – ".join(over.seats)
    end = (await browser.get(page)).text
    assert picture(end) == f"{names}. X: 0, 2, 4, 6. O: 1, 3, 5."
    assert shown(end, "ply") == "ply 7 of 7"
    assert f"{over.seats[0]} wins: three in a row" in end
    third = (await browser.get(f"{page}?ply=3")).text
    assert picture(third) == f"{names}. X: 0, 2. O: 1."
    assert shown(third, "ply") == "ply 3 of 7"
    assert f'<a href="{page}?ply=3" aria-current="step">' in third
    assert f'data-go="back" href="{page}?ply=2"' in third
    assert f'data-go="on" href="{page}?ply=4"' in third
    for odd in ("99", "x", "-1", "9" * 99, ""):
        assert picture((await browser.get(page, params={"ply": odd})).text) == picture(end)


async def test_the_command_of_a_position_works_as_it_stands(
    server: MemoryServer, browser: httpx.AsyncClient, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = server.played("alice", "bob", legs=1, game="hex", settings={"size": 3})
    match = next(iter(tournament.results))
    html = (await browser.get(f"/matches/{match}?ply=2")).text
    command = shown(html, "ask")
    assert command.startswith("rumble ask minimax --time-ms 1000 --game hex --setting size=3 --setting swap=true ")
    assert run(shlex.split(command)[1:]) == 0
    assert "move " in capsys.readouterr().out
    assert f"rumble replay {match} --server http://rumble.test" in html
    over = (await browser.get(f"/matches/{match}")).text
    assert '<p id="asking" hidden>' in over, "no bot is asked once the game is over"


async def test_a_running_match_has_clocks_and_names_the_bot_to_move(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1)
    server.pass_ms(1_500)
    match, is_open = next(iter(tournament.running.items()))
    html = (await browser.get(f"/matches/{match}")).text
    assert shown(html, "outcome") == f"{is_open.seats[1]} (O) to move"
    assert 'data-status="running"' in html
    assert 'data-ticking="yes"' in html
    view = (await browser.get(f"/api/matches/{match}")).json()
    assert (view["ticking"], view["seats_ms"][0]) == (True, 10_000)
    assert view["at_ms"] == server.world.clock.now_ms()
    shown_clocks = re.findall(r'data-ms="(\d+)">([0-9:.]+)<', html)
    # The second seat is above the board, the first below it.
    assert shown_clocks == [(str(ms), clock_face(ms)) for ms in reversed(view["seats_ms"])]


async def test_the_bot_at_fault_is_named(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(start_at_bots=2, legs=1)
    for bot in server.world.logins("alice", "bob", join=tournament.id):
        bot.play(lambda turn: "99")
    server.world.run()
    over = next(iter(tournament.results.values()))
    html = (await browser.get(f"/matches/{over.match}")).text
    assert shown(html, "fault") == f"At fault: {over.seats[0]}"
    assert "(illegal move)" in html or "99" in html


async def test_the_page_of_an_old_match_does_not_rebuild_its_tournament(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.played("alice", "bob", legs=1, name="Friday night")
    page = f"/matches/{next(iter(tournament.results))}"
    before = (await browser.get(page)).text
    server.forget_tournaments()
    rebuilt: list[str] = []
    monkeypatch.setattr(server.reader, "of_tournament", rebuilt.append)
    assert (await browser.get(page)).text == before
    assert "Friday night" in before
    assert rebuilt == []


async def test_an_earlier_ply_does_not_tell_the_result(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1)
    page = f"/matches/{next(iter(tournament.results))}"
    assert '<details class="result" id="result" open>' in (await browser.get(page)).text
    assert '<details class="result" id="result" >' in (await browser.get(f"{page}?ply=3")).text
    assert '<details class="result" id="result" open>' in (await browser.get(f"{page}?ply=7")).text


async def test_moves_stand_as_people_write_them_with_their_times(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    opening = ["g1f3", "e7e5", "f3e5"]
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1, game="chess", openings=[opening])
    server.pass_ms(2_500)
    html = (await browser.get(f"/matches/{next(iter(tournament.running))}")).text
    assert re.findall(r'<span class="count">(.*?)</span> <code>(.*?)</code>', html)[:3] == [
        ("1.", "Nf3"),
        ("", "e5"),
        ("2.", "Nxe5"),
    ]
    assert re.findall(r'<span class="took">(.*?)</span>', html) == ["opening"] * 3 + ["1.0 s", "1.0 s"]
    assert re.findall(r'data-ply="(.)" class="bar', html) == ["4", "5"], "the opening has no bars"


async def test_the_other_matches_are_a_click_away(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", "cid")
    links = {}
    for match in tournament.results:
        html = (await browser.get(f"/matches/{match}")).text
        links[match] = dict(re.findall(r'<a class="button compact" rel="(\w+)" href="/matches/([^"]*)"', html))
        other = re.search(r'href="/matches/([^"]*)">Other leg', html)
        assert other is not None
        assert other[1].rpartition(".")[0] == match.rpartition(".")[0]
        assert other[1] != match
    schedule = sorted(tournament.results)
    assert [links[match].get("prev") for match in schedule] == [None, *schedule[:-1]]
    assert [links[match].get("next") for match in schedule] == [*schedule[1:], None]


async def test_a_bot_that_is_away_is_told_with_its_time_left(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, bots = server.begun("alice", "bob", think_ms=9_000, legs=1)
    server.pass_ms(500)
    bots[0].drop()
    server.pass_ms(4_000)
    match, is_open = next(iter(tournament.running.items()))
    html = (await browser.get(f"/matches/{match}")).text
    view = (await browser.get(f"/api/matches/{match}")).json()
    away = view["away"][is_open.seats.index("alice")]
    assert view["away"].count(None) == 1
    left_s = (away["until_at_ms"] - view["at_ms"]) // 1000
    assert re.findall(r">(away [^<]*)<", html) == [f"away 4 s, {left_s} s left"]


def preview(html: str) -> dict[str, str]:
    """A chat program shows these values as the preview of a link."""
    return {name: unescape(value) for name, value in re.findall(r'<meta property="og:(\S+)" content="(.*?)">', html)}


async def test_a_link_has_a_preview_that_tells_no_more_than_its_page(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.played("alice", "bob", legs=1, name='The "Cup"')
    over = next(iter(tournament.results.values()))
    page = f"/matches/{over.match}"
    end, third = [preview((await browser.get(address)).text) for address in (page, f"{page}?ply=3")]
    assert end["title"] == third["title"] == f"{' – '.join(over.seats)} – Rumble"
    assert end["url"] == f"http://rumble.test{page}"
    assert end["description"] == f'Tic-tac-toe, {over.seats[0]} wins: three in a row · The "Cup"'
    assert third["url"] == f"http://rumble.test{page}?ply=3"
    assert third["description"] == 'Tic-tac-toe, ply 3 · The "Cup"'
    image = await browser.get(third["image"])
    assert image.status_code == 200
    assert f"{over.match}/board." in third["image"]
    assert third["image"].endswith("?ply=3&attempt=1")


async def test_every_page_has_a_preview(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1)
    lobby = server.world.create(name="Later", game="hex")
    for page in ("/", f"/tournaments/{tournament.id}", f"/tournaments/{lobby.id}", "/bots/alice", "/play"):
        shown = preview((await browser.get(page)).text)
        assert shown["url"] == f"http://rumble.test{page}"
        assert shown["title"]
        assert shown["description"]
        assert (await browser.get(shown["image"])).status_code == 200, page


async def test_more_than_two_seats_have_their_lines_beside_the_moves(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.played("alice", "bob", legs=1, game="connect4")
    match = next(iter(tournament.results))
    names, game = ["ann", "ben", "eve", "kim"], get_game("snakes")
    state = game.initial_for(4)
    of_snakes = {"game": "snakes", "settings": game.complete(), "drawing": game.drawing(state.view())}
    of_seats = {"seats": names, "scores": [1.0, 0.5, 0.5, 0.0], "seats_ms": [9_000] * 4}
    answered = ClubAnswers.match

    async def of_four(answers: ClubAnswers, match_id: str) -> MatchView:
        return (await answered(answers, match_id)).model_copy(update=of_snakes | of_seats)

    monkeypatch.setattr(ClubAnswers, "match", of_four)
    html = (await browser.get(f"/matches/{match}")).text
    assert re.findall(r'data-seat="(\d)"', html) == ["0", "1", "2", "3"]
    assert html.index('class="course"') < html.index('data-seat="0"') < html.index('id="moves"')
    assert re.findall(r'class="name"[^>]*>(\w+)<', html) == names
    assert re.findall(r'class="drawn token"><svg[^>]*aria-label="snake (\w), head"', html) == list("ABCD")
    assert 'data-colours="first second third fourth"' in html
