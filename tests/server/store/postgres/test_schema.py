"""The tables: made once, by the first server; tables of another version are refused."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import Cluster, run

need_module("psycopg", "postgres")
from rumble_server.store.postgres import schema  # noqa: E402
from rumble_server.store.postgres.connection import PostgresConnection  # noqa: E402
from rumble_server.store.postgres.schema import VERSION, is_prepared, prepare  # noqa: E402

from tests.server.nodes.tables import make_tables  # noqa: E402

pytestmark = pytest.mark.e2e


def test_of_servers_that_start_at_once_one_makes_the_tables(postgres_url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(make_tables, [postgres_url] * 4))
    assert run(postgres_url, "SELECT version FROM rumble_version") == [(VERSION,)]


def test_an_old_release_of_postgresql_is_refused_in_one_line(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "OLDEST", 999)
    with pytest.raises(StoreError, match=r"test_\d+ is in PostgreSQL \d\d; Rumble needs 999 or later"):
        make_tables(postgres_url)
    assert run(postgres_url, "SELECT to_regclass('log')") == [(None,)]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused_in_one_line(postgres: Cluster, encoding: str) -> None:
    name = f"in_{encoding.lower()}"
    postgres.run(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")
    with pytest.raises(StoreError, match=f"/{name} has the encoding {encoding}; Rumble needs UTF8$"):
        make_tables(postgres.url(name))


@pytest.mark.parametrize("version", [1, 99])
def test_a_database_of_another_version_is_refused_in_one_line(postgres_url: str, version: int) -> None:
    with closing(PostgresConnection(postgres_url)) as connection:
        assert not is_prepared(connection)
        prepare(connection)
        run(postgres_url, "UPDATE rumble_version SET version = %s", [version])
        with pytest.raises(StoreError, match=f"has a database of Rumble of version {version}; this Rumble reads"):
            prepare(connection)


def test_a_database_with_tables_of_others_is_left_as_it_was(postgres_url: str) -> None:
    run(postgres_url, "CREATE TABLE log (what text)")
    with closing(PostgresConnection(postgres_url)) as connection:
        with pytest.raises(StoreError, match='"log" already exists'):
            prepare(connection)
        assert not is_prepared(connection)
    assert run(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(1,)]
