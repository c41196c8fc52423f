"""A database has one server at a time."""

import time
from pathlib import Path

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite import lock as module
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.store import SqliteStore


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


async def test_a_log_holds_the_lock_until_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.0)
    database = str(tmp_path / "rumble.db")
    log = SqliteStore(database)
    with pytest.raises(StoreError, match="another server is running on the database"):
        SqliteStore(database)
    await log.close()
    await SqliteStore(database).close()
