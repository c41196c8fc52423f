"""The tables: made once, by whoever is first, and never by an older program."""

import threading
from contextlib import closing

import pytest
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import run

need_module("psycopg", "postgres")
from rumble_server.store.postgres.connection import Connection  # noqa: E402
from rumble_server.store.postgres.schema import MIGRATIONS, prepare, version_of  # noqa: E402

pytestmark = pytest.mark.e2e


def test_of_servers_that_start_at_once_one_makes_the_tables(postgres_url: str) -> None:
    problems: list[Exception] = []

    def start() -> None:
        try:
            with closing(Connection(postgres_url)) as connection:
                prepare(connection)
        except StoreError as error:
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert run(postgres_url, "SELECT version FROM rumble_version") == [(len(MIGRATIONS),)]


def test_a_newer_database_is_refused_in_one_line(postgres_url: str) -> None:
    with closing(Connection(postgres_url)) as connection:
        assert version_of(connection) == 0
        prepare(connection)
        run(postgres_url, "UPDATE rumble_version SET version = 99")
        with pytest.raises(StoreError, match="was written by a newer Rumble: its version is 99"):
            prepare(connection)


def test_a_database_with_tables_of_others_is_left_as_it_was(postgres_url: str) -> None:
    run(postgres_url, "CREATE TABLE log (what text)")
    with closing(Connection(postgres_url)) as connection:
        with pytest.raises(StoreError, match='"log" already exists'):
            prepare(connection)
        assert version_of(connection) == 0
    assert run(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(1,)]
