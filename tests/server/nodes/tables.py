"""The tables of a store, made in an empty database of the tests."""

from contextlib import closing

from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.schema import prepare


def make_tables(url: str) -> None:
    with closing(PostgresConnection(url)) as connection:
        prepare(connection)
