"""The base class of the SQLite store and the PostgreSQL store. A store opens readers, and begins and ends writing."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.log.async_reader import AsyncReader, ReadWorkers
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.group_commit import GroupCommit
from rumble_server.store.log.reader import LogReader
from rumble_server.store.row_keys import MAIN


class ClubStore(ABC):
    """The store of all clubs. Construct it, `attach` it to the running event loop, and `close` it at the end."""

    path: str
    """The database's file, or its URL without a password."""

    def __init__(self, group: GroupCommit, open_reader: Callable[..., LogReader], bounds: Bounds | None) -> None:
        """Make a store. `open_reader` is a picklable function that opens a reader of a club, by default of `main`."""
        self.group = group
        self._open_reader = open_reader
        self._bounds = bounds or Bounds()
        self._read_workers: ReadWorkers | None = None
        self._has_ended_writing = False

    @abstractmethod
    def open_log(self, club: str = MAIN) -> ClubLog:
        """Open the log of a club. The call blocks. Raises StoreError."""

    @abstractmethod
    def run_number_of(self, club: str = MAIN) -> int:
        """Return the number of the present run of a club with an open log, which is greater than in any earlier run.

        Turn ids contain the number, so that turns of different runs never have the same id. The call may block. Raises
        StoreError.
        """

    @abstractmethod
    def prune_challenges(self, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
        """Delete the plies and frames of challenges that ended before `ended_before_ms` (ms since 1970).

        `is_stopped` is called before each challenge, and stops the work by returning true. The call blocks, and any
        thread may make it.
        """

    @abstractmethod
    def count_bytes(self, clubs: Sequence[str]) -> dict[str, int]:
        """Return the size in bytes of each club's rows. The call blocks; any thread may make it. Raises StoreError."""

    @abstractmethod
    def clubs_in_play(self) -> list[str]:
        """Return the clubs with open tournaments (not over). The call blocks. Raises StoreError."""

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

    # --- small values beside the log; these methods block, so call them on the event loop only before `attach` ---

    @abstractmethod
    def get(self, key: str, club: str = MAIN) -> str | None:
        """Return the small value of a key; None if the key has no value. Raises StoreError."""

    @abstractmethod
    def put(self, key: str, value: str, club: str = MAIN) -> None:
        """Write a small value to the table `meta`, in place of an earlier value of the key. Raises StoreError."""

    @abstractmethod
    def get_or_put(self, key: str, value: str) -> str:
        """Return the value of a key of the club `main`. If the key has no value yet, first store `value` under the key.

        Raises StoreError.
        """

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
