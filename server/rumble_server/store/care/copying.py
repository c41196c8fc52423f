"""`rumble db copy`: copy all clubs from SQLite to PostgreSQL or back, and compare the databases row by row.

A database in PostgreSQL can be copied to SQLite only if it has no club besides `main`.

Facts keep their numbers and texts. On a copy in SQLite, the next run of the server gets a number greater than all runs
and epochs of both databases. On a copy in PostgreSQL, the next epoch of each club gets such a number. Turn ids contain
the number, so no turn id from before the copy is used again.
"""

import itertools
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from rumble_server.store.care.copies import new_file
from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import intact
from rumble_server.store.log.copied import DERIVED, Contents, CopiedRow, TournamentRow
from rumble_server.store.open import database_path, is_postgres, need_postgres
from rumble_server.store.row_keys import MAIN, prefix_of, readable, split
from rumble_server.store.sqlite.lock import locked
from rumble_server.store.sqlite.match_index import index_matches, last_number
from rumble_server.store.sqlite.schema import open_database, open_existing, store_errors
from rumble_server.store.sqlite.writer import LOG_ROW, RECORD


class SqliteContents:
    """The contents (port `Contents`) of an SQLite file on which no server runs."""

    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self._database = database
        self.name = name

    def clubs(self) -> list[str]:
        for (number,) in self._rows("SELECT number FROM log WHERE instr(tournament, '/') = 0 AND facts <> ''"):
            raise self._damaged(f"row {number} of the log")  # the row would be in no club
        keys = self._rows("SELECT tournament FROM log UNION SELECT id FROM tournaments UNION SELECT key FROM meta")
        return sorted({MAIN, *(split(key)[0] for (key,) in keys)})

    def newest_run(self) -> int:
        return max((int(value) for (value,) in self._rows("SELECT value FROM meta WHERE key = 'main/runs'")), default=0)

    def log(self, club: str) -> Iterator[CopiedRow]:
        query = "SELECT number, tournament, kind, CAST(facts AS BLOB), checksum FROM log"
        for number, key, kind, content, sum_ in self._of(query, "tournament", club, "tournament, kind, number"):
            text = intact(content, sum_, number, key, kind)
            if text is None and content:
                raise self._damaged(f"row {number} of the log")
            yield number, split(key)[1], kind, text or ""

    def tournaments(self, club: str) -> Iterator[TournamentRow]:
        query = "SELECT id, listed, over, pruned FROM tournaments"
        for key, listed, over, pruned in self._of(query, "id", club, "rowid"):
            yield split(key)[1], bool(listed), bool(over), bool(pruned)

    def records(self, club: str) -> Iterator[tuple[str, str]]:
        for key, content, sum_ in self._of("SELECT id, CAST(record AS BLOB), checksum FROM ended", "id", club, "id"):
            text = intact(content, sum_, key)
            if text is None:
                raise self._damaged(f"the record of {readable(key)}")
            yield split(key)[1], text

    def values(self, club: str) -> Iterator[tuple[str, str]]:
        for key, value in self._of("SELECT key, value FROM meta", "key", club, "key"):
            if split(key)[1] not in DERIVED:
                yield split(key)[1], value

    def _of(self, query: str, column: str, club: str, order: str) -> Iterator[tuple]:  # type: ignore[type-arg]
        condition = f"{column} >= ? AND {column} < ?"
        return self._rows(f"{query} WHERE {condition} ORDER BY {order}", (prefix_of(club), f"{club}0"))

    def _rows(self, query: str, values: tuple[str, ...] = ()) -> Iterator[tuple]:  # type: ignore[type-arg]
        with store_errors("read", self.name):
            yield from iter(self._database.execute(query, values).fetchone, None)

    def _damaged(self, what: str) -> StoreError:
        return StoreError(f"{self.name}: {what} is damaged; `rumble db repair` first")


