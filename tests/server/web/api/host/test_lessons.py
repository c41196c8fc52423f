"""The host's API for a lesson."""

from typing import Any

import httpx
import pytest

from tests.server.arena.test_next_tournament import by_code
from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import HOST, MemoryServer


def lesson(server: MemoryServer, *names: str, play: bool = True) -> None:
    """Play a tournament of pupils, to its end if `play`."""
    world = server.world
    tournament = world.create(legs=4)
    by_code(world, tournament, *names)
    server.bots(*names, join=tournament.id, follow=True)
    if play:
        world.organiser.start(tournament.id)
        server.pass_ms(60_000)


async def test_a_tournament_is_played_again_with_changes(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    lesson(server, "ann", "ben", "cid")
    answer = await post(browser, "tournaments/friday/again", {"game": "connect4", "legs": 2})
    view = answer.json()
    assert answer.status_code == 201, answer.text
    assert (view["id"], view["game"], view["legs"], view["status"]) == ("friday-2", "connect4", 2, "lobby")
    assert [each["name"] for each in view["entrants"]] == ["ann", "ben", "cid"]
    assert server.world.log.durable == server.world.log.last
    started = await post(browser, "tournaments/friday-2/start", {"without_absent": True})
    assert started.json()["status"] == "running"


async def test_the_next_tournament_has_the_newest_invitation_code(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    lesson(server, "ann", "ben", play=False)
    server.world.organiser.change_invite("friday", "sesame")
    server.world.organiser.start("friday")
    server.pass_ms(60_000)
    assert (await post(browser, "tournaments/friday/again")).status_code == 201
    assert server.world.arena.tournaments["friday-2"].invite == "sesame"


async def test_a_final(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    lesson(server, "ann", "ben", "cid")
    view = (await post(browser, "tournaments/friday/again", {"top": 2})).json()
    assert (view["name"], view["legs"], view["bots"]) == ("Final of Friday", 4, 2)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [({"top": 1}, 422, "top"), ({"colour": 1}, 422, "colour"), ({"format": "chaos"}, 422, "format")],
)
async def test_a_bad_next_tournament(
    server: MemoryServer, browser: httpx.AsyncClient, body: Any, status: int, field: str
) -> None:
    lesson(server, "ann", "ben")
    answer = await post(browser, "tournaments/friday/again", body)
    assert (answer.status_code, answer.json()["error"]["detail"][0]["field"]) == (status, field)


async def test_there_is_no_next_tournament_before_the_end(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    lesson(server, "ann", "ben", play=False)
    answer = await post(browser, "tournaments/friday/again")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "tournament_closed")
    assert (await post(browser, "tournaments/monday/again")).status_code == 404


async def test_all_bots_are_told_a_message(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    ann = server.world.login("ann", join="friday")
    assert (await post(browser, "tournaments/friday/notice", {"message": "lunch"})).status_code == 200
    notice = ann.last("notice")
    assert (notice["code"], notice["tournament"], notice["message"]) == ("host", "friday", "lunch")
    assert (await post(browser, "tournaments/friday/notice", {})).status_code == 422


async def test_the_roster_survives_a_restart(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    answer = await browser.put("/api/tournaments/friday/roster", headers=HOST, json={"names": ["Änne", "Ben"]})
    assert answer.status_code == 200, answer.text
    assert (await get(browser, "tournaments/friday/host"))["roster"] == ["Änne", "Ben"]
    assert server.world.after_crash().tournament("friday").roster == ("Änne", "Ben")
    too_long = {"names": ["x" * 65]}
    assert (await browser.put("/api/tournaments/friday/roster", headers=HOST, json=too_long)).status_code == 422


async def put_config(browser: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    config = (await get(browser, "tournaments/friday/host"))["config"]
    return await browser.put("/api/tournaments/friday/config", headers=HOST, json=config | changes)


async def test_a_lobby_is_changed_and_its_bots_are_told(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(game="connect4", invite="hush", absent_ms=1_000)
    ann, _ = server.world.logins("ann", "ben", join="friday", invite="hush")
    changes = {"format": "swiss", "rounds": 1, "settings": {"columns": 5}, "absent_ms": 9_000}
    assert (await put_config(browser, **changes)).status_code == 200
    assert ann.last("joined")["settings"]["columns"] == 5
    tournament = server.world.after_crash().tournament("friday")
    assert (tournament.config.format, tournament.invite, tournament.field["ann"].absent_left_ms) == (
        *("swiss", "hush"),
        9_000,
    )
    server.world.organiser.start("friday")
    server.pass_ms(60_000)
    assert [standing.name for standing in server.world.tournament("friday").standings.lines()] == ["ann", "ben"]


async def test_bots_that_joined_keep_their_game(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    server.world.login("ann", join="friday")
    answer = await put_config(browser, game="chess", settings={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "unavailable")
    assert (await put_config(browser, legs=0)).status_code == 422


async def test_a_running_tournament_can_only_be_hidden(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    lesson(server, "ann", "ben", play=False)
    server.world.organiser.start("friday")
    refused = await put_config(browser, cycles=3)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "tournament_closed")
    assert (await put_config(browser, listed=False)).status_code == 200
    assert (await browser.get("/api/tournaments")).json()["tournaments"] == []
    assert (await put_config(browser, listed=True)).json()["listed"]
