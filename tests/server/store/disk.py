"""A log on a real disk, for one test."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rumble_server.store.log.batch import Batch
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.codec import LINES, Numbered, write_lines
from rumble_server.store.log.content import Content, lead_id
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.process import WriterProcess
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.facts import BotJoined, LogFact

from tests.server.store.databases import SqliteDatabase


def joined(number: int, tournament: str = "friday") -> LogFact:
    """Return a fact with this number in the bot's name."""
    return BotJoined(tournament, f"bot-{number}", number)


def batch_of(first: int, *facts: LogFact) -> Batch:
    """Return a batch of facts, with `first` as the number of the first."""
    batch = Batch()
    batch.facts += enumerate(facts, first)
    return batch


def write_facts(facts: Sequence[Numbered]) -> str:
    """Return the text of a row with these facts."""
    return write_lines([LINES[type(fact)](number, fact) for number, fact in facts])


def shut(store: SqliteStore) -> None:
    """Close a database on which nothing was written."""
    store.database.close()
    store.lock.release()


def next_run(path: Path) -> int:
    """Begin and end a run of a server on the database, and return the number of the run."""
    store = SqliteStore(str(path))
    number = store.run_number_of()
    shut(store)
    return number


async def write(log: ClubLog, *facts: LogFact) -> None:
    """Append facts, and wait until they are on disk."""
    for fact in facts:
        log.append(fact)
    await log.wait(log.last)


def group_of(log: ClubLog) -> GroupCommit:
    """Return the group commit of a log."""
    assert isinstance(log.group, GroupCommit)
    return log.group


def pid(writer: WriterProcess) -> int:
    """Return the id of a running writing process."""
    assert writer.child is not None
    return writer.child._transport.get_pid()


def begin_write(log: ClubLog) -> None:
    """Begin to write the appended facts now."""
    group_of(log).write()


def rows(path: Path, *query: str) -> list[tuple[Any, ...]]:
    """Return the rows that another connection sees on disk now: those of the log, or of a query."""
    return SqliteDatabase(path).rows(*query)


class HeldCommits:
    """Holds the commits of a group back until `go_on` is set. `commits` has the leads of each commit that was begun."""

    def __init__(self, group: Any) -> None:
        self.go_on = asyncio.Event()
        self.commits: list[list[str]] = []
        self._write = group.writer.write
        group.writer.write = self._held

    async def _held(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        self.commits.append([lead_id(each) for each in contents])
        async with asyncio.timeout(5):  # else a failure of the test would hang
            await self.go_on.wait()
        written: Sequence[str] = await self._write(contents, again=again)
        return written


class Listener:
    """A listener of a log, which records its calls."""

    def __init__(self, log: ClubLog) -> None:
        self.batches: list[list[Numbered]] = []
        self.trouble: asyncio.Queue[str | None] = asyncio.Queue()
        log.on_durable.append(lambda batch: self.batches.append(list(batch)))
        log.on_trouble.append(self.trouble.put_nowait)

    @property
    def facts(self) -> list[Numbered]:
        return [numbered for batch in self.batches for numbered in batch]
