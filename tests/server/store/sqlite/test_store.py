"""The database in SQLite: small values, and the files that are opened, refused or left unchanged."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import APPLICATION_ID, VERSION
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.store.databases import SqliteDatabase, opened_store
from tests.server.store.disk import next_run, rows, shut
from tests.server.store.played import execute

# --- the file ---


async def test_the_disk_is_asked_to_keep_every_commit(path: Path) -> None:
    async with opened_store(path) as store:
        assert store.database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store.database.execute("PRAGMA synchronous").fetchone() == (2,)


# --- small values ---


def test_runs_are_counted(path: Path) -> None:
    assert [next_run(path) for _ in range(3)] == [1, 2, 3]
    store = SqliteStore(str(path))
    assert store.run_number_of() == store.run_number_of("go") == 4
    shut(store)


def test_a_value_that_cannot_be_read_is_an_error_in_one_line(path: Path) -> None:
    store = SqliteStore(str(path))
    store.database.execute("ALTER TABLE meta RENAME TO hidden")
    with pytest.raises(StoreError, match=r"cannot read the database .*: no such table: meta$"):
        store.run_number_of()
    shut(store)


def test_a_value_that_cannot_be_kept_is_an_error_in_one_line(path: Path) -> None:
    log = SqliteStore(str(path))
    log.database.execute("PRAGMA busy_timeout = 1")
    with SqliteDatabase(path).locked(), pytest.raises(StoreError, match="cannot write to the database") as refused:
        log.put("a", "b")
    assert "\n" not in str(refused.value)
    shut(log)


# --- which files are opened ---


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"The quick brown fox jumps over the lazy dog. " * 100)


def of_version(path: Path, version: int) -> None:
    for statement in (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {version}"):
        execute(path, statement)
    execute(path, "CREATE TABLE log (what TEXT)")


def damaged(path: Path) -> None:
    log = SqliteStore(str(path))
    log.put("text", "x" * 50_000)
    log.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shut(log)
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 4] = b"\xff" * 8192
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    damaged(path)
    path.write_bytes(path.read_bytes()[:5000])


def of_damaged_schema(path: Path) -> None:
    """SQLite's message about the damage quotes a byte that is no UTF-8."""
    shut(SqliteStore(str(path)))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE log", b"CREATE T\xc7BLE log"))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (partial(execute, statement="CREATE TABLE recipes (name TEXT)"), "is not a database of Rumble"),
        (partial(execute, statement="PRAGMA application_id = 7"), "is not a database of Rumble"),
        (not_sqlite, "not a database"),
        *(
            (partial(of_version, version=each), f"of version {each}; this Rumble reads version {VERSION} only")
            for each in (VERSION + 1, VERSION - 1, 0)
        ),
        (damaged, "is damaged|malformed"),
        (cut_short, "is damaged|malformed"),
        (of_damaged_schema, "malformed database schema"),
    ],
    ids=range(9),
)
def test_foreign_or_damaged_database_is_refused_in_one_line_and_not_changed(path: Path, make: Any, why: str) -> None:
    make(path)
    before = path.read_bytes()
    beside = sorted(path.parent.iterdir())
    with pytest.raises(StoreError, match=why) as refused:
        SqliteStore(str(path))
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == beside


def test_a_newer_database_whose_server_crashed_is_left_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        of_version(path, VERSION + 1)
        database.execute("CREATE TABLE more (what TEXT)")
        database.commit()
        copy = path.with_name("copy.db")
        for suffix in ("", "-wal"):
            copy.with_name(f"copy.db{suffix}").write_bytes(path.with_name(f"{path.name}{suffix}").read_bytes())
    before = copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()
    with pytest.raises(StoreError, match=f"version {VERSION + 1}"):
        SqliteStore(str(copy))
    assert (copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()) == before


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    SqliteStore(str(path)).database.close()
    assert rows(path, "PRAGMA user_version") == [(VERSION,)]
    assert rows(path, "PRAGMA application_id") == [(APPLICATION_ID,)]


@pytest.mark.parametrize("where", ["nowhere/rumble.db", "."])
def test_a_place_where_no_file_can_be_is_an_error_in_one_line(tmp_path: Path, where: str) -> None:
    for make in (SqliteStore, read_sqlite):
        with pytest.raises(StoreError, match=r"cannot (open|use|read) the database") as refused:
            make(str(tmp_path / where))
        assert "\n" not in str(refused.value)


def test_a_file_that_takes_nothing_is_an_error_in_one_line() -> None:
    with pytest.raises(StoreError, match=r"cannot (open|use) the database /dev/full") as refused:
        SqliteStore("/dev/full")
    assert "\n" not in str(refused.value)
