"""A database has one server at a time."""

import time
from pathlib import Path

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite import lock as module
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.store import SqliteStore


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_second_server_on_the_same_database_is_refused(tmp_path: Path) -> None:
    database = str(tmp_path / "rumble.db")
    first = DatabaseLock(database)
    with pytest.raises(StoreError, match="another server is running on the database"):
        DatabaseLock(database)
    first.release()
    DatabaseLock(database).release()


def test_a_start_waits_for_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = str(tmp_path / "rumble.db")
    first = DatabaseLock(database)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            first.release()

    monkeypatch.setattr(time, "sleep", pause)
    DatabaseLock(database).release()
    assert len(pauses) == 3


@pytest.mark.usefixtures("impatient")
async def test_a_log_holds_the_lock_until_it_is_closed(tmp_path: Path) -> None:
    database = str(tmp_path / "rumble.db")
    log = SqliteStore(database)
    with pytest.raises(StoreError, match="another server"):
        SqliteStore(database)
    await log.close()
    await SqliteStore(database).close()


def test_a_database_that_is_refused_is_let_go_of(tmp_path: Path) -> None:
    database = tmp_path / "rumble.db"
    database.write_text("not a database, and long enough to be read as one" * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match="not a database"):
            SqliteStore(str(database))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open the database"):
        DatabaseLock(str(tmp_path / "nowhere" / "rumble.db"))
