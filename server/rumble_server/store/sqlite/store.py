"""The store in SQLite: one file has the logs of all clubs of a server, and small values beside the logs.

Another process writes the commits. A commit is one transaction (WAL, synchronous FULL), and has at most one row of each
kind for a tournament. The facts of all clubs are numbered in one sequence.
"""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_log import ClubLog, FactCounter
from rumble_server.store.log.club_store import ClubStore
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.process import WriterProcess
from rumble_server.store.row_keys import MAIN, prefix_of, split
from rumble_server.store.sqlite.files import Files, identity_of, make_private
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.match_index import bytes_of, index_matches, last_number
from rumble_server.store.sqlite.pruning import prune_challenges
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import check_database, empty_wal, open_database, preparing, store_errors
from rumble_server.store.sqlite.tournament_index import check_index

log = logging.getLogger(__name__)


class SqliteStore(ClubStore):
    """The store of all clubs in SQLite."""

    def __init__(self, path: str, bounds: Bounds | None = None) -> None:
        """Open or create a database, and lock it for this server. Raises StoreError."""
        self.path = path = os.path.realpath(path)
        check_database(path)
        self.lock = DatabaseLock(path)
        """The lock that keeps other servers away from the database."""
        try:
            for problem in make_private(path):
                log.warning(problem)
            self.database = open_database(path)
            """Connection of this process. The log is written by another process, on its own connection."""
            self._numbers = FactCounter(self._prepare())
        except StoreError:
            self.lock.release()
            raise
        identity = identity_of(path)
        command = (sys.executable, "-m", "rumble_server.store.sqlite.writer", path, identity)
        # The writing process inherits the lock. If this server is killed, no other server opens the database before the
        # last transaction is over.
        writer = WriterProcess(command, inherits=self.lock.file)
        super().__init__(GroupCommit(writer, Files(path, identity).find_displaced), partial(read_sqlite, path), bounds)
        self._run: int | None = None

    def _prepare(self) -> int:
        """Bring the index of matches up to date, and return the number of the log's last fact.

        Raises StoreError if the database cannot be used, or the index of tournaments is damaged.
        """
        with preparing(self.database, "use", self.path):
            last = last_number(self.database)
            empty_wal(self.database)
            problem = check_index(self.database)
            if problem is not None:  # before any write: the next start must find the damage, too
                raise StoreError(f"{self.path} is damaged: {problem} (`rumble db repair` mends what can be)")
            with self.database:
                self.database.execute("BEGIN IMMEDIATE")
                index_matches(self.database, last)
        return last

    # --- clubs ---

    def open_log(self, club: str = MAIN) -> ClubLog:
        """Open the log of a club, which goes on after the newest fact of all clubs. Raises StoreError."""
        size = self._read_bytes(club)
        # The number of the newest fact of all clubs is used: the club's own newest fact cannot have a greater number.
        last = self._numbers.last
        self.group.logs[club] = club_log = ClubLog(self.group, club, last=last, numbers=self._numbers, size=size)
        return club_log

    def run_number_of(self, club: str = MAIN) -> int:
        """Return the number of this server's run, which is the same for all clubs.

        The first call blocks, adds 1 to the number of the last run, and writes the new number to the database.
        """
        if self._run is None:
            run = int(self.get("runs") or 0) + 1
            self.put("runs", str(run))
            self._run = run
        return self._run

    def _read_bytes(self, club: str) -> int:
        with store_errors("read", self.path):
            return bytes_of(self.database, club)

    def prune_challenges(self, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
        prune_challenges(self.path, ended_before_ms, is_stopped)

    def count_bytes(self, clubs: Sequence[str]) -> dict[str, int]:
        return {club: self._read_bytes(club) for club in clubs}

    def clubs_in_play(self) -> list[str]:
        query = "SELECT id FROM tournaments WHERE over = 0"
        with store_errors("read", self.path):
            return sorted({split(key)[0] for (key,) in self.database.execute(query)})

    # --- life ---

    async def close(self) -> None:
        """Write all facts that still wait, and close the database."""
        await super().close()
        self.database.close()
        self.lock.release()

    # --- small values beside the log ---

    def get(self, key: str, club: str = MAIN) -> str | None:
        with store_errors("read", self.path):
            row = self.database.execute("SELECT value FROM meta WHERE key = ?", (prefix_of(club) + key,)).fetchone()
        return str(row[0]) if row else None

    def put(self, key: str, value: str, club: str = MAIN) -> None:
        key = prefix_of(club) + key
        with store_errors("write to", self.path):
            self.database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    def get_or_put(self, key: str, value: str) -> str:
        kept = self.get(key)
        if kept is None:
            self.put(key, value)
        return value if kept is None else kept
