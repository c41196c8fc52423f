"""The base class of the SQLite store and the PostgreSQL store. A store opens readers, and begins and ends writing."""

import asyncio
from collections.abc import Callable

from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.log.async_reader import AsyncReader, ReadWorkers
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.reader import LogReader
from rumble_server.store.row_keys import MAIN


class ClubStore:
    """The store of all clubs. Construct it, `attach` it to the running event loop, and `close` it at the end."""

    def __init__(self, group: GroupCommit, open_reader: Callable[..., LogReader], bounds: Bounds | None) -> None:
        """Make a store. `open_reader` is a picklable function that opens a reader of a club, by default of `main`."""
        self.group = group
        self._open_reader = open_reader
        self._bounds = bounds or Bounds()
        self._read_workers: ReadWorkers | None = None
        self._has_ended_writing = False

    def log(self, club: str = MAIN) -> ClubLog:
        """Return the open log of a club. Raises StoreError if the log is not open."""
        club_log = self.group.logs.get(club)
        if club_log is None:
            raise StoreError(f"the log of the club {club} is not open")
        return club_log

    def close_log(self, club: str) -> None:
        """Forget the log of a club that was unloaded. Facts that wait in the log are written, unless it is fenced."""
        self.group.logs.pop(club, None)

    def reader(self, club: str = MAIN) -> LogReader:
        """Open a reader of a club, for use on one thread. The caller has to close the reader. Raises StoreError."""
        return self._open_reader(club)

    def async_reader(self, club: str = MAIN) -> AsyncReader:
        """Return an asynchronous reader of a club. `close` of the store closes the reader, too. Raises StoreError."""
        if self._read_workers is None:
            self._read_workers = ReadWorkers(self._open_reader, self._bounds)
        return AsyncReader(self._read_workers, club)

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write facts to the database. The writing runs on this event loop."""
        self.group.attach(loop)

    async def wait_all(self) -> None:
        """Wait until all facts are on disk, or until writing has failed."""
        await self.group.wait_all()

    async def close(self) -> None:
        """Write all facts that still wait, and close the readers."""
        await self.end_writing()
        if self._read_workers is not None:
            await self._read_workers.close()

    async def end_writing(self) -> None:
        """Write all facts that still wait, and end the writer.

        Reads may still be in progress afterwards. `close` waits for reads, too.
        """
        if not self._has_ended_writing:
            self._has_ended_writing = True
            await self.group.close()
