"""Writing batches to the database: the transaction, and the program that the server runs for it.

In a process of its own, writing does not contend with the event loop for the interpreter. The program reads batches
from standard input, and answers each with a line: an empty one, or what went wrong. It ends when standard input does,
after the transaction that it is in. It imports next to nothing, because it starts with every server.
"""

import marshal
import os
import signal
import sqlite3
import sys
import time

from rumble_server.store.errors import StoreError
from rumble_server.store.files import WRITTEN, Files
from rumble_server.store.match_index import index_matches
from rumble_server.store.schema import open_database

INDEX_S = 1.0
"""How often the index of matches is written, in s."""
STDOUT = 1
"""The file descriptor."""
SIZE_BYTES = 8
"""How many bytes the size of a message takes, with which it begins."""

Statement = tuple[str, list[tuple[str | int, ...]]]
"""An SQL statement, and the values of each of its executions."""


def write(database: sqlite3.Connection, last: int, statements: list[Statement], *, index: bool) -> None:
    """Write a batch that brings the log up to the fact `last`, and the index of matches as well if `index`.

    Raises sqlite3.Error, and then nothing was written, or all of it was. Writing it once more changes nothing.
    """
    with database:
        database.execute("BEGIN IMMEDIATE")
        for statement, rows in statements:
            database.executemany(statement, rows)
        if index:
            index_matches(database, last)


def message(last: int, statements: list[Statement]) -> bytes:
    """Return what the process reads for a batch."""
    content = marshal.dumps((last, statements))
    return len(content).to_bytes(SIZE_BYTES) + content


def main(path: str, identity: str) -> None:
    """Write batches to the database of this path until standard input ends, and only while its files are these."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are for the server, which drains first
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    files = Files(path, identity, WRITTEN)
    database = None
    index_at_s = time.monotonic() + INDEX_S
    while content := sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(SIZE_BYTES))):
        now_s = time.monotonic()
        index = now_s >= index_at_s
        answer = ""
        try:
            if database is None:
                _require(files)
                database = open_database(path)
            write(database, *marshal.loads(content), index=index)
            _require(files)
        except (sqlite3.Error, StoreError) as error:
            answer = " ".join(str(error).split())
        else:
            if index:
                index_at_s = now_s + INDEX_S
        try:
            os.write(STDOUT, f"{answer}\n".encode())
        except BrokenPipeError:
            break
    # Not closed: that could remove the WAL from under the next server, which looks at the file before it has the lock.
    os._exit(0)


def _require(files: Files) -> None:
    problem = files.displaced()
    if problem is not None:
        raise StoreError(problem)


if __name__ == "__main__":
    main(*sys.argv[1:])
