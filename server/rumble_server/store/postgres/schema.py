"""The tables in PostgreSQL, and their version. The first server that starts on a database makes the tables."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg

from rumble_server.store.errors import StoreError
from rumble_server.store.postgres.connection import PostgresConnection

CREATION = 0x52554D42
"""Key of the advisory lock that a server holds while it makes the tables. A second server waits meanwhile."""

OLDEST = 13
"""Oldest supported release of PostgreSQL."""

FIRST_EPOCH = "(1000 * extract(epoch FROM clock_timestamp()))::bigint"
NEXT_EPOCH = f"greatest(clubs.epoch + 1, {FIRST_EPOCH})"
"""SQL expression for the next epoch of a club: the present time in ms, or the present epoch plus 1 if that is greater.

The time makes each epoch greater than all earlier epochs, even those that the database has lost. Epochs are lost when
an older copy is restored, or when a standby without the last commits is promoted. To restore a copy or to promote a
standby takes longer than 1 ms. So the present time is then greater than the lost epochs.
"""

VERSION = 4
"""Version of the tables. A database of any other version is refused."""
TABLES = """
CREATE TABLE nodes (
    id text PRIMARY KEY,
    address text NOT NULL,
    until timestamptz NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    setup text NOT NULL,
    uses json NOT NULL DEFAULT '{}'
);
CREATE TABLE clubs (
    club text COLLATE "C" PRIMARY KEY,
    node text,
    epoch bigint NOT NULL DEFAULT 0,
    last bigint NOT NULL DEFAULT 0,
    indexed bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    wanted text,
    offered text,
    offer bigint NOT NULL DEFAULT 0,
    ready bigint NOT NULL DEFAULT 0,
    listens bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX clubs_of_node ON clubs (node);
CREATE TABLE meta (
    club text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (club, key)
);
CREATE TABLE log (
    club text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    tournament text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    facts text NOT NULL,
    checksum bigint NOT NULL,
    PRIMARY KEY (club, number)
);
CREATE INDEX log_by_tournament ON log (club, tournament, kind, number);
CREATE TABLE tournaments (
    club text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    place bigint GENERATED ALWAYS AS IDENTITY,
    listed boolean NOT NULL,
    over boolean NOT NULL,
    pruned boolean NOT NULL DEFAULT false,
    PRIMARY KEY (club, id)
);
CREATE INDEX tournaments_by_place ON tournaments (club, over, place);
CREATE TABLE ended (
    club text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    record text NOT NULL,
    checksum bigint NOT NULL,
    PRIMARY KEY (club, id)
);
CREATE TABLE matches (
    club text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    last bigint,
    PRIMARY KEY (club, id)
);
"""
"""The tables, in SQL.

Columns of `nodes`: `until` is the end of the lease by the database's clock. `uses` has the use of resources (`ClubUse`)
of each club that the node leads.

Columns of `clubs`:
- `node` leads the club under `epoch`; NULL means no leader. `epoch` becomes `NEXT_EPOCH` whenever `node` changes.
- `last` is the number of the newest fact, and `bytes` the approximate size of the facts.
- `indexed` is the number of the newest fact that the table `matches` covers.
- `wanted` is the id or the address of the node that an operator wants as the next leader. A node that starts again has
  another id at the same address.
- `offered` is the node that the leader asked to read the club ahead. `offer` is the number of the newest such offer.
- `ready` is the number of the newest offer after which the asked node has read the club ahead.
- `listens` is the newest epoch in which the club's leader lets bots in.
Every commit changes a row of `clubs`. Pages are only half filled (`fillfactor`), to leave room for new versions of
rows.
"""


def prepare(connection: PostgresConnection) -> None:
    """Check the database, and make the tables if they are missing.

    Raises StoreError for tables of another version, an old release of PostgreSQL, or an encoding other than UTF8.
    """
    ((number, encoding),) = connection.read(
        "SELECT current_setting('server_version_num'), current_setting('server_encoding')"
    )
    release = int(number) // 10_000
    if release < OLDEST:
        raise StoreError(f"{connection.name} is in PostgreSQL {release}; Rumble needs {OLDEST} or later")
    if encoding != "UTF8":
        raise StoreError(f"{connection.name} has the encoding {encoding}; Rumble needs UTF8")
    if not is_prepared(connection):
        connection.transact(_make)


@contextmanager
def existing(url: str) -> Iterator[PostgresConnection]:
    """Open a database that has the tables. Raises StoreError if it has no tables, or tables of another version."""
    with closing(PostgresConnection(url)) as connection:
        if not is_prepared(connection):
            raise StoreError(f"{connection.name} is not a database of Rumble; start a server on it")
        yield connection


def is_prepared(connection: PostgresConnection) -> bool:
    """Return whether a database has the tables. Raises StoreError for tables of another version."""
    if not connection.read("SELECT to_regclass('rumble_version') IS NOT NULL")[0][0]:
        return False
    version = int(connection.read("SELECT version FROM rumble_version")[0][0])
    if version != VERSION:
        raise StoreError(
            f"{connection.name} has a database of Rumble of version {version}; this Rumble reads version {VERSION} only"
        )
    return True


def _make(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION,))
    connection.execute("CREATE TABLE IF NOT EXISTS rumble_version (version integer NOT NULL)")
    if connection.execute("SELECT FROM rumble_version").fetchone() is not None:  # made during the wait for the lock
        return
    connection.execute(TABLES.encode())
    connection.execute("INSERT INTO rumble_version VALUES (%s)", (VERSION,))
