"""The store in PostgreSQL, for all clubs of one or several servers.

`open_store` opens the store for `app.Server`. Each club has an epoch, and only the server with the newest epoch writes
the club. Each club has a sequence of numbers for its facts. In turn ids, a club's epoch is the number of the run.
"""

import os
import sys
from collections.abc import Callable
from functools import partial

from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_log import ClubLog, Numbers
from rumble_server.store.log.club_store import ClubStore
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.process import WriterProcess
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.pruning import prune_challenges
from rumble_server.store.postgres.rows import read_postgres
from rumble_server.store.postgres.schema import FIRST_EPOCH, NEXT_EPOCH, prepare
from rumble_server.store.postgres.writer import URL_VARIABLE
from rumble_server.store.row_keys import MAIN

ANSWER_S = 10.0
"""Maximum time in s of a commit. After this time the writing process is killed, since its connection may be dead."""

_TAKE = f"""
INSERT INTO clubs (club, epoch) VALUES (%(club)s, {FIRST_EPOCH})
ON CONFLICT (club) DO UPDATE SET epoch = {NEXT_EPOCH}, node = NULL RETURNING epoch
"""


class PostgresStore(ClubStore):
    """The store of all clubs in PostgreSQL. Construct, `attach` to the running loop, and at the end `close`."""

    def __init__(self, url: str, bounds: Bounds | None = None) -> None:
        """Connect, and make the tables unless the database has them. Raises StoreError."""
        self._url = url
        self.connection = PostgresConnection(url)
        try:
            prepare(self.connection)
        except StoreError:
            self.connection.close()
            raise
        self.path = self.connection.name
        command = (sys.executable, "-m", "rumble_server.store.postgres.writer")
        self.writer = WriterProcess(command, environment={**os.environ, URL_VARIABLE: url}, patience_s=ANSWER_S)
        super().__init__(GroupCommit(self.writer, lambda: None), partial(read_postgres, url), bounds)

    # --- clubs ---

    def lead(self, club: str, epoch: int) -> ClubLog:
        """Open the log of a club that this server leads under `epoch`. Blocks; may be called on any thread.

        Raises StoreError if another node leads the club, or the database fails.
        """
        rows = self.connection.read(
            "SELECT last, bytes FROM clubs WHERE club = %(club)s AND epoch = %(epoch)s", {"club": club, "epoch": epoch}
        )
        if not rows:
            raise StoreError(f"another node leads the club {club}")
        last, size = rows[0]
        log = self.group.logs[club] = ClubLog(
            self.group, club, last=last, numbers=Numbers(last), epoch=epoch, size=size
        )
        return log

    def log(self, club: str = MAIN) -> ClubLog:
        """Return the log of a club, the same object each time. Raises StoreError.

        If `lead` has not opened the log before, this server first becomes the club's leader, in place of any earlier
        leader. The call then blocks.
        """
        if club not in self.group.logs:
            self.lead(club, int(self.connection.execute(_TAKE, {"club": club})[0][0]))
        return self.group.logs[club]

    def run_of(self, club: str = MAIN) -> int:
        """Return the number that stands for this run in turn ids of a club: the club's epoch."""
        return self.log(club).epoch

    def prune_challenges(self, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
        """Delete the plies and frames of challenges that ended before a time in ms since the epoch.

        Blocks; may be called on any thread.
        """
        prune_challenges(self._url, ended_before_ms, is_stopped)

    def count_bytes(self) -> None:
        """Read again the size in bytes of each club whose log is open. Raises StoreError."""
        for club, size in self.connection.read("SELECT club, bytes FROM clubs"):
            if club in self.group.logs:
                self.group.logs[club].bytes = size

    def clubs_in_play(self) -> list[str]:
        """Return the clubs with a tournament that is not over. Blocks. Raises StoreError."""
        query = "SELECT DISTINCT club FROM tournaments WHERE NOT over ORDER BY club"
        return [row[0] for row in self.connection.read(query)]

    # --- life ---

    async def start_writer(self) -> None:
        """Start the writing process early, so that the first club does not wait for the start. Raises StoreError."""
        try:
            await self.writer.start()
        except OSError as error:
            raise StoreError(f"what writes {self.path} cannot be started: {error}") from None

    async def close(self) -> None:
        """Write what is left and close the connections."""
        await super().close()
        self.connection.close()

    # --- small values beside the log; these methods block, so call them on the event loop only before `attach` ---

    def get(self, key: str, club: str = MAIN) -> str | None:
        query = "SELECT value FROM meta WHERE club = %(club)s AND key = %(key)s"
        rows = self.connection.read(query, {"club": club, "key": key})
        return str(rows[0][0]) if rows else None

    def put(self, key: str, value: str, club: str = MAIN) -> None:
        """Keep a small value beside the log. Raises StoreError."""
        self.connection.execute(
            """INSERT INTO meta (club, key, value) VALUES (%(club)s, %(key)s, %(value)s)
               ON CONFLICT (club, key) DO UPDATE SET value = excluded.value""",
            {"club": club, "key": key, "value": value},
        )

    def keep(self, key: str, value: str) -> str:
        """Keep a small value unless the key has a value, and return the kept value. Raises StoreError."""
        insert = "INSERT INTO meta (club, key, value) VALUES (%(club)s, %(key)s, %(value)s) ON CONFLICT DO NOTHING"
        self.connection.execute(insert, {"club": MAIN, "key": key, "value": value})
        return self.get(key) or value
