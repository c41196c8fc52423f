"""The thread that reads clubs from the database, because a long reading must not hold up the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rumble_server.store.log.club_store import ClubStore
from rumble_server.store.log.reader import LogReader

T = TypeVar("T")


class ReadingThread:
    """A thread that makes one reading at a time, with a reader that keeps a connection open."""

    def __init__(self, store: ClubStore) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="clubs")
        self._reader: LogReader | None = None

    async def run(self, make: Callable[[], T]) -> T:
        """Call `make` on the thread, and return the result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)

    def reader(self) -> LogReader:
        """Return the thread's own reader. Call the method only on the thread. Raises StoreError."""
        if self._reader is None:
            self._reader = self._store.reader()
        return self._reader

    def close(self) -> None:
        """Stop the thread, and close the connection of its reader."""
        self._thread.shutdown(cancel_futures=True)
        if self._reader is not None:
            self._reader.close()
