"""A connection opens again after a loss, and tells no secrets."""

from contextlib import closing

import pytest
from rumble_server.store.errors import DamagedLog, StoreError

from tests.needs import need_module
from tests.postgres.cluster import Cluster, run, through
from tests.postgres.proxy import Proxy

need_module("psycopg", "postgres")
from psycopg.pq import Format  # noqa: E402
from rumble_server.store.postgres.connection import PostgresConnection, without_password  # noqa: E402

pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_a_reading_that_finds_its_connection_lost_is_done_on_another(postgres_url: str, between: Proxy) -> None:
    with closing(PostgresConnection(through(postgres_url, between.port))) as connection:
        assert connection.read("SELECT 1") == [(1,)]
        between.cut()
        assert connection.read("SELECT 2") == [(2,)]
        between.cut()
        with pytest.raises(StoreError):
            connection.execute("SELECT 3")
        assert connection.execute("SELECT 4") == [(4,)]


def test_an_error_of_a_query_is_told_in_one_line(connection: PostgresConnection) -> None:
    with pytest.raises(StoreError, match='relation "nowhere" does not exist') as refused:
        connection.read("SELECT * FROM nowhere")
    assert "\n" not in str(refused.value)
    assert "LINE" not in str(refused.value)
    assert connection.read("SELECT 1") == [(1,)]


def test_a_corrupted_page_is_damage_and_no_failure_for_a_moment(connection: PostgresConnection) -> None:
    corrupted = "DO $$ BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'data_corrupted'; END $$"
    with pytest.raises(DamagedLog, match="invalid page in block 7"):
        connection.execute(corrupted)


def test_a_database_that_takes_no_writes_is_told_so(postgres_url: str) -> None:
    with closing(PostgresConnection(postgres_url, {"default_transaction_read_only": "on"})) as connection:
        with pytest.raises(StoreError, match=r"it takes no writes: it is a standby, or set to be read only$"):
            connection.execute("CREATE TABLE made (number int)")
        assert connection.read("SELECT 1") == [(1,)]


def test_a_database_that_is_not_there_is_told_without_the_password(postgres: Cluster, postgres_url: str) -> None:
    nowhere = postgres.url("nowhere")
    with pytest.raises(StoreError, match='database "nowhere" does not exist') as refused:
        PostgresConnection(nowhere).read("SELECT 1")
    assert postgres.password not in str(refused.value)
    assert without_password(postgres_url).startswith("postgresql://127.0.0.1/test_")
    with pytest.raises(StoreError, match="this is no address") as refused:
        PostgresConnection("postgresql://me:secret@[::1/x")
    assert "secret" not in str(refused.value)


def test_a_connection_has_its_settings_also_after_it_was_lost(postgres_url: str) -> None:
    with closing(PostgresConnection(postgres_url, {"statement_timeout": "20"})) as connection:
        for _ in range(2):
            with pytest.raises(StoreError, match="canceling statement due to statement timeout"):
                connection.read("SELECT pg_sleep(10)")
            connection.close()


def test_texts_are_given_in_utf8_whatever_the_environment_says(
    connection: PostgresConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    length = "SELECT length($1::text)::text"
    assert connection.execute_prepared(length, ["Zoë".encode()], [Format.BINARY]) == ["3"]


def test_commits_are_durable_whatever_the_database_is_set_to(connection: PostgresConnection, postgres_url: str) -> None:
    name = run(postgres_url, "SELECT current_database()")[0][0]
    for setting, expected in (("off", "on"), ("remote_apply", "remote_apply")):
        run(postgres_url, f'ALTER DATABASE "{name}" SET synchronous_commit = {setting}')
        connection.close()
        assert connection.read("SHOW synchronous_commit") == [(expected,)]


def test_texts_are_compressed_by_lz4_where_the_database_can(connection: PostgresConnection) -> None:
    connection.execute("CREATE TABLE texts (text text)")
    connection.execute("INSERT INTO texts VALUES (repeat('a tournament ', 1000))")
    known = connection.read("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'")
    if not known:
        pytest.skip("PostgreSQL before 14 compresses in one way")
    expected = "lz4" if "lz4" in known[0][0] else "pglz"
    assert connection.read("SELECT pg_column_compression(text) FROM texts") == [(expected,)]


def test_a_prepared_statement_is_prepared_again_on_another_connection(connection: PostgresConnection) -> None:
    statement, formats = "SELECT unnest($1::text[]) WHERE $2::boolean", [Format.TEXT, Format.TEXT]
    for _ in range(2):
        assert connection.execute_prepared(statement, [b"{a,b}", b"t"], formats) == ["a", "b"]
        assert connection.execute_prepared(statement, [b"{a}", b"f"], formats) == []
        assert len(connection.read("SELECT 1 FROM pg_prepared_statements")) == 1
        connection.close()


def test_an_error_of_a_prepared_statement_is_told(postgres_url: str, between: Proxy) -> None:
    with closing(PostgresConnection(through(postgres_url, between.port))) as connection:
        with pytest.raises(StoreError, match='column "nothing" does not exist'):
            connection.execute_prepared("SELECT nothing", [], [])
        with pytest.raises(StoreError, match="division by zero"):
            connection.execute_prepared("SELECT 1 / $1::int", [b"0"], [Format.TEXT])
        assert connection.execute_prepared("SELECT 'here'", [], []) == ["here"]
        between.cut()
        with pytest.raises(StoreError, match=r"the database postgresql://127\.0\.0\.1/test_"):
            connection.execute_prepared("SELECT 'here'", [], [])
        assert connection.execute_prepared("SELECT 'here'", [], []) == ["here"]
