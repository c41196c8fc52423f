"""The store in PostgreSQL: epochs, small values, and the continuation of a club's log."""

import asyncio
import time
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


async def test_a_new_leader_has_a_newer_epoch_and_the_former_leader_is_fenced(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)
    async with opened_store(database) as first, opened_store(database) as second:
        before = first.open_log("go")
        fenced = asyncio.Event()
        before.on_fenced.append(fenced.set)
        await write(before, joined(1))
        after = second.open_log("go")
        assert before.epoch < after.epoch
        assert after.last == 1
        assert (first.run_number_of("go"), second.run_number_of("go")) == (before.epoch, after.epoch)
        await write(after, joined(2))
        before.append(joined(2))
        before.flush_soon()
        await fenced.wait()
        assert before.trouble == "another node leads the club go"
        await write(first.open_log(), joined(1))  # the other clubs go on
    assert run(postgres_url, "SELECT club, number FROM log ORDER BY 1, 2") == [("go", 1), ("go", 2), ("main", 1)]


async def test_a_log_that_is_not_open_is_not_taken_from_its_leader(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)
    async with opened_store(database) as leader, opened_store(database) as other:
        log = leader.open_log("go")
        for look in (other.log, other.run_number_of):
            with pytest.raises(StoreError, match="the log of the club go is not open"):
                look("go")
        await write(log, joined(1))
        assert leader.log("go") is log
        leader.close_log("go")
        with pytest.raises(StoreError, match="the log of the club go is not open"):
            leader.log("go")
        assert run(postgres_url, "SELECT epoch, last FROM clubs WHERE club = 'go'") == [(log.epoch, 1)]


async def test_a_club_is_not_led_under_an_epoch_that_is_over(postgres_url: str) -> None:
    async with opened_store(PostgresDatabase(postgres_url)) as store:
        epoch = store.open_log("go").epoch
        with pytest.raises(StoreError, match="another node leads the club go"):
            store.open_led_log("go", epoch + 1)
        assert store.open_led_log("go", epoch).last == 0


def taken(url: str) -> int:
    """Take the lead of main, and return the epoch."""
    store = PostgresStore(url)
    with closing(store.connection):
        return store.open_log().epoch


def test_each_run_of_a_server_has_an_epoch_above_all_before_and_at_least_the_time(postgres_url: str) -> None:
    before_ms = int(1000 * time.time())
    epochs = [taken(postgres_url) for _ in range(3)]
    assert before_ms <= epochs[0] < epochs[1] < epochs[2]
    run(postgres_url, f"UPDATE clubs SET epoch = {epochs[0]}")  # as in a copy that was made before the last two
    assert taken(postgres_url) > epochs[2], "also within the same second"
    run(postgres_url, "UPDATE clubs SET epoch = 7")
    assert taken(postgres_url) >= before_ms
    run(postgres_url, "UPDATE clubs SET epoch = 9000000000000")
    assert taken(postgres_url) == 9_000_000_000_001
