"""The work of a server on its whole database, on threads, while clubs play."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import closing

from rumble_server.clubs.registry import ClubRegistry
from rumble_server.host.repeating import repeat
from rumble_server.store.errors import StoreError
from rumble_server.store.log.rows import Counted

log = logging.getLogger(__name__)

PRUNE_S = 3_600
"""Pause in s between two deletions of the moves and frames of old challenges."""


class Upkeep:
    """The count of the tournaments of earlier runs, and the repeated deletion of old challenges' moves and frames."""

    def __init__(self, clubs: ClubRegistry) -> None:
        self._clubs = clubs
        self._shared = clubs.shared
        self._is_stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin the work."""
        pruning = repeat(self._prune, PRUNE_S, "the frames of old challenges could not be deleted", self._is_stopping)
        self._tasks = {asyncio.create_task(each) for each in (self._count_ended(), pruning)}

    def stop(self) -> None:
        """Begin nothing new."""
        self._is_stopping.set()

    async def close(self) -> None:
        """Wait until the work on threads has ended."""
        self.stop()
        await asyncio.gather(*self._tasks)

    async def _count_ended(self) -> None:
        """Count the tournaments of earlier runs for /metrics. The count reads the whole database."""
        try:
            self._shared.ended.add(await asyncio.to_thread(self._read_ended))
        except StoreError as error:
            log.error("the tournaments that are over could not be counted: %s", error)
        except Exception:  # `close` waits for this task, and must not fail
            log.exception("the tournaments that are over could not be counted")

    def _read_ended(self) -> Mapping[str, Counted]:
        with closing(self._shared.store.reader()) as reader:
            return reader.ended_by_club()

    async def _prune(self) -> None:
        """Delete the moves and frames of old challenges, and update the sizes of the clubs.

        Otherwise anybody could fill the disk.
        """
        store = self._shared.store
        before_ms = self._shared.clock.now_ms() - self._shared.config.bounds.challenge_frames_ms
        try:
            await asyncio.to_thread(store.prune_challenges, before_ms, self._is_stopping.is_set)
            sizes = await asyncio.to_thread(store.count_bytes, [club.name for club in self._clubs])
        except StoreError as error:
            log.error("the frames of old challenges could not be deleted: %s", error)
            return
        for club in self._clubs:
            if club.name in sizes:
                club.log.bytes = club.arena.allowance.used_bytes = sizes[club.name]
