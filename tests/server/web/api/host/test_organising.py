from typing import Any

import httpx
import pytest

from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import HOST, MemoryServer

KEY = "a-key-of-16-chars"


async def test_the_host_sees_tournaments_that_are_not_listed_but_no_challenges(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(name="public")
    server.pass_ms()
    server.world.create(name="secret", listed=False)
    server.world.login("alice", challenges=True)
    challenger = server.world.login("bob")
    challenger.say(type="challenge", against="alice", game="tictactoe")
    answer = await get(browser, "host/tournaments")
    assert [each["id"] for each in answer["tournaments"]] == ["secret", "public"]
    server.world.organiser.end("secret", cancelled=True)
    server.pass_ms()
    answer = await get(browser, "host/tournaments")
    assert {each["id"]: each["status"] for each in answer["tournaments"]} == {"secret": "cancelled", "public": "lobby"}
    listed = (await browser.get("/api/tournaments")).json()
    assert [each["id"] for each in listed["tournaments"]] == ["public"]


async def test_the_host_sees_connected_bots_and_the_last_fault_of_each(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.world.create(cycles=20, invite="hush", start_at_bots=2)
    server.bots("alice", join=tournament.id, invite="hush")
    bob = server.world.login("bob", key=KEY, join=tournament.id, invite="hush")
    bob.play(lambda turn: "nonsense", lambda: 5)
    server.pass_ms(1_000)
    bob.drop()
    server.pass_ms(100)
    answer = await browser.get("/api/tournaments/friday/host", headers=HOST)
    assert "hush" not in answer.text
    view = answer.json()
    assert (view["by_invitation"], view["config"]["cycles"], view["config"]["invite"]) == (True, 20, None)
    alice, bob_line = view["field"]
    assert (alice["name"], alice["connected"], alice["open"], alice["last_fault"]) == ("alice", True, True, None)
    assert (bob_line["connected"], bob_line["open"], bob_line["house"]) == (False, False, None)
    last = next(over for over in reversed(tournament.results.values()) if over.termination == "illegal_move")
    assert bob_line["last_fault"] == {
        "match": last.match,
        "termination": "illegal_move",
        "reason": last.reason,
        "failure": "",
        "at_ms": last.at_ms,
    }


async def test_the_host_sees_no_key_that_is_not_on_disk(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    server.world.login("ann", join="friday")
    server.log.after_wait = lambda: server.world.organiser.reset_key("ann", KEY)
    (ann,) = (await get(browser, "tournaments/friday/host"))["field"]
    assert ann["open"]


@pytest.mark.parametrize("seats", [2, 3])
async def test_the_error_of_a_bot_that_crashed_is_for_the_host_alone(
    seats: int, server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    game = {2: {}, 3: {"game": "snakes", "seats": 3}}[seats]
    server.world.create(start_at_bots=seats, **game)
    error = "KeyError: 'x' (mine.py, line 3, in ai)"
    anna, *others = [server.world.login(name, join="friday") for name in ("anna", "ben", "cleo")[:seats]]
    server.pass_ms(100)
    match = anna.last("match_start")["match"]
    anna.say(type="resign", match=match, failed=True, reason=f"{error}; token=hush")
    for other in others if seats > 2 else ():
        other.say(type="resign", match=match)
    server.pass_ms(100)
    view = (await browser.get("/api/tournaments/friday/host", headers=HOST)).json()
    fault = next(bot["last_fault"] for bot in view["field"] if bot["name"] == "anna")
    assert fault["failure"] == f'{error}; token="***"'
    for path in (f"/api/matches/{match}", "/api/tournaments/friday", "/api/tournaments/friday/matches", "/bots/anna"):
        answer = await browser.get(path)
        assert (answer.status_code, "KeyError" in answer.text) == (200, False)


async def test_house_bots_are_listed_added_and_started(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(invite="hush")
    offered = await get(browser, "tournaments/friday/house")
    assert [each["bot"] for each in offered["bots"]] == ["random", "perfect"]
    answer = await post(browser, "tournaments/friday/house", {"bot": "random", "count": 2})
    assert [each["name"] for each in answer.json()["entrants"]] == ["house-random-1", "house-random-2"]
    assert [bot.name for bot in server.house.kept] == ["house-random-1", "house-random-2"]
    assert (await get(browser, "tournaments/friday/house"))["room"] == offered["room"] - 2
    seen = await get(browser, "tournaments/friday/host")
    assert [each["house"] for each in seen["field"]] == ["random", "random"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "bot"),
        ({"bot": "random", "count": 0}, "count"),
        ({"bot": "random", "count": 33}, "count"),
        ({"bot": "random", "name": "no spaces"}, "name"),
        ({"bot": "random", "nmae": "x"}, "nmae"),
    ],
)
async def test_house_bots_that_cannot_be_added_are_refused_with_the_field(
    server: MemoryServer, browser: httpx.AsyncClient, body: Any, field: str
) -> None:
    server.world.create()
    answer = await post(browser, "tournaments/friday/house", body)
    assert (answer.status_code, [each["field"] for each in answer.json()["error"]["detail"]]) == (422, [field])
