"""The store in PostgreSQL, for all clubs of one or several servers.

`open_store` opens the store for `app.Server`. Each club has an epoch, which grows with each new leader. Only the server
that leads the club under the newest epoch can write the club's log. Each club has its own sequence of fact numbers.
Turn ids contain the club's epoch; with SQLite, turn ids contain the number of the server's run.
"""

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
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.pruning import prune_challenges
from rumble_server.store.postgres.rows import read_postgres
from rumble_server.store.postgres.schema import FIRST_EPOCH, NEXT_EPOCH, prepare
from rumble_server.store.postgres.writer import URL_VARIABLE
from rumble_server.store.row_keys import MAIN

ANSWER_S = 10.0
"""Maximum time in s of a commit. A slower writing process is killed, because its connection may be dead."""

_TAKE = f"""
INSERT INTO clubs (club, epoch) VALUES (%(club)s, {FIRST_EPOCH})
ON CONFLICT (club) DO UPDATE SET epoch = {NEXT_EPOCH}, node = NULL RETURNING epoch
"""


class PostgresStore(ClubStore):
    """The store of all clubs in PostgreSQL."""

    def __init__(self, url: str, bounds: Bounds | None = None) -> None:
        """Connect to the database, and make the tables if they are missing. Raises StoreError."""
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

    def open_led_log(self, club: str, epoch: int) -> ClubLog:
        """Open the log of a club that this server leads under `epoch`. The call blocks, and any thread may make it.

        Raises StoreError if another node leads the club, or the database fails.
        """
        rows = self.connection.read(
            "SELECT last, bytes FROM clubs WHERE club = %(club)s AND epoch = %(epoch)s", {"club": club, "epoch": epoch}
        )
        if not rows:
            raise StoreError(f"another node leads the club {club}")
        last, size = rows[0]
        self.group.logs[club] = club_log = ClubLog(
            self.group, club, last=last, numbers=FactCounter(last), epoch=epoch, size=size
        )
        return club_log

    def open_log(self, club: str = MAIN) -> ClubLog:
        """Open the log of a club, and make this server the club's leader in place of any other server.

        Nodes must not call this method, because their clubs come by leases. The call blocks. Raises StoreError.
        """
        return self.open_led_log(club, int(self.connection.execute(_TAKE, {"club": club})[0][0]))

    def run_number_of(self, club: str = MAIN) -> int:
        """Return the epoch of a club with an open log. Raises StoreError if the log is not open."""
        return self.log(club).epoch

    def prune_challenges(self, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
        prune_challenges(self._url, ended_before_ms, is_stopped)

    def count_bytes(self, clubs: Sequence[str]) -> dict[str, int]:
        query = "SELECT club, bytes FROM clubs WHERE club = ANY(%(clubs)s)"
        return dict(self.connection.read(query, {"clubs": list(clubs)}))

    def clubs_in_play(self) -> list[str]:
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
        """Write all facts that still wait, and close the connections."""
        await super().close()
        self.connection.close()

    # --- small values beside the log ---

    def get(self, key: str, club: str = MAIN) -> str | None:
        query = "SELECT value FROM meta WHERE club = %(club)s AND key = %(key)s"
        rows = self.connection.read(query, {"club": club, "key": key})
        return str(rows[0][0]) if rows else None

    def put(self, key: str, value: str, club: str = MAIN) -> None:
        self.connection.execute(
            """INSERT INTO meta (club, key, value) VALUES (%(club)s, %(key)s, %(value)s)
               ON CONFLICT (club, key) DO UPDATE SET value = excluded.value""",
            {"club": club, "key": key, "value": value},
        )

    def get_or_put(self, key: str, value: str) -> str:
        insert = "INSERT INTO meta (club, key, value) VALUES (%(club)s, %(key)s, %(value)s) ON CONFLICT DO NOTHING"
        self.connection.execute(insert, {"club": MAIN, "key": key, "value": value})
        return self.get(key) or value
