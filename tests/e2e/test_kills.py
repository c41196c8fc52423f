"""SIGKILL at random, and SIGTERM: a tournament loses no result and counts none twice."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged
from tests.e2e.recording_bot import Frame, RecordingBot, read_recorded
from tests.e2e.restartable_server import ROOT, RestartableServer, restartable_server
from tests.waiting import until

pytestmark = pytest.mark.e2e

SERVER_KILLS, BOT_KILLS = 25, 3
NAMES = tuple(f"bot{number:02}" for number in range(1, 13))
THINK_MS = 150
BOUND_S = 120
DRAIN_BOUND_S = 12


class Bots:
    """Twelve bot processes; a killed process is started again."""

    def __init__(self, restartable: RestartableServer) -> None:
        self._restartable = restartable
        self._folder = restartable.folder / "recorded"
        self._folder.mkdir()
        self._running = {name: self._start(name) for name in NAMES}

    def _start(self, name: str) -> "subprocess.Popen[bytes]":
        arguments = [self._restartable.server.bot_url, "cup", name, str(self._folder), str(THINK_MS)]
        return subprocess.Popen([sys.executable, "-m", "tests.e2e.recording_bot", *arguments], cwd=ROOT)

    def kill(self, name: str) -> None:
        self._running[name].kill()
        self._running[name].wait()
        self._running[name] = self._start(name)

    def hurry(self) -> None:
        """Let bots answer at once from now on."""
        (self._folder / "hurry").touch()

    def wait(self, until: float) -> None:
        """Wait until each bot was told the end of the tournament. Raises TimeoutExpired."""
        for process in self._running.values():
            assert process.wait(max(0.1, until - time.monotonic())) == 0

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()

    def recorded(self) -> list[Frame]:
        return read_recorded(self._folder)


@pytest.mark.long
def test_25_kills_of_the_server_and_3_of_each_bot(tmp_path: Path) -> None:
    fate = random.Random(7)
    began = time.monotonic()
    with restartable_server(tmp_path) as restartable:
        create = ("--game", "tictactoe", "--start-at-bots", "12", "--cycles", "1", "--legs", "2")
        restartable.server.tournament("create", "cup", *create)
        bots = Bots(restartable)
        try:
            wait_for_start(restartable)
            bot_kills = [name for name in NAMES for _ in range(BOT_KILLS)]
            fate.shuffle(bot_kills)
            for number in range(SERVER_KILLS):
                for name in bot_kills[number::SERVER_KILLS]:
                    bots.kill(name)
                time.sleep(fate.uniform(0.02, 0.7))
                restartable.kill()
                restartable.start()
            ended = any(fact["fact"] == "tournament_ended" for fact in restartable.facts())
            assert not ended, "over before the last kill"
            bots.hurry()
            bots.wait(began + BOUND_S)
        finally:
            bots.end()
        facts = restartable.facts()
    assert time.monotonic() - began < BOUND_S
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(bots.recorded(), facts) > 100
    assert len([fact for fact in facts if fact["fact"] == "match_over" and fact["scores"] is not None]) == 132
    ends = Counter(fact["termination"] for fact in facts if fact["fact"] == "match_over")
    assert ends.keys() <= {"normal"}, ends


def wait_for_start(restartable: RestartableServer) -> None:
    """Wait until the tournament runs."""
    until(lambda: any(fact["fact"] == "match_started" for fact in restartable.facts()))


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
