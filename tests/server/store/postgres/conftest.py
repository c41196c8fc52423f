"""A connection to a database in PostgreSQL with two clubs, and a proxy in front of the database."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.postgres.cluster import Cluster
from tests.postgres.proxy import Proxy, proxy


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Any]:
    """A connection to a database with the clubs main and go, both under epoch 1."""
    from rumble_server.store.postgres.connection import PostgresConnection
    from rumble_server.store.postgres.schema import prepare

    connection = PostgresConnection(postgres_url)
    prepare(connection)
    connection.execute("INSERT INTO clubs (club, epoch) VALUES ('main', 1), ('go', 1)")
    yield connection
    connection.close()


@pytest.fixture
def between(postgres: Cluster) -> Iterator[Proxy]:
    with proxy(postgres.port) as between:
        yield between
