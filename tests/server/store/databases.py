"""A database of each kind, for tests that hold for both."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol

from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.content import Content
from rumble_server.store.log.reader import LogReader
from rumble_server.store.open import open_store
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.store.sqlite.writer import write

from tests.postgres.cluster import run

PATIENCE_S = 10.0
ROWS = "SELECT number, replace(tournament, 'main/', ''), kind FROM log ORDER BY number"
"""SQL query for the rows of the log, where all rows belong to main."""
Commit = Callable[[Content, bool], object]
"""Function that writes a commit; with true, an index of matches kept apart from the log is written, too."""


class Database(Protocol):
    """The operations of a test on a database, beside its store."""

    url: str
    refusal: str
    """Text in the error of a write while the database is `locked`."""

    def writer(self, store: Any) -> Any:
        """Return a writer in this process."""

    def writing(self) -> contextlib.AbstractContextManager[Commit]:
        """Yield a function that writes commits to a new database, under epoch 1, without a server."""

    def reader(self) -> LogReader:
        """Return a reader of main."""

    def rows(self, query: str = ROWS) -> list[tuple[Any, ...]]:
        """Return the rows that a second connection sees now."""

    def execute(self, statement: str) -> None:
        """Run a statement on another connection."""

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Lock the database from another connection for a block, so that no write succeeds."""


class SqliteDatabase:
    refusal = "locked"

    def __init__(self, path: Path) -> None:
        self.url = str(path)

    def writer(self, store: SqliteStore) -> "WriterInProcess":
        store.database.execute("PRAGMA busy_timeout = 1")
        return sqlite_writer(store.database)

    def rows(self, query: str = ROWS) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(self.url)) as database:
            return database.execute(query).fetchall()

    def execute(self, statement: str) -> None:
        with contextlib.closing(sqlite3.connect(self.url, isolation_level=None)) as database:
            database.execute(statement)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with contextlib.closing(sqlite3.connect(self.url, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            yield
            database.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self) -> Iterator[Commit]:
        with contextlib.closing(open_database(self.url)) as database:
            yield lambda content, index: write(database, [content], index=index)

    def reader(self) -> LogReader:
        return read_sqlite(self.url)


class WriterInProcess:
    """A writer in this process, in place of the writing process. `commit` writes a commit to a database."""

    def __init__(
        self, commit: Callable[[Sequence[Content], bool], Sequence[str]], close: Callable[[], None] = lambda: None
    ) -> None:
        self._commit, self._close = commit, close

    async def write(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        await asyncio.sleep(0)
        return self._commit(contents, again)

    async def close(self) -> None:
        self._close()


def sqlite_writer(database: sqlite3.Connection) -> WriterInProcess:
    """Return a writer to a file, which writes the index of matches with every second commit."""
    index = cycle([False, True])

    def commit(contents: Sequence[Content], _again: bool) -> Sequence[str]:
        try:
            write(database, contents, index=next(index))
        except sqlite3.Error as error:
            raise StoreError(str(error)) from None
        return ()

    return WriterInProcess(commit)


class PostgresDatabase:
    refusal = "lock timeout"

    def __init__(self, url: str) -> None:
        self.url = url

    def writer(self, store: Any) -> WriterInProcess:
        from rumble_server.store.postgres.connection import PostgresConnection
        from rumble_server.store.postgres.writer import Commits

        connection = PostgresConnection(self.url)
        connection.execute("SET lock_timeout = 20")
        return WriterInProcess(Commits(connection).commit, connection.close)

    def rows(self, query: str = ROWS) -> list[tuple[Any, ...]]:
        return run(self.url, query)

    def execute(self, statement: str) -> None:
        run(self.url, statement)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        import psycopg

        with psycopg.connect(self.url) as held:
            held.execute("LOCK TABLE log IN EXCLUSIVE MODE")
            yield
            held.rollback()

    @contextlib.contextmanager
    def writing(self) -> Iterator[Commit]:
        from rumble_server.store.postgres.connection import PostgresConnection
        from rumble_server.store.postgres.schema import prepare
        from rumble_server.store.postgres.writer import Commits

        with contextlib.closing(PostgresConnection(self.url)) as connection:
            prepare(connection)
            connection.execute("INSERT INTO clubs (club, epoch) VALUES ('main', 1)")
            later, now = Commits(connection, index_s=1e9), Commits(connection, index_s=0)
            yield lambda content, index: (now if index else later).commit([content], again=False)

    def reader(self) -> LogReader:
        from rumble_server.store.postgres.rows import read_postgres

        return read_postgres(self.url)


@contextlib.asynccontextmanager
async def opened_store(database: Database | Path, *, in_process: bool = True) -> AsyncIterator[Any]:
    """Yield the store of a running server on a database, or on the file at a path. Close the store at the end."""
    if isinstance(database, Path):
        database = SqliteDatabase(database)
    store: Any = open_store(database.url)
    if in_process:
        store.group.writer = database.writer(store)
    store.attach(asyncio.get_running_loop())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield store
    finally:
        async with asyncio.timeout(PATIENCE_S):
            await store.close()


@contextlib.asynccontextmanager
async def opened(database: Database | Path, *, in_process: bool = True) -> AsyncIterator[ClubLog]:
    """Yield the log of main on a running server, and close the store at the end."""
    async with opened_store(database, in_process=in_process) as store:
        yield store.open_log()
