"""A file for a database, and a database of each kind: SQLite, and PostgreSQL where it is installed."""

from pathlib import Path

import pytest
from rumble_server.store.log import group_commit

from tests.server.store.databases import Database, PostgresDatabase, SqliteDatabase
from tests.server.store.played import FACTS, save


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rumble.db"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.e2e)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return SqliteDatabase(tmp_path / "rumble.db")
    return PostgresDatabase(request.getfixturevalue("postgres_url"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a failed commit be repeated at once."""
    monkeypatch.setattr(group_commit, "RETRY_S", 0.01)


@pytest.fixture
def saved(path: Path) -> None:
    """Save the log of two tournaments in the file."""
    save(path, FACTS)