def copy_database(source: str, target: str, now_ms: int | None = None) -> tuple[int, int]:
    """Copy all clubs of the database `source` to the database `target`, while no server runs on either of them.

    The target must not have rows of these clubs yet. Return the number of clubs, and the number of rows in the log.
    Raises StoreError, and then leaves the target unchanged.
    """
    now_ms = int(1000 * time.time()) if now_ms is None else now_ms
    if is_postgres(source) == is_postgres(target):
        kinds = "pg_dump copies" if is_postgres(source) else "`rumble db backup` copies"
        raise StoreError(f"a copy goes from one kind of database to the other; {kinds} one to its own kind")
    need_postgres()
    from rumble_server.store.postgres import copying as postgres

    if is_postgres(source):
        with postgres.reading(source) as contents:
            return _to_file(contents, database_path(target), now_ms)
    with locked(database_path(source)) as path, closing(open_existing(path)) as database:
        file = SqliteContents(database, path)
        with postgres.writing(target) as writing:
            rows = writing.write(file, now_ms)
            compare(file, writing)
        return len(file.clubs()), rows


def _to_file(source: Contents, path: str, now_ms: int) -> tuple[int, int]:
    """Write the contents of `source` to a new SQLite file. Return the number of clubs, and of rows in the log.

    Raises StoreError if `source` has clubs besides `main`, if a file is at `path`, or if reading or writing fails.
    """
    clubs = source.clubs()
    if len(clubs) > 1:
        raise StoreError(
            "a file has one sequence of facts for all clubs, and in PostgreSQL each has its own:"
            f" only a database with no club but main can be copied to a file; {source.name} has {len(clubs)}"
        )
    if Path(path).exists():
        raise StoreError(f"{path} exists; choose another name")
    with (
        locked(path, may_be_new=True) as real_path,
        new_file(real_path) as part,
        closing(open_database(part)) as database,
    ):
        with database:
            database.execute("BEGIN IMMEDIATE")
            values = [*source.values(MAIN), ("runs", str(max(source.newest_run(), now_ms)))]
            main = prefix_of(MAIN)
            fill(
                database,
                ((number, main + each, kind, text) for number, each, kind, text in source.log(MAIN)),
                ((main + each, listed, over, pruned) for each, listed, over, pruned in source.tournaments(MAIN)),
                ((main + each, record) for each, record in source.records(MAIN)),
                ((main + key, value) for key, value in values),
            )
        compare(source, SqliteContents(database, path))
        rows = int(database.execute("SELECT count(*) FROM log").fetchone()[0])
        database.execute("PRAGMA journal_mode = DELETE")
    return 1, rows


def fill(
    database: sqlite3.Connection,
    log: Iterable[CopiedRow],
    tournaments: Iterable[TournamentRow],
    records: Iterable[tuple[str, str]],
    values: Iterable[tuple[str, str]],
) -> None:
    """Write rows to the empty tables of a new file, and make the index of matches from the log.

    Call the function inside a transaction. All ids and keys must begin with the club's prefix (`store/row_keys.py`).
    """
    database.executemany(LOG_ROW, log)
    database.executemany("INSERT INTO tournaments (id, listed, over, pruned) VALUES (?, ?, ?, ?)", tournaments)
    database.executemany(RECORD, records)
    database.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values)
    last = last_number(database)
    database.execute("DELETE FROM meta WHERE key = 'main/indexed' OR key LIKE '%/bytes'")
    index_matches(database, last)


def compare(source: Contents, target: Contents) -> None:
    """Compare the rows of each club of `source` with the rows in `target`. Raises StoreError at a difference."""
    for club in source.clubs():
        for one, other in (
            (source.log(club), target.log(club)),
            (source.tournaments(club), target.tournaments(club)),
            (source.records(club), target.records(club)),
            (source.values(club), target.values(club)),
        ):
            _compare(club, one, other)


def _compare(club: str, one: Iterable[tuple[object, ...]], other: Iterable[tuple[object, ...]]) -> None:
    for written, read in itertools.zip_longest(one, other):
        if written != read:
            key = (written or read or ("",))[0]
            raise StoreError(f"club {club}: {key} is not the same in the copy; nothing is copied")
