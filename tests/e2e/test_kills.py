"""SIGKILL at random, and SIGTERM: a tournament loses no result and counts none twice."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import restartable_server

pytestmark = pytest.mark.e2e

SERVER_KILLS, BOT_KILLS = 25, 3
NAMES = tuple(f"bot{number:02}" for number in range(1, 13))
THINK_S = 0.15
BOUND_S = 120
DRAIN_BOUND_S = 12


@pytest.mark.long
async def test_25_kills_of_the_server_and_3_of_each_bot(tmp_path: Path) -> None:
    fate, frames = random.Random(7), list[Frame]()
    begun, hurried = asyncio.Event(), asyncio.Event()

    def heard(frame: Frame) -> None:
        frames.append(frame)
        if frame["type"] == "match_start":
            begun.set()

    def think_s() -> float:
        return 0.0 if hurried.is_set() else THINK_S

    with restartable_server(tmp_path) as restartable:
        create = ("--game", "tictactoe", "--start-at-bots", "12", "--cycles", "1", "--legs", "2")
        restartable.server.tournament("create", "cup", *create)
        bots = [RecordingBot(restartable.server.bot_url, "cup", name, 1, think_s, heard) for name in NAMES]
        cuts = bots * BOT_KILLS
        fate.shuffle(cuts)
        async with asyncio.timeout(BOUND_S), asyncio.TaskGroup() as playing:
            for bot in bots:
                playing.create_task(bot.play())
            await begun.wait()
            for number in range(SERVER_KILLS):
                for bot in cuts[number::SERVER_KILLS]:
                    bot.cut()
                await asyncio.sleep(fate.uniform(0.02, 0.7))
                await asyncio.to_thread(restartable.kill)
                await asyncio.to_thread(restartable.start)
            ended = any(fact["fact"] == "tournament_ended" for fact in restartable.facts())
            assert not ended, "over before the last kill"
            hurried.set()
        facts = restartable.facts()
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(frames, facts) > 100
    assert len([fact for fact in facts if fact["fact"] == "match_over" and fact["scores"] is not None]) == 132
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}


@pytest.mark.slow
async def test_sigterm_during_50_matches(tmp_path: Path) -> None:
    names = [f"bot{number:02}" for number in range(1, 12)]
    started: set[str] = set()
    frames: list[Frame] = []
    may_answer = asyncio.Event()
    all_started = asyncio.Event()

    def heard(frame: Frame) -> None:
        frames.append(frame)
        if frame["type"] == "match_start":
            started.add(frame["match"])
            if len(started) == 55:
                all_started.set()

    def think_s() -> float:
        return 0.0 if may_answer.is_set() else 3600.0

    with restartable_server(tmp_path, options=("--drain-ms", "500")) as restartable:
        restartable.server.tournament("create", "cup", "--game", "tictactoe", "--start-at-bots", "11", "--legs", "1")
        bots = [RecordingBot(restartable.server.bot_url, "cup", name, 10, think_s, heard) for name in names]
        async with asyncio.timeout(90), asyncio.TaskGroup() as playing:
            for bot in bots:
                playing.create_task(bot.play())
            await all_started.wait()
            code, took_s = await asyncio.to_thread(restartable.terminate)
            assert code == 0
            assert took_s < DRAIN_BOUND_S
            may_answer.set()
            await asyncio.to_thread(restartable.start)
        facts = restartable.facts()
    assert all(1001 in bot.closes for bot in bots)
    assert_all_played(facts, names, max_matches=10)
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}
    assert assert_told_as_logged(frames, facts) == 110
