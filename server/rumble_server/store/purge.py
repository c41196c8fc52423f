"""Removing a value for good: its bytes are gone from the database's file and from the write-ahead log."""

import sqlite3


def purge(database: sqlite3.Connection, key: str) -> None:
    """Remove a value of `meta`, and every trace that it or an earlier one of its key has left. Raises sqlite3.Error.

    A deleted value stays in the free space of its page, so the table moves to a page without one, and the old page is
    filled with zeros. Old pages in the write-ahead log go when it is emptied; a start does that, too, after a crash.
    """
    if database.execute("SELECT 1 FROM meta WHERE key = ?", (key,)).fetchone() is None:
        return
    database.execute("PRAGMA secure_delete = ON")
    with database:
        database.execute("BEGIN IMMEDIATE")
        database.execute("CREATE TABLE kept (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        database.execute("INSERT INTO kept SELECT key, value FROM meta WHERE key != ?", (key,))
        database.execute("DROP TABLE meta")
        database.execute("ALTER TABLE kept RENAME TO meta")
    if not empty_wal(database):
        raise sqlite3.OperationalError("it is being read by another program")


def empty_wal(database: sqlite3.Connection) -> bool:
    """Bring the write-ahead log into the file, and cut it to nothing; False if a reader is in the way."""
    return bool(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
