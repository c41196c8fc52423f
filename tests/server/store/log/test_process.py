"""The writing process: restarted after a death, holding the lock, and ending only after its last transaction."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.log.commit_loop import message
from rumble_server.store.log.content import Content
from rumble_server.store.log.process import WriterProcess
from rumble_server.store.sqlite import lock
from rumble_server.store.sqlite.files import identity_of
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.store.databases import opened
from tests.server.store.disk import Listener, batch_of, group_of, joined, pid, rows, shut, write
from tests.server.store.played import execute

pytestmark = pytest.mark.e2e

PATIENCE_S = 10.0
COMMAND = (sys.executable, "-m", "rumble_server.store.sqlite.writer")


def row(number: int) -> list[Content]:
    return [batch_of(number, joined(number)).content()]


def writer_of(path: Path, lock: DatabaseLock) -> WriterProcess:
    return WriterProcess([*COMMAND, str(path), identity_of(str(path))], inherits=lock.file)


@asynccontextmanager
async def writing(path: Path) -> AsyncIterator[WriterProcess]:
    """Yield a writer of an existing database that holds the lock."""
    open_database(str(path)).close()
    lock = DatabaseLock(str(path))
    writer = writer_of(path, lock)
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield writer
    finally:
        await writer.close()
        lock.release()


async def test_the_process_tells_an_error_in_one_line_and_goes_on(path: Path) -> None:
    async with writing(path) as writer:
        execute(path, "ALTER TABLE log RENAME TO hidden")
        with pytest.raises(StoreError, match="no such table: log"):
            await writer.write(row(2), again=False)
        first = pid(writer)
        execute(path, "ALTER TABLE hidden RENAME TO log")
        await writer.write(row(2), again=False)
        assert (len(rows(path)), pid(writer)) == (1, first)


async def test_signals_to_the_group_of_the_server_do_not_end_the_process(path: Path) -> None:
    async with writing(path) as writer:
        await writer.write(row(1), again=False)
        first = pid(writer)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(first, number)
        await writer.write(row(2), again=False)
        assert pid(writer) == first


async def test_a_database_that_cannot_be_opened_is_told(path: Path) -> None:
    held = DatabaseLock(str(path))
    writer = writer_of(path.parent, held)
    with pytest.raises(StoreError, match="cannot open the database"):
        await writer.write(row(1), again=False)
    await writer.close()
    held.release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not hand on locks")
async def test_the_process_holds_the_lock_for_as_long_as_it_lives(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "WAIT_S", 0.0)
    open_database(str(path)).close()
    first = DatabaseLock(str(path))
    writer = writer_of(path, first)
    await writer.write(row(1), again=False)
    first.release()
    with pytest.raises(StoreError, match="another server"):
        DatabaseLock(str(path))
    await writer.close()
    DatabaseLock(str(path)).release()


# --- the program ---


def run(path: Path, given: bytes) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*COMMAND, str(path), identity_of(str(path))], input=given, capture_output=True, timeout=PATIENCE_S, check=False
    )


def test_half_a_message_is_not_written(path: Path) -> None:
    open_database(str(path)).close()
    whole = message(row(1))
    assert run(path, whole + message(row(2))[:-1]).stdout == b"\n"
    assert len(rows(path)) == 1
    ended = run(path, b"")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_the_process_ends_quietly_when_nobody_hears_its_answer(path: Path) -> None:
    open_database(str(path)).close()
    reading, unheard = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*COMMAND, str(path), identity_of(str(path))], stdin=subprocess.PIPE, stdout=unheard, stderr=subprocess.PIPE
    )
    os.close(unheard)
    complaints = process.communicate(message(row(1)) + message(row(2)), PATIENCE_S)[1]
    assert (process.returncode, complaints, len(rows(path))) == (0, b"", 1)


def test_the_process_imports_no_heavy_module() -> None:
    program = (
        "import sys, rumble_server.store.sqlite.writer; print({'asyncio', 'pydantic', 'logging'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"


# --- with the log ---


@pytest.mark.usefixtures("impatient")
async def test_a_log_goes_on_when_its_process_has_died(path: Path) -> None:
    async with opened(path, in_process=False) as log:
        listener = Listener(log)
        await write(log, joined(1))
        os.kill(pid(group_of(log).writer), signal.SIGKILL)
        await write(log, joined(2), joined(3))
        assert "the process that writes it ended with -9" in str(await listener.trouble.get())
        assert await listener.trouble.get() is None
        assert listener.facts == [(number, joined(number)) for number in (1, 2, 3)]
    assert rows(path) == [(1, "friday", 0), (2, "friday", 0)]


@pytest.mark.usefixtures("impatient")
async def test_a_log_is_in_trouble_while_no_process_can_be_started(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path, in_process=False) as log:
        listener = Listener(log)
        with monkeypatch.context() as patch:
            patch.setattr(group_of(log).writer, "command", [str(path.parent / "nowhere")])
            log.append(joined(1))
            assert "No such file" in str(await listener.trouble.get())
        await log.wait(1)
        assert len(rows(path)) == 1


async def test_the_next_log_completes_the_index_of_one_that_was_killed(path: Path) -> None:
    first = SqliteStore(str(path))
    first.attach(asyncio.get_running_loop())
    await write(first.open_log(), joined(1), joined(2, "monday"), joined(3))
    assert rows(path, "SELECT value FROM meta WHERE key = 'main/indexed'") == [("0",)]
    await first.group.writer.close()
    shut(first)
    async with opened(path) as log:
        assert log.last == 3
        assert rows(path, "SELECT value FROM meta WHERE key = 'main/indexed'") == [("3",)]
