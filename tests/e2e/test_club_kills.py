"""SIGKILL while two clubs run tournaments of the same id with the same bots: each tournament goes on where it was."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged, numbered
from tests.e2e.processes import ADMIN_TOKEN
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.needs import long_or

pytestmark = pytest.mark.e2e

CLUBS, NAMES = ("chess", "go"), tuple(f"bot{number}" for number in range(1, long_or(5, 7)))
RESULTS = len(NAMES) * (len(NAMES) - 1)
"""Number of results per club; two bots are told each result."""
BETWEEN_KILLS = long_or((5,), (5, 15, 20))
"""Numbers of further results, told in both clubs together, before each kill of the server."""


def create(server: RestartableServer) -> None:
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    with httpx.Client(base_url=server.server.url, headers=headers, trust_env=False, timeout=60) as browser:
        for club in CLUBS:
            browser.post("/api/clubs", json={"name": club}).raise_for_status()
            cup = {"name": "Cup", "game": "tictactoe", "start_at_bots": len(NAMES), "legs": 2}
            browser.post(f"/c/{club}/api/tournaments", json=cup).raise_for_status()


@pytest.mark.slow
async def test_tournaments_in_two_clubs_go_on_after_kills_of_the_server(tmp_path: Path) -> None:
    frames: dict[str, list[Frame]] = {club: [] for club in CLUBS}
    results = asyncio.Semaphore(0)

    def hears(club: str) -> Callable[[Frame], None]:
        def heard(frame: Frame) -> None:
            frames[club].append(frame)
            if frame["type"] == "match_over":
                results.release()

        return heard

    with restartable_server(tmp_path) as restartable:
        create(restartable)
        async with asyncio.timeout(120), asyncio.TaskGroup() as playing:
            for club in CLUBS:
                url = restartable.server.bot_url.replace("/bot", f"/c/{club}/bot")
                for name in NAMES:
                    bot = RecordingBot(url, "cup", name, think_s=lambda: 0.02, heard=hears(club))
                    playing.create_task(bot.play())
            for count in BETWEEN_KILLS:
                for _ in range(count):
                    await results.acquire()
                await asyncio.to_thread(restartable.kill)
                ended = any(fact["fact"] == "tournament_ended" for fact in restartable.facts())
                assert not ended, "over before the kill"
                await asyncio.to_thread(restartable.start)
        numbers = [fact["number"] for fact in restartable.facts() if not fact.get("with_move")]
        assert numbers == list(range(1, len(numbers) + 1)), "all clubs have one sequence of numbers"
        facts = {club: numbered(restartable.facts(f"{club}/%")) for club in CLUBS}
    for club in CLUBS:
        assert_all_played(facts[club], NAMES)
        assert assert_told_as_logged(frames[club], facts[club]) > len(NAMES)
        overs = [fact for fact in facts[club] if fact["fact"] == "match_over"]
        assert len([fact for fact in overs if fact["scores"] is not None]) == RESULTS
        assert {fact["termination"] for fact in overs} == {"normal"}
