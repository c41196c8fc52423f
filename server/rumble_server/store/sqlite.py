"""All clubs of a server in one SQLite file: their logs, what reads them, and small values kept beside them.

A commit is one transaction (WAL, synchronous FULL) of a row per tournament and kind, written in a process of its own.
Facts have their numbers from one sequence of all clubs.
"""

import asyncio
import logging
import os
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rumble_server.bounds import Bounds
from rumble_server.histogram import Histogram
from rumble_server.store.archive import Archive, ReadingRoom
from rumble_server.store.club_log import ClubLog, Numbers
from rumble_server.store.errors import StoreError
from rumble_server.store.files import Files, identity_of, make_private
from rumble_server.store.group_commit import GroupCommit
from rumble_server.store.keys import MAIN, prefix_of, split
from rumble_server.store.lock import DatabaseLock
from rumble_server.store.match_index import bytes_of, index_matches, last_number
from rumble_server.store.process import WriterProcess
from rumble_server.store.pruning import prune_challenges
from rumble_server.store.purge import empty_wal, purge
from rumble_server.store.reader import LogReader
from rumble_server.store.schema import check_database, open_database
from rumble_server.store.sqlite_rows import read_sqlite
from rumble_server.store.tournament_index import check_index

log = logging.getLogger(__name__)


class SqliteStore:
    """The database of all clubs. Open it, `attach` it to the running loop, then `close` it."""

    def __init__(self, path: str, bounds: Bounds | None = None) -> None:
        """Open or create a database, and take it for this server alone. Raises StoreError."""
        self.path = path = os.path.realpath(path)
        self._bounds = bounds or Bounds()
        check_database(path)
        self.lock = DatabaseLock(path)
        """The lock that keeps the database for this server."""
        try:
            for problem in make_private(path):
                log.warning(problem)
            self.database = open_database(path)
            """The connection of this process; another process writes the log."""
            self._numbers = Numbers(self._take_up())
        except StoreError:
            self.lock.release()
            raise
        identity = identity_of(path)
        command = (sys.executable, "-m", "rumble_server.store.writer", path, identity)
        # It holds the lock until it ends, so that nobody takes up the database before its last transaction is over.
        writer = WriterProcess(command, inherits=self.lock.file)
        self.group = GroupCommit(writer, Files(path, identity).displaced)
        self._room: ReadingRoom | None = None
        self._run: int | None = None

    def _take_up(self) -> int:
        """Complete the index from the tail of the log, and return the number of the last fact. Raises StoreError."""
        try:
            last = last_number(self.database)
            empty_wal(self.database)
            problem = check_index(self.database)
            with self.database:
                self.database.execute("BEGIN IMMEDIATE")
                index_matches(self.database, last)
        except sqlite3.Error as error:
            self.database.close()
            raise StoreError(f"cannot use the database {self.path}: {error}") from None
        if problem is not None:
            self.database.close()
            raise StoreError(f"{self.path} is damaged: {problem} (`rumble db repair` mends what can be)")
        return last

    # --- clubs ---

    def log(self, club: str = MAIN) -> ClubLog:
        """Return the log of a club, the same one each time. Raises StoreError."""
        if club not in self.group.logs:
            size = self._read_bytes(club)
            # All of the club that is on disk has a lower number than the newest fact of all clubs, or that.
            last = self._numbers.last
            self.group.logs[club] = ClubLog(self.group, club, last=last, numbers=self._numbers, size=size)
        return self.group.logs[club]

    def close_log(self, club: str) -> None:
        """Forget the log of a club that is not used any more; what it gathered is written."""
        self.group.logs.pop(club, None)

    def run_of(self, club: str = MAIN) -> int:
        """Return the number of this run of the server, which is the same for all clubs.

        It tells the turns of this run from those in any other. The first call counts it, which blocks.
        """
        if self._run is None:
            self._run = self._count_run()
        return self._run

    def reader(self, club: str = MAIN) -> LogReader:
        """Open a reader of a club, for use on one thread; close it. Raises StoreError."""
        return read_sqlite(self.path, club)

    def archive(self, club: str = MAIN) -> Archive:
        """Return what reads a club beside the event loop. It is closed with the store. Raises StoreError."""
        if self._room is None:
            self._room = ReadingRoom(partial(read_sqlite, self.path), self._bounds)
        return Archive(self._room, club, self.log(club).file)

    def _read_bytes(self, club: str) -> int:
        try:
            return bytes_of(self.database, club)
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the database {self.path}: {error}") from None

    def prune_challenges(self, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
        """Delete the plies and frames of challenges that ended before a moment. It blocks; any thread."""
        prune_challenges(self.path, ended_before_ms, is_stopped)

    def count_bytes(self) -> None:
        """Count anew how many bytes the clubs take whose logs are open. Raises StoreError."""
        for club, club_log in self.group.logs.items():
            club_log.bytes = self._read_bytes(club)

    def clubs_in_play(self) -> list[str]:
        """Return the clubs with a tournament that is not over. It blocks. Raises StoreError."""
        query = "SELECT id FROM tournaments WHERE over = 0"
        try:
            return sorted({split(key)[0] for (key,) in self.database.execute(query)})
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the database {self.path}: {error}") from None

    # --- life ---

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write on this loop."""
        self.group.attach(loop)

    async def wait_all(self) -> None:
        """Return once everything is on disk, or writing has failed."""
        await self.group.wait_all()

    async def close(self) -> None:
        """Write what is left and close the database."""
        await self.group.close()
        if self._room is not None:
            self._room.close()
        self.database.close()
        self.lock.release()

    @property
    def commits(self) -> Histogram:
        """How long the commits took that were written."""
        return self.group.commits

    # --- small values, kept beside the log; they block, so on the event loop only before `attach` ---

    def _count_run(self) -> int:
        """Count a run of a server on this database, and return its number, from 1. Raises StoreError."""
        run = int(self.get("runs") or 0) + 1
        self.put("runs", str(run))
        return run

    def get(self, key: str, club: str = MAIN) -> str | None:
        row = self.database.execute("SELECT value FROM meta WHERE key = ?", (prefix_of(club) + key,)).fetchone()
        return str(row[0]) if row else None

    def put(self, key: str, value: str, club: str = MAIN) -> None:
        """Keep a small value beside the log. Raises StoreError."""
        key = prefix_of(club) + key
        try:
            self.database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
        except sqlite3.Error as error:
            raise StoreError(f"cannot write to the database {self.path}: {error}") from None

    def keep(self, key: str, value: str) -> str:
        """Keep a small value unless there is one already, and return what is kept. Raises StoreError."""
        kept = self.get(key)
        if kept is None:
            self.put(key, value)
        return value if kept is None else kept

    def purge(self, key: str, club: str = MAIN) -> None:
        """Remove a small value so that no byte of it stays in the database's files. Raises StoreError."""
        try:
            purge(self.database, prefix_of(club) + key)
        except sqlite3.Error as error:
            raise StoreError(f"cannot write to the database {self.path}: {error}") from None


def database_path(url: str) -> str:
    """Return the file of a path, `sqlite:///relative` or `sqlite:////absolute`. Raises StoreError for another URL."""
    if "://" not in url:
        return url
    scheme, _, rest = url.partition("://")
    if scheme in ("postgresql", "postgres"):
        raise StoreError("this is for files; PostgreSQL has tools of its own (pg_dump, pg_restore, VACUUM)")
    if scheme != "sqlite" or not rest.startswith("/") or len(rest) < 2:
        raise StoreError(f"--db takes a path, sqlite:///relative or sqlite:////absolute, not {url!r}")
    return str(Path(rest[1:]))
