import re

import httpx
import pytest
from rumble_engine.games.tictactoe import TicTacToe
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.house import HouseKeys
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.web.feed.position_view import log_once
from rumble_server.web.pages.pages import MOST_UNFOLDED

from tests.server.failing import fail
from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import NASTY, Page


async def test_home_prints_the_command_for_a_tournament_that_anyone_may_join(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(name="closed", invite="hush-hush")
    assert re.search(r"bare_bot.py \S+ TOURNAMENT ", (await browser.get("/")).text)
    server.world.create(name="open")
    server.world.create(name="private", invite="hush-hush")
    assert re.search(r"bare_bot.py \S+ open ", (await browser.get("/")).text)


async def test_home_has_no_command_where_no_tournament_waits(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    assert re.search(r"bare_bot.py \S+ TOURNAMENT ", (await browser.get("/")).text)
    server.played("alice", "bob")
    html = (await browser.get("/")).text
    assert "curl" not in html
    assert "No tournament waits for bots" in html


async def test_names_are_text_and_never_markup(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, (first, second) = server.world.begun("alice", "bob", name=NASTY, legs=1)
    server.pass_ms()
    for _ in range(9):
        for bot in (first, second):
            turns = [frame for frame in bot.heard("turn") if frame]
            if turns:
                turn = turns[-1]
                bot.say(type="move", match=turn["match"], turn_id=turn["turn_id"], move=turn["legal"][0], note=NASTY)
    server.pass_ms()
    assert tournament.status == "finished"
    paths = [
        "/",
        f"/tournaments/{tournament.id}",
        f"/tournaments/{tournament.id}/matches",
        f"/matches/{tournament.id}.1.1.1.1",
    ]
    for path in paths:
        html = (await browser.get(path)).text
        assert NASTY not in html
        assert NASTY in Page(html).text, path
    error = (await browser.get(f"/tournaments/{NASTY}")).text
    assert NASTY not in error


async def test_home_groups_by_status_and_helps_when_there_is_nothing(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    assert "rumble tournament create" in (await browser.get("/")).text
    server.played("alice", "bob")
    server.world.create(name="Open")
    server.world.create(name="Secret", listed=False)
    server.pass_ms()
    text = Page((await browser.get("/")).text).text
    assert text.index("Open: waiting for bots") < text.index("Over")
    assert "Playing now" not in text
    assert "Secret" not in text


async def test_the_bots_after_the_first_are_folded_away(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    names = [f"bot-{number:02}" for number in range(MOST_UNFOLDED + 2)]
    server.bots(*names[:MOST_UNFOLDED], join=server.world.create(start_at_bots=100).id)
    server.pass_ms(10)
    assert '<details id="other-bots">' not in (await browser.get("/")).text
    server.bots(*names[MOST_UNFOLDED:], join="friday")
    server.pass_ms(10)
    before, fold, after = (await browser.get("/")).text.partition('<details id="other-bots">')
    assert fold
    assert before.count('<a href="/bots/') == MOST_UNFOLDED
    assert after.count('<a href="/bots/') == 2
    assert 'More bots <span class="quiet">2</span>' in after


async def test_house_bots_are_folded_away_from_the_others(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(start_at_bots=3)
    server.house_bots.add(tournament.id, "random", "House-Of-Mine", 1)
    server.bots("ann", "bob", join=tournament.id)
    key = HouseKeys("a-secret").key("House-Of-Mine")
    (house,) = server.world.logins("House-Of-Mine", key=key, join=tournament.id)
    house.play(lambda turn: str(turn["legal"][0]), lambda: 10)
    server.world.run()
    assert tournament.status == "finished"
    before, fold, after = (await browser.get("/")).text.partition('<details id="house-bots">')
    assert fold
    assert set(re.findall('<a href="/bots/([^"]*)">', before)) == {"ann", "bob"}
    assert re.findall('<a href="/bots/([^"]*)">', after) == ["House-Of-Mine"]
    assert 'House bots <span class="quiet">1</span>' in after


async def test_the_list_of_clubs_has_the_clubs_that_want_to_be_listed_and_loads_no_club(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    assert "/clubs" not in (await browser.get("/")).text, "there is no other club"
    administrator = Administrator(server.world.arena)
    for name, title in (("class-7", "<b>Class</b>"), ("robots", ""), ("secret", "Nobody's")):
        administrator.create(name, title, NO_QUOTAS)
    server.pass_ms()
    assert "/clubs" not in (await browser.get("/")).text, "none wants to be listed"
    for name in ("class-7", "robots"):
        administrator.change(name, listed=True)
    server.pass_ms()
    assert '<a href="/clubs">Other clubs on this server</a>' in (await browser.get("/")).text
    page = (await browser.get("/clubs")).text
    assert Page(page).refused == []
    assert '<a href="/c/class-7/">&lt;b&gt;Class&lt;/b&gt;</a>' in page
    assert '<a href="/c/robots/">robots</a>' in page
    assert '<a href="/">Rumble</a>' in page
    assert "secret" not in page
    other = MemoryServer()
    server.take_in("robots", other)
    assert "/clubs" not in (await browser.get("/c/robots/")).text.partition("<main")[2], "main alone leads there so"
    administrator.change("robots", listed=True)
    other.begun("alice", "bob", think_ms=60_000)
    other.pass_ms()
    card = Page((await browser.get("/clubs")).text.partition('<a href="/c/robots/')[2]).text
    assert "1 running" in card
    assert "2 bots connected" in card


async def test_a_long_list_of_clubs_has_an_end(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.pages.pages.MOST_CLUBS", 3)
    administrator = Administrator(server.world.arena)
    for number in range(5):
        administrator.create(f"class-{number}", "", NO_QUOTAS)
        administrator.change(f"class-{number}", listed=True)
    server.pass_ms()
    page = (await browser.get("/clubs")).text
    assert page.count('class="card stack"') == 3
    assert "And 3 more." in page


async def test_main_is_called_by_its_title(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    assert "<title>Rumble: bot tournaments</title>" in (await browser.get("/")).text
    Administrator(server.world.arena).change("main", title="Our school")
    assert "<title>Our school: bot tournaments</title>" in (await browser.get("/")).text


@pytest.mark.parametrize("played_ms", [2_500, 100_000])
async def test_a_game_whose_drawings_fail_is_shown_as_text(
    server: MemoryServer,
    browser: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    played_ms: int,
) -> None:
    monkeypatch.setattr(TicTacToe, "drawing", fail)
    log_once.cache_clear()
    tournament = server.world.create()
    server.bots("alice", "bob", think_ms=1_000, join=tournament.id)
    server.world.organiser.start(tournament.id)
    server.pass_ms(played_ms)
    match = f"{tournament.id}.1.1.1.1"
    for path in ("/", f"/tournaments/{tournament.id}", f"/matches/{match}", f"/api/matches/{match}"):
        assert (await browser.get(path)).status_code == 200, path
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "tictactoe is shown without a drawing, because the code of the game failed"
    ]
