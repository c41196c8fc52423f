"""The base of the stores in SQLite and in PostgreSQL: logs by club, readers, and the life of a store."""

import asyncio
from collections.abc import Callable

from rumble_server.host.histogram import Histogram
from rumble_server.limits.bounds import Bounds
from rumble_server.store.log.async_reader import AsyncReader, ReadWorkers
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.reader import LogReader
from rumble_server.store.row_keys import MAIN


class ClubStore:
    """The store of all clubs. Construct, `attach` to the running loop, and at the end `close`."""

    def __init__(self, group: GroupCommit, open_reader: Callable[..., LogReader], bounds: Bounds | None) -> None:
        """`open_reader` opens a reader of a club, by default `main`. It must be picklable."""
        self.group = group
        self._open_reader = open_reader
        self._bounds = bounds or Bounds()
        self._read_workers: ReadWorkers | None = None

    def close_log(self, club: str) -> None:
        """Forget the log of an unloaded club. Gathered facts are still written."""
        self.group.logs.pop(club, None)

    def reader(self, club: str = MAIN) -> LogReader:
        """Open a reader of a club, for use on one thread. The caller closes the reader. Raises StoreError."""
        return self._open_reader(club)

    def async_reader(self, club: str = MAIN) -> AsyncReader:
        """Return the asynchronous reader of a club, which is closed with the store. Raises StoreError."""
        if self._read_workers is None:
            self._read_workers = ReadWorkers(self._open_reader, self._bounds)
        return AsyncReader(self._read_workers, club)

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write on this loop."""
        self.group.attach(loop)

    async def wait_all(self) -> None:
        """Return once everything is on disk, or writing has failed."""
        await self.group.wait_all()

    async def close(self) -> None:
        """Write everything that has gathered, and close the readers."""
        await self.group.close()
        if self._read_workers is not None:
            self._read_workers.close()

    @property
    def commits(self) -> Histogram:
        """Histogram of the durations of successful commits."""
        return self.group.commits
