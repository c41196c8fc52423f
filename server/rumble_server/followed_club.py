"""A club as a node knows it that does not lead it, from the database: its names, hosts and bans, and what is over."""

from collections.abc import Awaitable, Callable
from random import SystemRandom
from typing import NoReturn

from rumble_protocol.clubs import MAIN

from rumble_server.arena.arena import Arena
from rumble_server.arena.clubs import ClubEntry
from rumble_server.arena.house import HouseBots, HouseKeys
from rumble_server.club import Shared
from rumble_server.gateway.sessions import Sessions
from rumble_server.store.archive import Archive
from rumble_server.store.codec import Numbered
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact
from rumble_server.web.feed.feed import Feed
from rumble_server.web.site import Relay, Site

CAUGHT_UP_MS = 1_000
"""For how long, in ms, what was read of a club is good, and a tournament that is not over is taken not to be."""
MOST_LIVE = 1_000
"""Ids of tournaments that were looked for and are not over, or not there; beyond it all are looked for again."""

News = tuple[list[Numbered], int]
"""Facts about a club as a whole, and the number of its newest fact of any kind."""


class ReadLog:
    """The log of a club whose facts up to `last` are on disk, and which somebody else writes."""

    trouble: str | None = None

    def __init__(self) -> None:
        self.last = 0

    @property
    def durable(self) -> int:
        return self.last

    async def wait(self, _number: int) -> None:
        """Return: all that is known is on disk."""

    def hurry(self) -> None:
        """Do nothing: nothing waits for the disk."""

    def append(self, fact: LogFact) -> NoReturn:
        raise RuntimeError(f"only the leader of a club writes its log: {fact}")

    def file(self, ended: EndedTournament) -> NoReturn:
        raise RuntimeError(f"only the leader of a club writes its log: {ended.id}")


class FollowedClub:
    """What the web shows of a club without its leader. `catch_up` first, and then from time to time."""

    def __init__(
        self, name: str, shared: Shared, archive: Archive, relay: Relay, read: Callable[[int], Awaitable[News]]
    ) -> None:
        """`read` gives what is news after a fact about the club as a whole; it raises StoreError."""
        self._read = read
        self._known = 0
        """The number of the newest fact about the club as a whole that was taken up."""
        self._caught_up_at_ms = 0
        self._live: dict[str, int] = {}
        """Until when these tournaments are taken not to be over."""
        self._archive, self._clock = archive, shared.clock
        self._log = log = ReadLog()
        is_main = name == MAIN
        self._arena = Arena(
            log=log,
            clock=shared.clock,
            sessions=Sessions(name),
            run=0,
            random=SystemRandom(),
            door=shared.door if is_main else shared.door.of_club(name),
            clubs=shared.directory,
            bounds=shared.config.bounds,
        )
        self.feed = Feed(self._arena)
        house = HouseBots(self._arena, HouseKeys(""), club=name)
        self.site = Site(
            self._arena,
            log,
            archive,
            self.feed,
            house,
            shared.process,
            name,
            lambda: (shared.directory.get(name) or ClubEntry(name)).title,
            relay,
        )

    async def catch_up(self) -> list[Numbered]:
        """Take up what was recorded about the club since the last time, and return it. Raises StoreError."""
        facts, newest = await self._read(self._known)
        self._caught_up_at_ms = self._clock.now_ms()
        self._log.last = max(self._log.last, newest)
        news = [(number, fact) for number, fact in facts if number > self._known]  # somebody else asked, too
        for self._known, fact in news:
            self._arena.recorder.take(fact)  # type: ignore[arg-type]  # it is about the club as a whole
        return news

    @property
    def is_caught_up(self) -> bool:
        """Whether it was looked lately."""
        return self._clock.now_ms() - self._caught_up_at_ms < CAUGHT_UP_MS

    def knows_over(self, tournament_id: str) -> bool:
        """Whether a tournament was found to be over."""
        return tournament_id in self._arena.lifecycle.taken_ids

    async def is_over(self, tournament_id: str) -> bool:
        """Whether a tournament is there, and over for good. Raises StoreError."""
        over, now_ms = self._arena.lifecycle.taken_ids, self._clock.now_ms()
        if tournament_id in over:
            return True
        if self._live.get(tournament_id, 0) > now_ms:
            return False
        if await self._archive.is_filed(tournament_id):
            over.add(tournament_id)
            return True
        if len(self._live) >= MOST_LIVE:
            self._live.clear()
        self._live[tournament_id] = now_ms + CAUGHT_UP_MS
        return False
