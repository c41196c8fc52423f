import json
from typing import Any

import httpx
import pytest

from tests.server.web.memory_server import HOST, MemoryServer

KEYS = {"alice": "the-key-of-alice-1", "bob": "the-key-of-bob-123", "carol": "the-key-of-carol-1"}


@pytest.fixture
def match(server: MemoryServer) -> str:
    """A match that alice and bob have played."""
    tournament = server.world.create(start_at_bots=2, legs=1)
    for name in ("alice", "bob"):
        server.bots(name, key=KEYS[name], join=tournament.id)
    server.world.login("carol", key=KEYS["carol"])
    server.world.run()
    return next(iter(tournament.results))


async def lines(browser: httpx.AsyncClient, match: str, authorization: str) -> list[Any]:
    answer = await browser.get(f"/api/matches/{match}/transcript", headers={"Authorization": authorization})
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_a_bot_sees_its_own_frames_and_the_host_all(browser: httpx.AsyncClient, match: str) -> None:
    everything = await lines(browser, match, HOST["Authorization"])
    own = [await lines(browser, match, f"Bot {name}:{KEYS[name.lower()]}") for name in ("alice", "BOB")]
    verdict = next(line for line in everything if "verdict" in line)
    assert verdict["verdict"] == "normal"
    assert all(verdict in each for each in own)
    frames = [line for line in everything if "frame" in line]
    assert {line["seat"] for line in frames} == {0, 1}
    seats = [{line["seat"] for line in each if "frame" in line} for each in own]
    assert sorted(map(list, seats)) == [[0], [1]]
    assert sum(len(each) - 1 for each in own) == len(frames)


async def test_nobody_sees_an_answer_of_a_running_match_before_all_are_in(
    browser: httpx.AsyncClient, server: MemoryServer
) -> None:
    _, (alice, bob) = server.world.begun("alice", "bob", game="dilemma", legs=1)
    server.world.run(100)
    (match,) = server.world.arena.matches.live
    seen = []
    for bot, move in ((alice, "D"), (bob, "C"), (bob, "D")):
        bot.move(move)
        server.world.run(100)
        transcript = await lines(browser, match, HOST["Authorization"])
        moves = [json.loads(line["frame"]).get("move") for line in transcript]
        seen.append(sorted(move for move in moves if move))
    assert seen == [[], ["C", "D"], ["C", "D"]]


async def test_a_bot_that_did_not_play_sees_no_transcript(browser: httpx.AsyncClient, match: str) -> None:
    headers = {"Authorization": f"Bot carol:{KEYS['carol']}"}
    answer = await browser.get(f"/api/matches/{match}/transcript", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_yours")


async def test_a_match_that_never_began_has_no_transcript(browser: httpx.AsyncClient, match: str) -> None:
    answer = await browser.get(f"/api/matches/{match}9/transcript", headers=HOST)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
