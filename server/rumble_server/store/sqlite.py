"""The event log in SQLite: batched group commit, in a process of its own.

`append` only takes a fact. A batch is written within `BATCH_S`, or `HURRIED_S` when somebody waits for it, as one
transaction (WAL, synchronous FULL) of a row per tournament and kind. While one batch is being written, the next one
gathers. Listeners are told of facts only when they are on disk.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from rumble_server.histogram import Histogram
from rumble_server.store.batch import Batch
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.store.files import Files, identity_of, make_private
from rumble_server.store.lock import DatabaseLock
from rumble_server.store.match_index import index_matches, last_number
from rumble_server.store.process import WriterProcess
from rumble_server.store.purge import empty_wal, purge
from rumble_server.store.schema import check_database, open_database
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

BATCH_S = 0.006
"""How long facts gather, in s, while nobody waits for them. The time of one write comes on top."""
HURRIED_S = 0.003
"""How long facts gather, in s, once somebody waits: a commit costs the same for one fact as for a hundred."""
RETRY_S = 1.0
"""How long after a failed write, in s, the batch is written again."""
WATCH_S = 0.5
"""How often it is seen to, in s, that the database's files are in place."""

Listener = Callable[[list[Numbered]], None]


class SqliteLog:
    """The `Log` of a server, and `DurableLog` of its web. Open it, `attach` it to the running loop, then `close` it."""

    def __init__(self, path: str) -> None:
        self.path = path = os.path.realpath(path)
        check_database(path)
        self._lock = DatabaseLock(path)
        try:
            for problem in make_private(path):
                log.warning(problem)
            self._database = open_database(path)
            self.last = self.durable = self._take_up()
        except StoreError:
            self._lock.release()
            raise
        identity = identity_of(path)
        self._files = Files(path, identity)
        self._displaced: str | None = None
        """What was found wrong with the files when they were looked at last."""
        self._writer = WriterProcess(path, self._lock, identity)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._batch = Batch()
        self._failed: Batch | None = None
        """The batch that could not be written, to be written again just so: it may be on disk nevertheless."""
        self._writing: asyncio.Task[None] | None = None
        self._timer: asyncio.Handle | None = None
        self._watching: asyncio.Handle | None = None
        self._hurried = False
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self.commits = Histogram()
        """How long the transactions took that were written."""
        self._began_s = 0.0
        self.trouble: str | None = None
        """Why the last write failed; None while writing works."""
        self.on_durable: list[Listener] = []
        self.on_trouble: list[Callable[[str | None], None]] = []

    def _take_up(self) -> int:
        """Complete the index from the tail of the log, and return the number of the last fact. Raises StoreError."""
        try:
            last = last_number(self._database)
            empty_wal(self._database)
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                index_matches(self._database, last)
            return last
        except sqlite3.Error as error:
            self._database.close()
            raise StoreError(f"cannot use the database {self.path}: {error}") from None

    # --- Log ---

    def append(self, fact: LogFact) -> int:
        self.last = number = self.last + 1
        self._batch.facts.append((number, fact))
        if self._timer is None and self._writing is None and self._loop is not None:
            self._timer = self._loop.call_later(BATCH_S, self._write)
        return number

    def file(self, ended: EndedTournament) -> None:
        """Take the record of a tournament that is over for the batch that has the fact appended last."""
        self._batch.file(ended)
        self._gather()

    def hurry(self) -> None:
        if not self._hurried and self._writing is None and self._batch and self._loop is not None:
            self._hurried = True
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_later(HURRIED_S, self._write)

    async def wait(self, number: int) -> None:
        if number > self.durable:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((number, future))
            self.hurry()
            await future

    async def wait_all(self) -> None:
        """Return once everything is on disk, or writing has failed."""
        while (self._batch or self._writing is not None) and self.trouble is None:
            self.hurry()
            if self._writing is not None:
                await asyncio.wait([self._writing])
            await asyncio.sleep(0)

    # --- life ---

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write batches on this loop."""
        self._loop = loop
        self._watch()
        if self._batch:
            self._timer = loop.call_soon(self._write)

    async def close(self) -> None:
        """Write what is left and close the database."""
        await self.wait_all()
        self._loop = None
        for timer in (self._timer, self._watching):
            if timer is not None:
                timer.cancel()
        if self._writing is not None:
            await asyncio.wait([self._writing])
        await self._writer.close()
        if self.last > self.durable:
            log.error("facts that could not be written are lost: %d", self.last - self.durable)
        self._database.close()
        self._lock.release()

    # --- writing ---

    def _gather(self) -> None:
        if self._batch and self._timer is None and self._writing is None and self._loop is not None:
            self._timer = self._loop.call_later(BATCH_S, self._write)

    def _write(self) -> None:
        self._timer = None
        self._hurried = False
        if self._loop is None or not (self._failed or self._batch):
            return
        batch = self._failed
        if batch is None:
            batch, self._batch = self._batch, Batch()
        last = batch.facts[-1][0] if batch.facts else self.durable
        self._began_s = perf_counter()
        self._writing = self._loop.create_task(self._writer.write(last, batch.statements()))
        self._writing.add_done_callback(lambda written: self._written(batch, written))

    def _written(self, batch: Batch, written: "asyncio.Task[None]") -> None:
        self._writing = None
        error = written.exception()
        if error is not None:
            self._failed = batch
            self._report(str(error))
            if self._loop is not None:
                self._timer = self._loop.call_later(RETRY_S, self._write)
                self._hurried = True
            return
        self.commits.observe(perf_counter() - self._began_s)
        self._failed = None
        self._report(self._displaced)
        if batch.facts:
            self.durable = batch.facts[-1][0]
            for listener in self.on_durable:
                listener(batch.facts)
        waiting, self._waiters = self._waiters, []
        for number, future in waiting:
            if number > self.durable:
                self._waiters.append((number, future))
            elif not future.done():
                future.set_result(None)
        if self._waiters:
            self.hurry()
        self._gather()

    def _watch(self) -> None:
        """See to it that the files are in place, which a write does, too; but there may be none for long."""
        if self._loop is None:
            return
        self._displaced = self._files.displaced()
        if self._failed is None and self._writing is None:
            self._report(self._displaced)
        self._watching = self._loop.call_later(WATCH_S, self._watch)

    def _report(self, trouble: str | None) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble is None:
            log.warning("the database can be written again")
        else:
            log.error("the database cannot be written: %s", trouble)
        for listener in self.on_trouble:
            listener(trouble)

    # --- small values, kept beside the log; for use before `attach` ---

    def count_run(self) -> int:
        """Count a run of a server on this database, and return its number, from 1. Raises StoreError."""
        run = int(self.get("runs") or 0) + 1
        self.put("runs", str(run))
        return run

    def get(self, key: str) -> str | None:
        row = self._database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Keep a small value beside the log. Raises StoreError."""
        try:
            self._database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
        except sqlite3.Error as error:
            raise StoreError(f"cannot write to the database {self.path}: {error}") from None

    def purge(self, key: str) -> None:
        """Remove a small value so that no byte of it stays in the database's files. Raises StoreError."""
        try:
            purge(self._database, key)
        except sqlite3.Error as error:
            raise StoreError(f"cannot write to the database {self.path}: {error}") from None


def database_path(url: str) -> str:
    """Return the file of `--db`: a path, `sqlite:///relative` or `sqlite:////absolute`. Raises StoreError."""
    if "://" not in url:
        return url
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite" or not rest.startswith("/") or len(rest) < 2:
        raise StoreError(f"--db takes a path, sqlite:///relative or sqlite:////absolute, not {url!r}")
    return str(Path(rest[1:]))
