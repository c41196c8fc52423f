"""A purged value leaves no byte behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.schema import open_database
from rumble_server.store.sqlite import SqliteStore

from tests.server.store.disk import joined, opened_store, shut, write

SECRET = "correct-horse-battery-staple"
EARLIER = "an-earlier-secret-of-the-key"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rumble.db"


def holds(path: Path, secret: str) -> list[str]:
    """Return the names of the files that hold the secret."""
    return [each.name for each in path.parent.iterdir() if secret.encode() in each.read_bytes()]


def older(path: Path) -> None:
    """Make a database that was used without `secure_delete`, and whose server was killed."""
    with closing(open_database(str(path))) as database:
        database.execute("PRAGMA secure_delete = OFF")
        for value in (EARLIER, SECRET):
            for key in ("host_token", "z"):
                database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value if key != "z" else "other"))
        for suffix in ("", "-wal"):
            file = path.with_name(path.name + suffix)
            file.with_name(f"killed.db{suffix}").write_bytes(file.read_bytes())


async def test_no_file_holds_it_after_a_start_and_stop(path: Path) -> None:
    older(path)
    path = path.with_name("killed.db")
    for file in path.parent.glob("rumble.db*"):
        file.unlink()
    assert holds(path, SECRET), "the test would prove nothing"
    async with opened_store(path) as store:
        store.purge("host_token")
        assert (holds(path, SECRET), holds(path, EARLIER)) == ([], [])
        await write(store.log(), joined(1))
        assert (store.get("host_token"), store.get("z")) == (None, "other")
    assert (holds(path, SECRET), holds(path, EARLIER)) == ([], [])


def test_a_start_empties_the_log_of_one_that_was_killed_while_it_purged(path: Path) -> None:
    log = SqliteStore(str(path))
    log.put("host_token", SECRET)
    with closing(sqlite3.connect(path)) as reading:
        reading.execute("PRAGMA query_only = ON")
        reading.execute("BEGIN")
        reading.execute("SELECT * FROM meta").fetchall()
        log.database.execute("PRAGMA busy_timeout = 1")
        with pytest.raises(StoreError, match="it is being read by another program"):
            log.purge("host_token")
        assert holds(path, SECRET) == ["rumble.db-wal"]
    log.lock.release()
    again = SqliteStore(str(path))
    assert holds(path, SECRET) == []
    for each in (log, again):
        each.database.close()
    again.lock.release()


def test_what_is_not_there_need_not_be_purged(path: Path) -> None:
    log = SqliteStore(str(path))
    log.purge("host_token")
    shut(log)
