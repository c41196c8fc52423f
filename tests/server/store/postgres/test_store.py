"""The store in PostgreSQL: epochs, small values, and what a club's log goes on from."""

import asyncio
from contextlib import closing

import pytest
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.store.databases import PostgresDatabase, opened_store
from tests.server.store.disk import joined, write

need_module("psycopg", "postgres")
from rumble_server.store.postgres.store import PostgresStore  # noqa: E402

pytestmark = pytest.mark.e2e


async def test_whoever_takes_a_club_has_a_newer_epoch_and_the_one_before_is_fenced(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)
    async with opened_store(database) as first, opened_store(database) as second:
        before = first.log("go")
        fenced = asyncio.Event()
        before.on_fenced.append(fenced.set)
        await write(before, joined(1))
        after = second.log("go")
        assert (before.epoch, after.epoch, after.last) == (1, 2, 1)
        assert (first.run_of("go"), second.run_of("go")) == (1, 2)
        await write(after, joined(2))
        before.append(joined(2))
        before.hurry()
        await fenced.wait()
        assert before.trouble == "another node leads the club go"
        await write(first.log(), joined(1))  # the other clubs go on
    assert run(postgres_url, "SELECT club, number FROM log ORDER BY 1, 2") == [("go", 1), ("go", 2), ("main", 1)]


async def test_a_club_is_not_led_under_an_epoch_that_is_over(postgres_url: str) -> None:
    async with opened_store(PostgresDatabase(postgres_url)) as store:
        store.log("go")
        with pytest.raises(StoreError, match="another node leads the club go"):
            store.lead("go", 2)
        assert store.lead("go", 1).last == 0


async def test_a_record_is_not_filed_for_a_club_that_somebody_else_leads(postgres_url: str) -> None:
    async with opened_store(PostgresDatabase(postgres_url)) as store:
        archive = store.archive("go")
        archive._file(None)
        assert "go" not in store.group.logs


def test_two_runs_of_one_server_have_two_epochs(postgres_url: str) -> None:
    for epoch in (1, 2, 3):
        store = PostgresStore(postgres_url)
        with closing(store._connection):
            assert store.run_of() == epoch
