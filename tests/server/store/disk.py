"""A log on a real disk, for one test."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.codec import LINES, Numbered, write_lines
from rumble_server.store.log.content import Content
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.store.sqlite.writer import write as commit
from rumble_server.tournament.facts import BotJoined, LogFact

PATIENCE_S = 5.0


def joined(number: int, tournament: str = "friday") -> LogFact:
    """Return a fact with this number in the bot's name."""
    return BotJoined(tournament, f"bot-{number}", number)


def write_facts(facts: Sequence[Numbered]) -> str:
    """Return the text of a row with these facts."""
    return write_lines([LINES[type(fact)](number, fact) for number, fact in facts])


class WriterInProcess:
    """A writer in this process; it writes the index of matches with every second commit."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._writes = 0

    async def write(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        await asyncio.sleep(0)
        self._writes += 1
        try:
            commit(self._database, contents, index=self._writes % 2 == 0)
        except sqlite3.Error as error:
            raise StoreError(str(error)) from None
        return ()

    async def close(self) -> None:
        pass


@contextlib.asynccontextmanager
async def opened_store(path: Path, *, in_process: bool = True) -> AsyncIterator[SqliteStore]:
    """Yield the database of a running server, and close it at the end."""
    store = SqliteStore(str(path))
    if in_process:
        store.database.execute("PRAGMA busy_timeout = 1")
        store.group.writer = WriterInProcess(store.database)
    store.attach(asyncio.get_running_loop())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield store
    finally:
        async with asyncio.timeout(PATIENCE_S):
            await store.close()


@contextlib.asynccontextmanager
async def opened(path: Path, *, in_process: bool = True) -> AsyncIterator[ClubLog]:
    """Yield the log of main on a running server, and close the database at the end."""
    async with opened_store(path, in_process=in_process) as store:
        yield store.log()


def shut(store: SqliteStore) -> None:
    """Close a database on which nothing was written."""
    store.database.close()
    store.lock.release()


async def write(log: ClubLog, *facts: LogFact) -> None:
    """Append facts, and wait until they are on disk."""
    for fact in facts:
        log.append(fact)
    await log.wait(log.last)


def group_of(log: ClubLog) -> GroupCommit:
    """Return the group commit of a log."""
    assert isinstance(log.group, GroupCommit)
    return log.group


def begin_write(log: ClubLog) -> None:
    """Begin to write the appended facts now."""
    group_of(log).write()


def rows(
    path: Path, query: str = "SELECT number, tournament, kind FROM log ORDER BY number"
) -> list[tuple[object, ...]]:
    """Return the rows that another connection sees on disk now."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the database from another connection for a block, so that no write succeeds."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


class Told:
    """Recorder of the calls of a log's listeners."""

    def __init__(self, log: ClubLog) -> None:
        self.batches: list[list[Numbered]] = []
        self.trouble: asyncio.Queue[str | None] = asyncio.Queue()
        log.on_durable.append(lambda batch: self.batches.append(list(batch)))
        log.on_trouble.append(self.trouble.put_nowait)

    @property
    def facts(self) -> list[Numbered]:
        return [numbered for batch in self.batches for numbered in batch]
