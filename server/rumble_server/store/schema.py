"""Opening an SQLite database: tables, versions, and the refusal of files that must not be used."""

import sqlite3
from contextlib import closing
from pathlib import Path

from rumble_server.store.checksum import add_functions
from rumble_server.store.errors import StoreError
from rumble_server.store.files import check_name

WAL_BYTES = 1 << 26
"""Size in bytes to which the write-ahead log shrinks after a checkpoint; during a long read the log only grows."""
WITH_CHECKSUMS = 4
"""First version whose rows have checksums."""

APPLICATION_ID = 0x52554D42
"""`RUMB` in ASCII: marks a file as a database of Rumble (SQLite keeps the number in the file's header)."""

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE log (number INTEGER PRIMARY KEY, tournament TEXT NOT NULL, kind INTEGER NOT NULL, facts TEXT NOT NULL);
    CREATE INDEX log_by_tournament ON log (tournament, kind, number);
    CREATE TABLE tournaments (id TEXT PRIMARY KEY, listed INTEGER NOT NULL, over INTEGER NOT NULL);
    CREATE INDEX tournaments_by_over ON tournaments (over);
    CREATE TABLE matches (id TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
    """,
    """
    CREATE TABLE ended (id TEXT PRIMARY KEY, record TEXT NOT NULL);
    """,
    """
    UPDATE meta SET key = 'indexed' WHERE key = 'last';
    """,
    """
    ALTER TABLE log ADD COLUMN checksum INTEGER;
    ALTER TABLE ended ADD COLUMN checksum INTEGER;
    ALTER TABLE tournaments ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
    """,
)
"""Scripts of the versions: `MIGRATIONS[n]` brings version n to version n + 1. A new file has version 0."""


def open_database(path: str) -> sqlite3.Connection:
    """Open or create the database, and bring its tables to the newest version. Raises StoreError."""
    try:
        database = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreError(f"cannot open the database {path}: {error}") from None
    try:
        # Large pages and rare checkpoints: rows hold many facts, and hardly ever change.
        database.execute("PRAGMA page_size = 8192")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 2000")
        database.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        database.execute("PRAGMA synchronous = FULL")
        add_functions(database)
        _migrate(database)
    except sqlite3.Error as error:
        database.close()
        raise StoreError(f"cannot use the database {path}: {error}") from None
    return database


def open_reader(path: str) -> sqlite3.Connection:
    """Open a connection that only reads, and sees NULL as the content of a damaged row. Raises StoreError."""
    try:
        database = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreError(f"cannot read the database {path}: {error}") from None
    try:
        add_functions(database)
        has_checksums = database.execute("PRAGMA user_version").fetchone()[0] >= WITH_CHECKSUMS
        checksum = "checksum" if has_checksums else "NULL"
        # Temporary views hide the tables of the same names, so that no query can take a damaged row for a good one.
        database.execute(
            "CREATE TEMP VIEW log AS SELECT number, tournament, kind,"
            f" intact(CAST(facts AS BLOB), {checksum}, number, tournament, kind) AS facts FROM main.log"
        )
        database.execute(
            "CREATE TEMP VIEW ended AS SELECT id,"
            f" intact(CAST(record AS BLOB), {checksum}, id) AS record FROM main.ended"
        )
        database.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        database.close()
        raise StoreError(f"cannot read the database {path}: {error}") from None
    return database


def open_existing(path: str) -> sqlite3.Connection:
    """Open an existing database of Rumble, of any known version. Raises StoreError."""
    if not Path(path).is_file():
        raise StoreError(f"there is no database {path}")
    try:
        database = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"cannot open the database {path}: {error}") from None
    try:
        check_owner(database, path)
        add_functions(database)
    except (sqlite3.Error, StoreError) as error:
        database.close()
        raise (
            error if isinstance(error, StoreError) else StoreError(f"cannot use the database {path}: {error}")
        ) from None
    return database


def check_database(path: str) -> None:
    """Raise StoreError if the file is no database of Rumble, or is newer, damaged or hard-linked.

    The file stays unchanged, and so does a write-ahead log left by a crash.
    """
    check_name(path)
    file = Path(path)
    if not file.is_file() or file.stat().st_size == 0:
        return
    # A writing connection would move the WAL into the file; a read-only one would leave an empty WAL behind.
    mode = "ro" if file.with_name(f"{file.name}-wal").exists() else "rw"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, timeout=1.0)) as database:
            check_owner(database, path)
            problem = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreError(f"cannot use the database {path}: {error}") from None
    if problem != "ok":
        text = " ".join(str(problem).split())
        raise StoreError(f"{path} is damaged: {text} (`rumble db repair` mends what can be)")


def check_owner(database: sqlite3.Connection, path: str) -> None:
    """Raise StoreError if the file is no database of Rumble, or is newer than this program. Raises sqlite3.Error."""
    version = database.execute("PRAGMA user_version").fetchone()[0]
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if owner != APPLICATION_ID and not (is_new and owner == 0 and version == 0):
        raise StoreError(f"{path} is not a database of Rumble")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Rumble: its version is {version}, this one knows {len(MIGRATIONS)}"
        )


def _migrate(database: sqlite3.Connection) -> None:
    version = database.execute("PRAGMA user_version").fetchone()[0]
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        database.executescript(
            f"BEGIN; {script} PRAGMA user_version = {number}; PRAGMA application_id = {APPLICATION_ID}; COMMIT;"
        )
