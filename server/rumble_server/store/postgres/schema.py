"""The tables in PostgreSQL and their version. The first server to start makes them."""

import psycopg

from rumble_server.store.errors import StoreError
from rumble_server.store.postgres.connection import Connection

CREATION = 0x52554D42
"""The key of the advisory lock under which tables are made: of two servers that start at once, one waits."""

OLDEST = 13
"""The oldest release of PostgreSQL that has all that the statements use, and still had care when they were written."""

FIRST_EPOCH = "(1000 * extract(epoch FROM clock_timestamp()))::bigint"
NEXT_EPOCH = f"greatest(clubs.epoch + 1, {FIRST_EPOCH})"
"""The epoch that follows that of a club's row, in SQL. It is at least the time in ms, and so above all that there ever
were, also when an older copy of the database has been restored, or a standby that lacks commits has taken its place:
nobody does that within a ms."""

MIGRATIONS = (
    """
    CREATE TABLE nodes (
        id text PRIMARY KEY,
        address text NOT NULL,
        until timestamptz NOT NULL,
        draining boolean NOT NULL DEFAULT false,
        setup text NOT NULL
    );
    CREATE TABLE clubs (
        club text COLLATE "C" PRIMARY KEY,
        node text,
        epoch bigint NOT NULL DEFAULT 0,
        last bigint NOT NULL DEFAULT 0,
        wanted text,
        bytes bigint NOT NULL DEFAULT 0
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
        checksum bigint,
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
        checksum bigint,
        PRIMARY KEY (club, id)
    );
    CREATE TABLE matches (
        club text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        first bigint NOT NULL,
        last bigint,
        PRIMARY KEY (club, id)
    );
    """,
    """
    ALTER TABLE clubs ADD COLUMN indexed bigint NOT NULL DEFAULT 0;
    UPDATE clubs SET indexed = last;
    """,
)
"""`MIGRATIONS[n]` brings a database of version n to version n + 1; an empty one has version 0.

`nodes.until` is when a node's lease is over, by the database's clock. `clubs.node` leads a club under `epoch`, or
(NULL) nobody; `epoch` becomes `NEXT_EPOCH` whenever `node` changes. `last` is the number of the club's last fact,
`bytes` about what its facts take, `wanted` the node that it is to go to. `matches` has the matches of its facts up to
number `indexed`.
"""


RUNNING = "SELECT address FROM nodes WHERE until > clock_timestamp() LIMIT 1"
"""The address of a node that is there, in SQL."""


def prepare(connection: Connection) -> None:
    """Bring the tables to the newest version, unless a node of an earlier one is running. Raises StoreError."""
    ((number, encoding),) = connection.read(
        "SELECT current_setting('server_version_num'), current_setting('server_encoding')"
    )
    release = int(number) // 10_000
    if release < OLDEST:
        raise StoreError(f"{connection.name} is in PostgreSQL {release}; Rumble needs {OLDEST} or later")
    if encoding != "UTF8":
        raise StoreError(f"{connection.name} has the encoding {encoding}; Rumble needs UTF8")
    version = version_of(connection)
    if version < len(MIGRATIONS):
        if version and (nodes := connection.read(RUNNING)):
            raise StoreError(
                f"a node of an earlier version is running on {connection.name}: {nodes[0][0]}; stop it first"
            )
        connection.transact(_migrate)


def version_of(connection: Connection) -> int:
    """Return the version of the tables; 0 if there are none. Raises StoreError if it is newer than this program."""
    there = connection.read("SELECT to_regclass('rumble_version') IS NOT NULL")[0][0]
    version = int(connection.read("SELECT version FROM rumble_version")[0][0]) if there else 0
    if version > len(MIGRATIONS):
        known = len(MIGRATIONS)
        raise StoreError(
            f"{connection.name} was written by a newer Rumble: its version is {version}, this one knows {known}"
        )
    return version


def _migrate(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION,))
    connection.execute("CREATE TABLE IF NOT EXISTS rumble_version (version integer NOT NULL)")
    row = connection.execute("SELECT version FROM rumble_version").fetchone()
    version = 0 if row is None else int(str(row[0]))
    for script in MIGRATIONS[version:]:
        connection.execute(script.encode())
    connection.execute("DELETE FROM rumble_version")
    connection.execute("INSERT INTO rumble_version VALUES (%s)", (len(MIGRATIONS),))
