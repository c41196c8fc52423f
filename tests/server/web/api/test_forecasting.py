import logging
from typing import Any

import httpx
import pytest

from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import HOST, MemoryServer

CONFIG = {"name": "any", "game": "connect4"}


async def test_a_forecast_creates_and_logs_nothing(
    server: MemoryServer, browser: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "rumble_server.audit")
    answer = await post(browser, "host/forecast?bots=10", CONFIG)
    forecast = answer.json()
    assert (answer.status_code, forecast["matches"], forecast["in_a_row"]) == (200, 90, 18)
    assert forecast["quick_ms"] < forecast["longest_ms"] == 18 * forecast["plies"] * 10_000
    assert forecast["text"].startswith("90 matches; 18 one after another. About ")
    assert f"of {forecast['plies']} moves" in forecast["text"]
    assert (await get(browser, "host/tournaments"))["tournaments"] == []
    assert caplog.records == []


async def test_ties_of_a_knockout_are_told(browser: httpx.AsyncClient) -> None:
    forecast = (await post(browser, "host/forecast?bots=2", {**CONFIG, "format": "knockout", "legs": 1})).json()
    assert forecast["text"].startswith("1 match, up to 2 if ties are played again; 1 one after another.")


@pytest.mark.parametrize(
    ("bots", "changes", "problem"),
    [
        (1, {}, "bots"),
        (4097, {}, "bots"),
        (4, {"format": "gauntlet", "challengers": 4}, "1 to 3 challengers, not 4"),
    ],
)
async def test_a_tournament_that_cannot_be_played_is_refused_with_the_problem(
    browser: httpx.AsyncClient, bots: int, changes: dict[str, Any], problem: str
) -> None:
    answer = await post(browser, f"host/forecast?bots={bots}", {**CONFIG, **changes})
    assert answer.status_code == 422
    assert problem in answer.text


async def test_a_number_that_is_no_json_is_told_with_the_unknown_game(browser: httpx.AsyncClient) -> None:
    body = b'{"name": "any", "game": "nim-x", "points": [NaN, 0.5, 0]}'
    answer = await browser.post("/api/host/forecast?bots=4", content=body, headers=HOST)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "unknown_game")
