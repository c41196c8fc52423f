from dataclasses import replace
from typing import Any

import httpx
import pytest
from rumble_server.web.guards.bodies import MOST_BODY_BYTES

from tests.server.web.api.organiser import post
from tests.server.web.memory_server import HOST, MemoryServer


async def test_a_tournament_is_created_and_on_disk_before_that_is_told(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    body = {"name": "Friday", "game": "connect4", "settings": {"columns": 5}, "legs": 4, "invite": "hush"}
    answer = await post(browser, "tournaments", body)
    assert answer.status_code == 201
    view = answer.json()
    assert (view["id"], view["status"], view["legs"], view["by_invitation"]) == ("friday", "lobby", 4, True)
    assert view["settings"] == {"columns": 5, "rows": 6, "connect": 4}
    assert "hush" not in answer.text
    assert server.world.log.durable == server.world.log.last
    assert (await post(browser, "tournaments", body)).json()["id"] == "friday-2"


async def test_nothing_is_commanded_while_the_lease_is_over(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.clubs["main"] = replace(server.main, is_suspended=lambda: True)
    last = server.world.log.last
    answer = await post(browser, "tournaments", {"name": "Friday", "game": "connect4"})
    assert answer.status_code == 503
    assert "lost the database for a moment" in answer.json()["error"]["message"]
    assert server.world.log.last == last


@pytest.mark.parametrize(
    ("body", "code", "fields"),
    [
        ({"name": "x", "game": "go"}, "unknown_game", ["game"]),
        ({"name": "x", "game": "tictactoe", "settings": {"a": 1}}, "bad_settings", ["settings"]),
        ({"name": "x", "game": "connect4", "settings": {"columns": 99}}, "bad_settings", ["settings"]),
        ({"game": "tictactoe", "colour": 1}, "bad_message", ["name", "colour"]),
        ({"name": "", "game": "tictactoe", "legs": 0}, "bad_message", ["name", "legs"]),
        ({"name": "x", "game": "tictactoe", "cycles": "2"}, "bad_message", ["cycles"]),
        ({"name": "x", "game": "tictactoe", "time_control": {"move_ms": 0}}, "bad_message", ["time_control"]),
        ({"name": "x", "game": "tictactoe", "format": "chaos"}, "bad_message", ["format"]),
        ({"name": "x", "game": "tictactoe", "tiebreaks": ["de", "luck"]}, "bad_message", ["tiebreaks"]),
        ({"name": "x", "game": "tictactoe", "points": [0, 1, 3]}, "bad_message", ["points"]),
        ({"name": "x", "game": "tictactoe", "points": [1e308, 0, 0]}, "bad_message", ["points"]),
        ({"name": "x", "game": "tictactoe", "format": "swiss", "late_join": True}, "bad_message", ["late_join"]),
        ({"name": "x", "game": "tictactoe", "seats": 3}, "bad_message", ["seats"]),
        ({"name": "x", "game": "snakes", "seats": 4, "legs": 2}, "bad_message", ["legs"]),
        ({"name": "x", "game": "snakes", "seats": 4, "points": "payoffs"}, "bad_message", ["points"]),
        ({"name": "x", "game": "snakes", "seats": 4, "tiebreaks": ["sb"]}, "bad_message", ["tiebreaks"]),
        ({"name": "x", "game": "snakes", "seats": 4, "start_at_bots": 2}, "bad_message", ["start_at_bots"]),
        ([], "bad_message", [""]),
    ],
)
async def test_a_bad_tournament_is_told_field_by_field(
    browser: httpx.AsyncClient, body: Any, code: str, fields: list[str]
) -> None:
    answer = await post(browser, "tournaments", body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, code)
    assert [each["field"] for each in error["detail"]] == fields
    assert all(each["problem"] for each in error["detail"])


async def test_bodies_that_are_no_json_or_too_large(browser: httpx.AsyncClient) -> None:
    broken = await browser.post("/api/tournaments", headers=HOST, content=b"{")
    assert (broken.status_code, broken.json()["error"]["code"]) == (422, "bad_message")
    assert "not JSON" in broken.json()["error"]["message"]
    large = await browser.post("/api/tournaments", headers=HOST, content=b" " * (MOST_BODY_BYTES + 1))
    assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")


async def test_a_tournament_is_led_from_lobby_to_end(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(cycles=20)
    server.bots("alice", "bob", "carol", join=tournament.id)
    for command, body, status in (
        ("start", None, "running"),
        ("pause", {"reason": "lunch"}, "paused"),
        ("resume", None, "running"),
        ("remove", {"name": "CAROL"}, "running"),
        ("pause", None, "paused"),
        ("end", None, "finished"),
    ):
        before = server.world.log.last
        answer = await post(browser, f"tournaments/friday/{command}", body)
        assert (answer.status_code, answer.json()["status"]) == (200, status), answer.text
        assert server.world.log.durable > before, "its fact was the next"
        server.pass_ms(200)
    assert [each["withdrawn"] for each in answer.json()["entrants"] if each["name"] == "carol"] == [True]


async def test_a_match_is_played_again(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, _ = server.begun("alice", "bob", cycles=20)
    server.pass_ms(1_000)
    match = next(iter(tournament.results))
    answer = await post(browser, "tournaments/friday/replay", {"match": match})
    assert answer.status_code == 200
    server.world.run()
    assert tournament.results[match].attempt == 2
    wrong = await post(browser, "tournaments/friday/replay", {"match": "monday.1.1.1.1"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (404, "not_found")


async def test_a_key_is_reset(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.login("alice", key="a-key-of-16-chars").drop()
    assert (await post(browser, "names/alice/reset")).status_code == 200
    assert server.world.arena.names.get("alice") is None


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("tournaments/nope/start", None, 404, "unknown_tournament"),
        ("tournaments/friday/start", None, 409, "tournament_closed"),
        ("tournaments/friday/end", None, 409, "tournament_closed"),
        ("tournaments/friday/remove", {"name": "nobody"}, 404, "unknown_bot"),
        ("tournaments/friday/unbench", {"name": "nobody"}, 404, "unknown_bot"),
        ("tournaments/friday/bye", {"name": "nobody", "round": 1}, 409, "tournament_closed"),
        ("tournaments/friday/bye", {"name": "alice", "round": 0}, 422, "bad_message"),
        ("tournaments/friday/remove", {}, 422, "bad_message"),
        ("tournaments/friday/pause", {"reason": ""}, 422, "bad_message"),
    ],
)
async def test_a_command_that_cannot_be_done_is_refused_with_status_and_code(
    server: MemoryServer, browser: httpx.AsyncClient, path: str, body: Any, status: int, code: str
) -> None:
    server.world.create()
    answer = await post(browser, path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
