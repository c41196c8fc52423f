"""Kill -9 at random, and SIGTERM: a tournament loses nothing, and counts nothing twice."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.lives import ROOT, Lives, assert_all_played, assert_told_as_logged, living, notes
from tests.e2e.recording_bot import Frame, RecordingBot

pytestmark = pytest.mark.e2e

SERVER_KILLS, BOT_KILLS = 25, 3
NAMES = tuple(f"bot{number:02}" for number in range(1, 13))
THINK_MS = 150
BOUND_S = 120
DRAIN_BOUND_S = 12


class Bots:
    """Twelve bot processes; one that is killed is started again."""

    def __init__(self, lives: Lives) -> None:
        self._lives = lives
        self._folder = lives.folder / "notes"
        self._folder.mkdir()
        self._running = {name: self._start(name) for name in NAMES}

    def _start(self, name: str) -> "subprocess.Popen[bytes]":
        arguments = [self._lives.server.bot_url, "cup", name, str(self._folder), str(THINK_MS)]
        return subprocess.Popen([sys.executable, "-m", "tests.e2e.recording_bot", *arguments], cwd=ROOT)

    def kill(self, name: str) -> None:
        self._running[name].kill()
        self._running[name].wait()
        self._running[name] = self._start(name)

    def hurry(self) -> None:
        """From now on they do not think any more."""
        (self._folder / "hurry").touch()

    def wait(self, until: float) -> None:
        """Until each has seen the end of the tournament. Raises TimeoutExpired."""
        for process in self._running.values():
            assert process.wait(max(0.1, until - time.monotonic())) == 0

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()

    def notes(self) -> list[Frame]:
        return notes(self._folder)


def test_25_kills_of_the_server_and_3_of_each_bot(tmp_path: Path) -> None:
    fate = random.Random(7)
    began = time.monotonic()
    with living(tmp_path) as lives:
        create = ("--game", "tictactoe", "--start-at-bots", "12", "--cycles", "1", "--legs", "2")
        lives.server.host("create", "cup", *create)
        bots = Bots(lives)
        try:
            wait_for_start(lives)
            bot_kills = [name for name in NAMES for _ in range(BOT_KILLS)]
            fate.shuffle(bot_kills)
            for number in range(SERVER_KILLS):
                for name in bot_kills[number::SERVER_KILLS]:
                    bots.kill(name)
                time.sleep(fate.uniform(0.02, 0.7))
                lives.kill()
                lives.start()
            assert not any(fact["fact"] == "tournament_ended" for fact in lives.facts()), "over before the last kill"
            bots.hurry()
            bots.wait(began + BOUND_S)
        finally:
            bots.end()
        facts = lives.facts()
    assert time.monotonic() - began < BOUND_S
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(bots.notes(), facts) > 100
    assert len([fact for fact in facts if fact["fact"] == "match_over" and fact["scores"] is not None]) == 132
    ends = Counter(fact["termination"] for fact in facts if fact["fact"] == "match_over")
    assert ends.keys() <= {"normal"}, ends


def wait_for_start(lives: Lives) -> None:
    """Until the tournament runs."""
    for _ in range(300):
        if any(fact["fact"] == "match_started" for fact in lives.facts()):
            return
        time.sleep(0.1)
    raise AssertionError("the tournament did not start")


async def test_sigterm_during_50_matches(tmp_path: Path) -> None:
    names = [f"bot{number:02}" for number in range(1, 12)]
    started: set[str] = set()
    told: list[Frame] = []
    may_answer = asyncio.Event()
    all_started = asyncio.Event()

    def heard(frame: Frame) -> None:
        told.append(frame)
        if frame["type"] == "match_start":
            started.add(frame["match"])
            if len(started) == 55:
                all_started.set()

    def think_s() -> float:
        return 0.0 if may_answer.is_set() else 3600.0

    with living(tmp_path) as lives:
        lives.server.host("create", "cup", "--game", "tictactoe", "--start-at-bots", "11", "--legs", "1")
        bots = [RecordingBot(lives.server.bot_url, "cup", name, 10, think_s, heard) for name in names]
        async with asyncio.timeout(90), asyncio.TaskGroup() as playing:
            for bot in bots:
                playing.create_task(bot.play())
            await all_started.wait()
            code, took_s = await asyncio.to_thread(lives.terminate)
            assert code == 0
            assert took_s < DRAIN_BOUND_S
            may_answer.set()
            await asyncio.to_thread(lives.start)
        facts = lives.facts()
    assert all(1001 in bot.closes for bot in bots)
    assert_all_played(facts, names, max_matches=10)
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}
    assert assert_told_as_logged(told, facts) == 110
