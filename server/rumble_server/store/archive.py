"""Reading the log without holding up the loop: a thread of its own with a reader of its own."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rumble_server.store.reader import LogReader
from rumble_server.tournament.facts import LogFact

Read = TypeVar("Read")


class Archive:
    """What is on disk, for the web. Every method raises StoreError."""

    def __init__(self, path: str) -> None:
        self._reader = LogReader(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")

    def close(self) -> None:
        """Close the connection, once what is being read was read."""
        self._thread.shutdown()
        self._reader.close()

    async def tournament_facts(self, tournament: str) -> Sequence[LogFact]:
        """The facts that rebuild a tournament, in order; none if there is no such tournament."""
        return await self._read(lambda: self._reader.tournament_facts(tournament))

    async def match_facts(self, match: str) -> Sequence[LogFact]:
        """Every fact of a match, all attempts, in order; none if it never began."""
        return await self._read(lambda: self._reader.match_facts(match))

    async def outlines(self, limit: int) -> Sequence[Sequence[LogFact]]:
        """Of each of the newest tournaments that are over and listed: its creation, its start if any, its end."""
        return await self._read(lambda: self._reader.outlines(limit))

    async def _read(self, read: Callable[[], Read]) -> Read:
        return await asyncio.get_running_loop().run_in_executor(self._thread, read)
