"""The loading of clubs in a process that leads every club: a lone server, or a server that leads after a standby.

The process loads `main`, each club with an unfinished tournament or with residents (house bots that wait for
challenges), and any other club while the club is used.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress

from rumble_protocol.clubs import MAIN

from rumble_server.clubs.club import Club, StoredClub, read_club
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.store.errors import StoreError
from rumble_server.store.log.read_ahead import RebuiltAhead
from rumble_server.web.site import ClubUse

log = logging.getLogger(__name__)


class LoneLoader:
    """The loader of a process that leads every club (port `ClubLoader`)."""

    def __init__(self, clubs: ClubRegistry, read: Callable[[str], Awaitable[StoredClub]] | None = None) -> None:
        """Make a loader that adds the loaded clubs to `clubs`.

        In a process with a lease, `read` waits until the process leads a club, and then reads it. Without `read`, clubs
        are read at once.
        """
        self._clubs = clubs
        self._read = read or self._read_at_once
        self._loading: dict[str, asyncio.Task[Club | None]] = {}

    async def start(self) -> None:
        store = self._clubs.shared.store
        stored = await self._read(MAIN)
        store.attach(asyncio.get_running_loop())
        self._clubs.add(MAIN, stored)
        for name in (*store.clubs_in_play(), *self._clubs.with_residents()):
            try:
                await self._clubs.load(name)
            except Exception:  # the other clubs go on; the next request for this club loads it again
                log.exception("club %s cannot be loaded", name)

    def must_redirect(self, _name: str) -> bool:
        return False

    async def load(self, name: str) -> Club | None:
        """Load a club. A thread reads one club at a time. Callers who wait for the same club share the reading.

        Return None if the club was removed during the reading. Raises StoreError.
        """
        return await asyncio.shield(self._begin(name))  # a caller may give up; the loading goes on for the rest

    def request_load(self, name: str) -> None:
        def on_loaded(loading: asyncio.Task[Club | None]) -> None:
            if not loading.cancelled() and (error := loading.exception()) is not None:
                log.error("club %s cannot be loaded: %s", name, error)

        self._begin(name).add_done_callback(on_loaded)

    def _begin(self, name: str) -> asyncio.Task[Club | None]:
        loading = self._loading.get(name)
        if loading is None:
            loading = self._loading[name] = asyncio.create_task(self._load(name))
            loading.add_done_callback(lambda _: self._loading.pop(name))
        return loading

    async def _load(self, name: str) -> Club | None:
        stored = await self._read(name)
        if not self._clubs.knows(name):  # the club was removed during the reading
            self._clubs.shared.store.close_log(name)
            return None
        try:
            return self._clubs.add(name, stored)
        except Exception:
            with suppress(StoreError):  # the next loading must find the facts that the failed club recorded
                await stored.log.wait(stored.log.last)
            raise

    async def _read_at_once(self, name: str) -> StoredClub:
        store = self._clubs.shared.store

        def read() -> StoredClub:
            store.open_log(name)
            with closing(store.reader(name)) as reader:
                return read_club(store, name, reader, RebuiltAhead())

        return await self._clubs.reading.run(read)

    async def read_remote_uses(self) -> dict[str, ClubUse]:
        return {}

    def stop(self) -> None:
        """Do nothing, because the loader has no timers."""
