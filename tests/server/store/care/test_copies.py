"""Backups are whole and private, do not disturb a server, and replace no database by accident."""

import os
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care.copies import backup, restore
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import APPLICATION_ID, VERSION
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.store.databases import SqliteDatabase, opened
from tests.server.store.disk import joined, next_run, rows, write
from tests.server.store.played import execute


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copy.db"


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


async def test_a_backup_of_a_database_in_use_has_all_that_is_on_disk(path: Path, copy: Path) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        await write(log, joined(2))
        beside = names(path)
        backup(str(path), str(copy))
        assert names(path) == sorted([*beside, "copy.db"])
        assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
        await write(log, joined(3))
        assert log.trouble is None
    with closing(read_sqlite(str(copy))) as reader:
        assert reader.tournament_facts("friday") == [joined(1), joined(2)]
    async with opened(copy) as log:
        assert log.last == 2


async def test_a_backup_does_not_wait_for_a_writer(path: Path, copy: Path) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        with SqliteDatabase(path).locked():
            backup(str(path), str(copy))
    assert len(rows(copy)) == 1


def test_a_file_that_is_there_is_never_overwritten_by_a_backup(path: Path, copy: Path) -> None:
    SqliteStore(str(path)).database.close()
    copy.touch()
    with pytest.raises(StoreError, match=r"copy.db exists; choose another name"):
        backup(str(path), str(copy))
    assert copy.stat().st_size == 0


def test_a_missing_database_or_backup_is_not_made(path: Path, copy: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        backup(str(path), str(copy))
    with pytest.raises(StoreError, match="there is no backup"):
        restore(str(path), str(copy), replace=True)
    assert names(path) == []


async def test_a_folder_that_is_not_there_is_told(path: Path) -> None:
    async with opened(path):
        with pytest.raises(StoreError, match="cannot open the database"):
            backup(str(path), str(path.parent / "nowhere" / "copy.db"))


async def test_after_a_restore_no_run_has_the_number_of_an_earlier_one(path: Path, copy: Path) -> None:
    """Turn ids of runs after the backup must not equal turn ids of runs after the restore."""
    for _ in range(2):
        next_run(path)
    backup(str(path), str(copy))
    execute(path, "UPDATE meta SET value = '9000000000000' WHERE key = 'main/runs'")
    restore(str(path), str(copy), replace=True)
    assert next_run(path) == 9000000000001
    began_ms = int(1000 * time.time())
    other = path.with_name("elsewhere.db")
    restore(str(other), str(copy), replace=False)
    assert next_run(other) > began_ms, "also where the database is lost: runs do not begin as often as once a ms"


async def two_versions(path: Path, copy: Path) -> None:
    """Make a backup with a fact, and a database with two, the second in the write-ahead log."""
    async with opened(path) as log:
        await write(log, joined(1))
        backup(str(path), str(copy))
        await write(log, joined(2))
        for suffix in ("", "-wal"):
            file = path.with_name(path.name + suffix)
            file.with_name(f"killed.db{suffix}").write_bytes(file.read_bytes())


async def test_a_restored_database_is_the_backup_and_nothing_of_the_other(path: Path, copy: Path) -> None:
    await two_versions(path, copy)
    killed = path.with_name("killed.db")
    with pytest.raises(StoreError, match=r"killed.db exists; --force replaces it"):
        restore(str(killed), str(copy), replace=False)
    restore(str(killed), str(copy), replace=True)
    assert stat.S_IMODE(os.stat(killed).st_mode) == 0o600
    async with opened(killed) as log:
        assert log.last == 1
    restore(str(path.with_name("new.db")), str(copy), replace=False)
    async with opened(path.with_name("new.db")) as log:
        assert log.last == 1


async def test_a_database_in_use_is_not_replaced(path: Path, copy: Path) -> None:
    await two_versions(path, copy)
    async with opened(path) as log:
        with pytest.raises(StoreError, match="another server is running on the database"):
            restore(str(path), str(copy), replace=True)
        assert log.trouble is None
    assert len(rows(path)) == 2


async def test_a_bad_backup_replaces_nothing(path: Path, copy: Path) -> None:
    await two_versions(path, copy)
    other = path.with_name("other.db")
    execute(other, f"PRAGMA application_id = {APPLICATION_ID + 1}")
    newer = path.with_name("newer.db")
    SqliteStore(str(newer)).database.close()
    execute(newer, f"PRAGMA user_version = {VERSION + 1}")
    for bad, why in (
        (other, "is not a database of Rumble"),
        (newer, f"version {VERSION + 1}"),
        (path, "is the database itself"),
    ):
        with pytest.raises(StoreError, match=why):
            restore(str(path), str(bad), replace=True)
    assert len(rows(path)) == 2
