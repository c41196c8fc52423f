"""The care of a database in PostgreSQL: damage is found, and plies of old tournaments are deleted."""

import pytest
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.store.databases import PostgresDatabase, opened_store
from tests.server.store.test_clubs import fill

need_module("psycopg", "postgres")
from rumble_server.store.care import postgres_damage  # noqa: E402
from rumble_server.store.care.postgres_damage import verify  # noqa: E402
from rumble_server.store.postgres.pruning import prune  # noqa: E402

pytestmark = pytest.mark.e2e


@pytest.fixture
async def url(postgres_url: str) -> str:
    """Return the URL of a database in which two clubs have played."""
    async with opened_store(PostgresDatabase(postgres_url)) as store:
        await fill(store, ["main", "a"])
    return postgres_url


@pytest.mark.slow
async def test_a_whole_database_has_no_problems(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log and the records of what is over are read in portions."""
    monkeypatch.setattr(postgres_damage, "PORTION_ROWS", 1)
    found = verify(url)
    assert found.problems == []
    assert run(url, "SELECT count(*) FROM log") == [(found.rows,)]


@pytest.mark.parametrize("change", ["facts = replace(facts, 'ann', 'zoe')", "tournament = 'monday'"])
async def test_a_damaged_row_is_found(url: str, change: str) -> None:
    where = "WHERE club = 'a' AND number = (SELECT min(number) FROM log WHERE club = 'a' AND tournament = 'friday')"
    run(url, f"UPDATE log SET {change} {where}")
    problem = verify(url).problems[0]
    assert "tournament a/friday" in problem or "tournament a/monday" in problem
    assert "is damaged: it is not what was written" in problem


async def test_a_record_that_was_changed_is_found(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_damage, "PORTION_ROWS", 1)
    run(url, "UPDATE ended SET record = replace(record, 'ann', 'zoe') WHERE club = 'a' AND id = 'friday'")
    assert verify(url).problems == ["the record of tournament a/friday is damaged"]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM tournaments", "is not in the index of tournaments"),
        ("UPDATE tournaments SET over = false", "is in the index of tournaments with another status than in the log"),
    ],
)
async def test_an_index_that_differs_from_the_log_is_told(url: str, statement: str, problem: str) -> None:
    run(url, f"{statement} WHERE club = 'a' AND id = 'friday'")
    assert verify(url).problems == [f"tournament a/friday {problem}"]


async def test_a_tournament_that_lost_its_creation_is_told(url: str) -> None:
    run(url, "DELETE FROM log WHERE club = 'a' AND tournament = 'friday'")
    assert "tournament a/friday cannot be rebuilt: its creation is not in the log" in verify(url).problems


def test_pruning_and_verifying_make_no_missing_tables(postgres_url: str) -> None:
    for look in (verify, lambda url: prune(url, 0)):
        with pytest.raises(StoreError, match="is not a database of Rumble"):
            look(postgres_url)
    assert run(postgres_url, "SELECT to_regclass('log')") == [(None,)]
