"""While the log cannot be written, a tournament pauses, says why, and announces no result; later it resumes."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from rumble_server.store.sqlite.lock import DatabaseLock

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged
from tests.e2e.processes import PATIENCE_S
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.needs import long_or

pytestmark = pytest.mark.e2e

resource = pytest.importorskip("resource", reason="file sizes are limited by setrlimit")

NAMES = ("ann", "bob", "cyd", "dan")
WRITER_KILLS = long_or(1, 3)
CYCLES = 2
RESULTS = CYCLES * len(NAMES) * (len(NAMES) - 1)
WITHIN_S = 90
ENDING_S = 3.0
"""Time in s in which matches end on a full disk. Matches that a slow machine has not ended by then are not judged."""


class Field:
    """The bots of a tournament, and all frames told to them."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.hurried = False
        self._troubles: asyncio.Queue[str] = asyncio.Queue()
        self._turn = asyncio.Event()

    def heard(self, frame: Frame) -> None:
        self.frames.append(frame)
        if frame["type"] == "turn":
            self._turn.set()
        elif frame["type"] == "notice" and frame["code"] in ("disk", "resumed"):
            self._troubles.put_nowait(frame["code"])

    def think_s(self) -> float:
        return 0.0 if self.hurried else 0.02

    async def is_asked(self) -> None:
        """Wait until a bot is asked for a move."""
        self._turn.clear()
        await self._turn.wait()

    async def all_hear(self, code: str) -> None:
        """Wait until every bot has the next notice about the disk."""
        assert [await self._troubles.get() for _ in NAMES] == [code] * len(NAMES)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process, and tells which it has")
@pytest.mark.slow
async def test_trouble_with_the_disk_costs_no_result(tmp_path: Path) -> None:
    """The disk fills up, the writing process is killed, and the database is moved away and back."""
    field = Field()
    with restartable_server(tmp_path) as restartable:
        how = ("--game", "tictactoe", "--start-at-bots", str(len(NAMES)), "--cycles", str(CYCLES), "--legs", "2")
        restartable.server.tournament("create", "cup", *how)
        async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as playing:
            for name in NAMES:
                bot = RecordingBot(restartable.server.bot_url, "cup", name, think_s=field.think_s, heard=field.heard)
                playing.create_task(bot.play())
            await the_disk_is_full(restartable, field)
            for _ in range(WRITER_KILLS):
                await the_writer_is_killed(restartable, field)
            await the_database_is_moved_away(restartable, field)
            assert all(frame["type"] != "tournament_over" for frame in field.frames)
            field.hurried = True
        facts = restartable.facts()
        restartable.kill()
        # The writer ends by itself: the lock is free.
        DatabaseLock(str(restartable.database)).release()
    assert_all_played(facts, NAMES)
    assert assert_told_as_logged(field.frames, facts) == 2 * RESULTS
    assert {fact["termination"] for fact in facts if fact["fact"] == "match_over"} == {"normal"}
    assert {fact["by"] for fact in facts if fact["fact"] == "tournament_paused"} == {"disk"}


async def the_disk_is_full(restartable: RestartableServer, field: Field) -> None:
    await field.is_asked()
    limit_files(restartable, 1)
    await field.all_hear("disk")
    written = restartable.facts()
    announced = assert_told_as_logged(field.frames, written)
    await all_matches_end(restartable)
    assert restartable.facts() == written, "something was written after all"
    assert assert_told_as_logged(field.frames, written) == announced, "a result was announced on a full disk"
    limit_files(restartable, resource.RLIM_INFINITY)
    await field.all_hear("resumed")


async def the_writer_is_killed(restartable: RestartableServer, field: Field) -> None:
    await field.is_asked()
    os.kill(restartable.writer(), signal.SIGKILL)
    await field.all_hear("disk")
    await field.all_hear("resumed")


async def the_database_is_moved_away(restartable: RestartableServer, field: Field) -> None:
    await field.is_asked()
    aside = restartable.folder / "aside.db"
    os.rename(restartable.database, aside)
    await field.all_hear("disk")
    log = (restartable.folder / "serve.log").read_bytes()
    assert log.count(b"rumble.db was removed or replaced") == 1
    os.rename(aside, restartable.database)
    await field.all_hear("resumed")


def limit_files(restartable: RestartableServer, most_bytes: int) -> None:
    """Limit the file size of the server and its writer, which appears to them as a full disk."""
    for process in (restartable.process.pid, restartable.writer()):
        hard = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process, resource.RLIMIT_FSIZE, (most_bytes, hard))


async def all_matches_end(restartable: RestartableServer) -> None:
    """Wait until no match runs, at most `ENDING_S`: a match that began on the full disk waits for the disk, too."""
    async with httpx.AsyncClient(base_url=restartable.server.url, trust_env=False, timeout=PATIENCE_S) as browser:
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_S):
                while "\nrumble_matches_running 0.0\n" not in (await browser.get("/metrics")).text:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)  # another process is waited for
