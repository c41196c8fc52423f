"""The program that writes commits to an SQLite file. A commit is one transaction.

The server runs the program as a process (`store/log/commit_loop.py`), so that writing does not contend with the event
loop for the interpreter.
"""

import sqlite3
import sys
import time
from collections.abc import Sequence

from rumble_server.store.errors import StoreError
from rumble_server.store.log.commit_loop import answer_all
from rumble_server.store.log.content import DETAIL, Content
from rumble_server.store.row_keys import prefix_of
from rumble_server.store.sqlite.files import WRITTEN, Files
from rumble_server.store.sqlite.match_index import delete_rows, index_matches
from rumble_server.store.sqlite.schema import open_database

INDEX_S = 1.0
"""Minimum time in s between two writes of the index of matches."""

# A commit that seemed to fail may be on disk, and is repeated. So each statement has the same result when repeated.
LOG_ROW = """INSERT OR REPLACE INTO log (number, tournament, kind, facts, checksum)
    SELECT number, tournament, kind, facts, checksum(CAST(facts AS BLOB), number, tournament, kind)
    FROM (SELECT ? AS number, ? AS tournament, ? AS kind, ? AS facts)"""
_CREATED = """INSERT INTO tournaments (id, listed, over) VALUES (?, ?, 0)
    ON CONFLICT (id) DO UPDATE SET listed = excluded.listed"""
_OVER = "UPDATE tournaments SET over = 1 WHERE id = ?"
RECORD = """INSERT OR REPLACE INTO ended (id, record, checksum)
    SELECT id, record, checksum(CAST(record AS BLOB), id) FROM (SELECT ? AS id, ? AS record)"""


def write(database: sqlite3.Connection, contents: Sequence[Content], *, index: bool) -> None:
    """Write a commit in one transaction. If `index` is true, also bring the index of matches up to date.

    Raises sqlite3.Error; the commit then is on disk either completely or not at all. It is safe to write the same
    contents again.
    """
    last = 0
    with database:
        database.execute("BEGIN IMMEDIATE")
        for each in contents:
            club = prefix_of(each["club"])
            if each["log"]:
                last = max(last, each["last"])
            database.executemany(LOG_ROW, [(row[0], club + row[1], row[2], row[3]) for row in each["log"]])
            database.executemany(_CREATED, [(club + tournament, listed) for tournament, listed in each["created"]])
            database.executemany(_OVER, [(club + tournament,) for tournament in each["over"]])
            database.executemany(RECORD, [(club + tournament, record) for tournament, record in each["ended"]])
            for versions, oldest, _ in each["dropped"]:
                key = club + versions
                delete_rows(database, each["club"], "tournament = ? AND kind = ? AND number < ?", key, DETAIL, oldest)
        if index and last:
            index_matches(database, last)


class _Database:
    """A database that the first commit opens. A commit fails if a file of the database was removed or replaced.

    `identity` is the result of `identity_of` at the server's start.
    """

    def __init__(self, path: str, identity: str) -> None:
        self._path = path
        self._files = Files(path, identity, WRITTEN)
        self._database: sqlite3.Connection | None = None
        self._index_at_s = time.monotonic() + INDEX_S

    def commit(self, contents: Sequence[Content], again: bool) -> Sequence[str]:
        """Write a commit. It is safe to write the same commit again. Raises StoreError."""
        now_s = time.monotonic()
        index = now_s >= self._index_at_s
        try:
            if self._database is None:
                self._require()
                self._database = open_database(self._path)
            write(self._database, contents, index=index)
        except sqlite3.Error as error:
            raise StoreError(str(error)) from None
        self._require()
        if index:
            self._index_at_s = now_s + INDEX_S
        return ()

    def _require(self) -> None:
        problem = self._files.find_displaced()
        if problem is not None:
            raise StoreError(problem)


if __name__ == "__main__":
    answer_all(_Database(*sys.argv[1:]).commit)
