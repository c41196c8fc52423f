"""The clubs that a node does not lead, as the database tells of them, since they were first asked for."""

import asyncio
import logging
from collections.abc import Callable, Container
from concurrent.futures import Executor
from functools import partial

from rumble_server.club import Shared
from rumble_server.cluster.feeds import Feeds
from rumble_server.followed_club import FollowedClub, News
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.store.reader import LogReader
from rumble_server.web.needs import Needs

log = logging.getLogger(__name__)

READ_S, BLIND_S = 1.0, 2.0
"""How long the database may take, in s, to tell whether something is over; and how long it is not asked after that."""


class FollowedClubs:
    """The clubs by name; `led` has those that this node leads, which it knows better than the database does."""

    def __init__(
        self,
        shared: Shared,
        feeds: Feeds,
        led: Container[str],
        thread: Executor,
        outside: Callable[[], LogReader],
        heard: Callable[[str, list[Numbered]], None],
    ) -> None:
        """`outside` gives what reads clubs that are not led here, on the one thread of `thread`.

        `heard` is given what is news about a club.
        """
        self._heard = heard
        self._shared, self._feeds, self._led = shared, feeds, led
        self._thread, self._outside = thread, outside
        self._clubs: dict[str, FollowedClub] = {}
        self._blind_until_s = 0.0
        """Until when the database is not asked for visitors, by the loop's time."""

    async def of(self, name: str) -> FollowedClub:
        """Return what the database tells of a club. Raises StoreError."""
        followed = self._clubs.get(name)
        if followed is None:
            loop, shared = asyncio.get_running_loop(), self._shared
            archive = await loop.run_in_executor(self._thread, shared.store.archive, name)

            async def read(number: int) -> News:
                news = await loop.run_in_executor(self._thread, self._read_news, name, number)
                return ([], 0) if name in self._led else news

            made = FollowedClub(name, shared, archive, partial(self._feeds.open, name), read)
            followed = self._clubs.setdefault(name, made)
        return followed

    def _read_news(self, name: str, number: int) -> News:
        reader = self._outside().of(name)
        newest = reader.newest()  # first: what is read next is at least up to it
        return reader.server_facts_after(number), newest

    async def good_for(self, name: str, needs: Needs) -> FollowedClub | None:
        """Return what the database tells of a club that there is, if that is enough for an answer.

        While this node cannot read the database it is what is known, and all else is the leader's to answer.
        """
        about = needs.tournament
        if about is None and needs.is_live:
            return None
        followed, loop = self._clubs.get(name), asyncio.get_running_loop()
        if loop.time() >= self._blind_until_s:
            try:
                async with asyncio.timeout(READ_S):
                    followed = await self.of(name)
                    if not followed.is_caught_up:
                        self._heard(name, await followed.catch_up())
                    is_over = about is not None and await followed.is_over(about)
                    return followed if is_over or not needs.is_live else None
            except (StoreError, TimeoutError) as error:
                log.warning("club %s cannot be read: %s", name, str(error) or f"no answer within {READ_S:g} s")
                self._blind_until_s = loop.time() + BLIND_S
        if followed is None or not needs.is_live:
            return followed
        return followed if about is not None and followed.knows_over(about) else None

    def count_readers(self) -> int:
        """Return how many visitors read feeds of what is over."""
        return sum(each.feed.readers_of_ended for each in self._clubs.values())

    def forget(self, name: str) -> None:
        """Follow a club no more."""
        followed = self._clubs.pop(name, None)
        if followed is not None:
            followed.feed.close()

    def close(self) -> None:
        """End all streams."""
        for each in self._clubs.values():
            each.feed.close()
