"""Opening an SQLite database: the tables, their version, and checks that refuse unsuitable files."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import checksum, intact
from rumble_server.store.sqlite.files import check_name

WAL_BYTES = 1 << 26
"""Size in bytes to which the write-ahead log (WAL) is cut after a checkpoint.

During a long read the WAL may grow larger.
"""
APPLICATION_ID = 0x52554D42
"""Number in the header of an SQLite file that marks it as a database of Rumble: `RUMB` in ASCII."""

VERSION = 6
"""Version of the tables. A file with any other version is refused."""
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE log (
    number INTEGER PRIMARY KEY,
    tournament TEXT NOT NULL,
    kind INTEGER NOT NULL,
    facts TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX log_by_tournament ON log (tournament, kind, number);
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    listed INTEGER NOT NULL,
    over INTEGER NOT NULL,
    pruned INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX tournaments_by_over ON tournaments (over);
CREATE TABLE ended (id TEXT PRIMARY KEY, record TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE matches (id TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
"""


@contextmanager
def store_errors(what: str, path: str) -> Iterator[None]:
    """Turn an error of SQLite in the block into a StoreError: "cannot {what} the database {path}: ..."."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"cannot {what} the database {path}: {error}") from None
    except UnicodeDecodeError as error:  # of SQLite's message, which quotes the damaged text of a table's definition
        raise StoreError(f"cannot {what} the database {path}: {error.object.decode(errors='replace')}") from None


@contextmanager
def preparing(database: sqlite3.Connection, what: str, path: str) -> Iterator[None]:
    """Close a new connection if the block fails. An error of SQLite becomes a StoreError (see `store_errors`)."""
    try:
        with store_errors(what, path):
            yield
    except BaseException:
        database.close()
        raise


def open_database(path: str) -> sqlite3.Connection:
    """Open a database, and make the tables in a new file. Raises StoreError."""
    with store_errors("open", path):
        database = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    with preparing(database, "use", path):
        # Large pages and rare checkpoints: rows hold many facts, and hardly ever change.
        database.execute("PRAGMA page_size = 8192")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 2000")
        database.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        database.execute("PRAGMA synchronous = FULL")
        add_functions(database)
        if database.execute("PRAGMA user_version").fetchone()[0] == 0:
            database.executescript(
                f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION_ID}; COMMIT;"
            )
    return database


def open_reader(path: str) -> sqlite3.Connection:
    """Open a connection that only reads, and on which the content of a damaged row is NULL. Raises StoreError."""
    with store_errors("read", path):
        database = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    with preparing(database, "read", path):
        add_functions(database)
        # Temporary views hide the tables of the same names, so that no query can take a damaged row for a good one.
        database.execute(
            "CREATE TEMP VIEW log AS SELECT number, tournament, kind,"
            " intact(CAST(facts AS BLOB), checksum, number, tournament, kind) AS facts FROM main.log"
        )
        database.execute(
            "CREATE TEMP VIEW ended AS SELECT id, intact(CAST(record AS BLOB), checksum, id) AS record FROM main.ended"
        )
        database.execute("PRAGMA query_only = ON")
    return database


def open_existing(path: str) -> sqlite3.Connection:
    """Open an existing database of Rumble. Raises StoreError."""
    if not Path(path).is_file():
        raise StoreError(f"there is no database {path}")
    with store_errors("open", path):
        database = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    with preparing(database, "use", path):
        check_owner(database, path)
        add_functions(database)
    return database


def check_database(path: str) -> None:
    """Raise StoreError if the file is not a database of Rumble, is damaged, or has another version or hard links.

    A missing or empty file is accepted. The check changes neither the file nor a write-ahead log left by a crash.
    """
    check_name(path)
    file = Path(path)
    if not file.is_file() or file.stat().st_size == 0:
        return
    # If there is a WAL, a writing connection would move it into the file. If there is none, a read-only connection
    # would leave an empty WAL behind.
    mode = "ro" if file.with_name(f"{file.name}-wal").exists() else "rw"
    url = f"{file.absolute().as_uri()}?mode={mode}"
    with store_errors("use", path), closing(sqlite3.connect(url, uri=True, timeout=1.0)) as database:
        check_owner(database, path)
        problem = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        text = " ".join(str(problem).split())
        raise StoreError(f"{path} is damaged: {text} (`rumble db repair` mends what can be)")


def add_functions(database: sqlite3.Connection) -> None:
    """Add the SQL functions `checksum` and `intact` to a connection. Raises sqlite3.Error."""
    database.create_function("checksum", -1, checksum, deterministic=True)
    database.create_function("intact", -1, intact, deterministic=True)


def check_owner(database: sqlite3.Connection, path: str) -> None:
    """Raise StoreError if the file is not a database of Rumble, or has another version.

    A new file without tables is accepted. Raises sqlite3.Error if the file cannot be read.
    """
    version = database.execute("PRAGMA user_version").fetchone()[0]
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if is_new and owner == 0 and version == 0:
        return
    if owner != APPLICATION_ID:
        raise StoreError(f"{path} is not a database of Rumble")
    if version != VERSION:
        raise StoreError(
            f"{path} is a database of Rumble of version {version}; this Rumble reads version {VERSION} only"
        )


def empty_wal(database: sqlite3.Connection) -> bool:
    """Move the contents of the write-ahead log into the database file. If a reader prevents the move, return false."""
    return bool(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
