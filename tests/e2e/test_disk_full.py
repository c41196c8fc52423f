"""Without a disk a tournament pauses and says why, announces nothing that is not written, and later resumes."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from rumble_server.store.lock import DatabaseLock

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server

pytestmark = pytest.mark.e2e

resource = pytest.importorskip("resource", reason="file sizes are limited by setrlimit")

NAMES = ("ann", "bob", "cyd", "dan")
FULL_S = 2.5
WRITER_KILLS = 3


def limit_files(restartable: RestartableServer, most_bytes: int) -> None:
    """Limit the size of the files of the server and of its writer; for them that is a full disk."""
    for process in (restartable.process.pid, restartable.writer()):
        hard = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process, resource.RLIMIT_FSIZE, (most_bytes, hard))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
async def test_full_disk(tmp_path: Path) -> None:
    told: list[Frame] = []
    seen: dict[str, asyncio.Event] = {code: asyncio.Event() for code in ("turn", "disk", "resumed")}

    def heard(frame: Frame) -> None:
        told.append(frame)
        what = frame["code"] if frame["type"] == "notice" else frame["type"]
        if what in seen:
            seen[what].set()

    with restartable_server(tmp_path) as restartable:
        restartable.server.tournament("create", "cup", "--game", "tictactoe", "--start-at-bots", "4", "--cycles", "3")
        async with asyncio.timeout(60), asyncio.TaskGroup() as playing:
            for name in NAMES:
                bot = RecordingBot(restartable.server.bot_url, "cup", name, think_s=lambda: 0.02, heard=heard)
                playing.create_task(bot.play())
            await seen["turn"].wait()
            limit_files(restartable, 1)
            await seen["disk"].wait()
            written = restartable.facts()
            announced = assert_told_as_logged(told, written)
            await asyncio.sleep(FULL_S)
            assert restartable.facts() == written, "something was written after all"
            assert assert_told_as_logged(told, written) == announced, "a result was announced on a full disk"
            assert restartable.process.poll() is None
            limit_files(restartable, resource.RLIM_INFINITY)
            await seen["resumed"].wait()
        facts = restartable.facts()
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(told, facts) > announced
    paused = [fact for fact in facts if fact["fact"] == "tournament_paused"]
    assert [fact["by"] for fact in paused] == ["disk"] * len(paused)
    assert paused
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes a process has")
async def test_the_process_that_writes_is_killed(tmp_path: Path) -> None:
    told: list[Frame] = []
    notices: asyncio.Queue[str] = asyncio.Queue()
    turn = asyncio.Event()

    def heard(frame: Frame) -> None:
        told.append(frame)
        if frame["type"] == "turn":
            turn.set()
        elif frame["type"] == "notice" and frame["code"] in ("disk", "resumed"):
            notices.put_nowait(frame["code"])

    async def all_hear(code: str) -> None:
        assert [await notices.get() for _ in NAMES] == [code] * len(NAMES)

    with restartable_server(tmp_path) as restartable:
        restartable.server.tournament("create", "cup", "--game", "tictactoe", "--start-at-bots", "4", "--cycles", "3")
        async with asyncio.timeout(60), asyncio.TaskGroup() as playing:
            for name in NAMES:
                bot = RecordingBot(restartable.server.bot_url, "cup", name, think_s=lambda: 0.02, heard=heard)
                playing.create_task(bot.play())
            await turn.wait()
            for _ in range(WRITER_KILLS):
                os.kill(restartable.writer(), signal.SIGKILL)
                await all_hear("disk")
                await all_hear("resumed")
        facts = restartable.facts()
        restartable.kill()
        # Its writer ends by itself: the lock is free.
        DatabaseLock(str(restartable.database)).release()
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(told, facts) == 72
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no open file")
async def test_the_database_is_moved_away_and_back(tmp_path: Path) -> None:
    told: list[Frame] = []
    seen: dict[str, asyncio.Event] = {code: asyncio.Event() for code in ("turn", "disk", "resumed")}

    def heard(frame: Frame) -> None:
        told.append(frame)
        what = frame["code"] if frame["type"] == "notice" else frame["type"]
        if what in seen:
            seen[what].set()

    with restartable_server(tmp_path) as restartable:
        restartable.server.tournament("create", "cup", "--game", "tictactoe", "--start-at-bots", "4", "--cycles", "3")
        async with asyncio.timeout(60), asyncio.TaskGroup() as playing:
            for name in NAMES:
                bot = RecordingBot(restartable.server.bot_url, "cup", name, think_s=lambda: 0.02, heard=heard)
                playing.create_task(bot.play())
            await seen["turn"].wait()
            aside = tmp_path / "aside.db"
            os.rename(restartable.database, aside)
            await seen["disk"].wait()
            announced = [frame for frame in told if frame["type"] == "match_over"]
            assert (tmp_path / "serve.log").read_bytes().count(b"rumble.db was removed or replaced") == 1
            os.rename(aside, restartable.database)
            await seen["resumed"].wait()
        facts = restartable.facts()
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(told, facts) == 72 > len(announced)
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}
