"""Writing batches to the database, each as one transaction."""

import sqlite3

from rumble_server.store.match_index import index_matches

Statement = tuple[str, list[tuple[str | int, ...]]]
"""An SQL statement, and the values of each of its executions."""


def write(database: sqlite3.Connection, statements: list[Statement], last: int, *, index: bool) -> None:
    """Write a batch that brings the log up to the fact `last`, and the index of matches as well if `index`.

    Raises sqlite3.Error, and then nothing was written, or all of it was. Writing it once more changes nothing.
    """
    with database:
        database.execute("BEGIN IMMEDIATE")
        for statement, rows in statements:
            database.executemany(statement, rows)
        if index:
            index_matches(database, last)
