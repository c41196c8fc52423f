"""Removal of a secret value for good: no byte of it stays in the database's file or write-ahead log."""

import sqlite3


def purge(database: sqlite3.Connection, key: str) -> None:
    """Remove a value of `meta`, with every trace of it and of earlier values of its key. Raises sqlite3.Error.

    A deleted value stays in the free space of its page. So the table moves to new pages, and the old pages are filled
    with zeros. Old pages in the write-ahead log go when the log is emptied; after a crash, the next start empties it.
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
    """Move the write-ahead log into the file, and truncate the log. Return false if a reader prevents it."""
    return bool(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
