"""What the web uses of a process and of its clubs, and its ports. `app` brings the adapters, tests bring their own."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar, TypeVarTuple, cast

from fastapi import Request
from rumble_protocol.clubs import MAIN, web_path

from rumble_server.arena.arena import Arena
from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.house import HouseBots
from rumble_server.bounds import Bounds
from rumble_server.histogram import Histogram
from rumble_server.limits.connections import Connections
from rumble_server.limits.guesses import Guesses
from rumble_server.limits.refusals import Refusals
from rumble_server.match.match_id import Neighbours
from rumble_server.quotas import Quotas
from rumble_server.tournament.ended import EndedTournament, Outline
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.web.errors import WebError
from rumble_server.web.feed.feed import Feed
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.place import Addresses
from rumble_server.web.tries import Tries

DISK_S = 5.0
"""Longest time in s that a request waits for the disk; then it is answered with 503."""

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


class DurableLog(Protocol):
    """The event log, as the web uses it."""

    @property
    def durable(self) -> int:
        """The number of the newest fact on disk; all older facts are on disk, too."""

    @property
    def last(self) -> int:
        """The number of the newest fact appended."""

    @property
    def trouble(self) -> str | None:
        """Why the log cannot be written at the moment; None while it can."""

    async def wait(self, number: int) -> None:
        """Return once the fact of that number is on disk."""


class Archive(Protocol):
    """What is on disk, also of tournaments that are not in memory. Raises StoreError.

    `make` is a function of a module that runs in another process: what it is given and what it gives are pickled.
    """

    async def of_tournament(
        self, tournament_id: str, make: Callable[[Rebuilt, *Given], Made], *given: *Given
    ) -> Made | None:
        """Have something made of a tournament as the log has it; None if there is none of that id."""

    async def of_match(self, match_id: str, make: Callable[[Sequence[LogFact], *Given], Made], *given: *Given) -> Made:
        """Have something made of every fact of a match, all attempts, in order; there are none if it never began."""

    async def draw(self, make: Callable[[*Given], Made], *given: *Given) -> Made:
        """Have something made that needs nothing of the log."""

    async def ended(self, tournament_id: str) -> EndedTournament | None:
        """Find the record of a tournament; None if it is not over, is not there, or cannot be read."""

    async def listed(self, limit: int) -> Sequence[Outline]:
        """Read the newest listed tournaments that are over, newest first; outlines of those without a record."""

    async def neighbours(self, match_id: str) -> Neighbours:
        """Find the matches that have begun beside one, which is of a tournament that is there."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What /metrics tells of the process."""

    ended: Callable[[], Counter[str]] = Counter
    """How many tournaments are over, by status."""
    counts: Counter[type] = field(default_factory=Counter)
    """How many facts this process has written in all clubs, by type."""
    connections: Callable[[], Mapping[str, int]] = dict
    """How many there are, by kind."""
    refusals: Refusals = field(default_factory=Refusals)
    turn_latency: Histogram = field(default_factory=Histogram)
    lag_s: Callable[[], float] = float
    """How late the event loop came round when it was last measured."""
    lags: Histogram = field(default_factory=Histogram)
    commits: Histogram = field(default_factory=Histogram)
    metrics_token: str | None = None
    """Opens /metrics to other machines, as the host token does."""


@dataclass(frozen=True, slots=True)
class Process:
    """What the clubs of a process share."""

    now_ms: Callable[[], int]
    addresses: Addresses = field(default_factory=Addresses)
    """What this server is called."""
    hosts: frozenset[str] = frozenset()
    """Host names, beside those of loopback, that a request to a loopback address may give (that of a proxy)."""
    bounds: Bounds = field(default_factory=Bounds)
    operation: Operation = field(default_factory=Operation)
    places: Connections = field(default_factory=lambda: Connections(Bounds()))
    """What each address has open."""
    unready: Callable[[], str | None] = lambda: None
    """Why matches cannot start at the moment; None while they can."""
    tries: Tries = field(default_factory=lambda: Tries(Guesses(Bounds(), Refusals()), int))
    """How the secrets of requests about the process are compared: together with those of main."""
    leads: Callable[[], list[str]] = list
    """The clubs that this process leads at this moment."""


@dataclass(frozen=True, slots=True)
class Site:
    """One club, as the web sees it."""

    arena: Arena
    log: DurableLog
    archive: Archive
    feed: Feed
    house_bots: HouseBots
    process: Process
    club: str = MAIN

    @property
    def root(self) -> str:
        """What the paths of its pages begin with, without a slash at the end."""
        return web_path(self.club)

    @property
    def tries(self) -> Tries:
        """How the secrets of requests are compared."""
        return Tries(self.arena.door.guesses, self.arena.clock.now_ms)

    @property
    def ranker(self) -> Ranker:
        """Standings and ratings: the same for pages, API and feed."""
        return self.feed.ranker

    def need_disk(self) -> None:
        """Raise WebError while the database cannot be written."""
        if self.log.trouble is not None:
            raise WebError.unavailable(f"the database cannot be written at the moment: {self.log.trouble}")

    async def on_disk(self, number: int | None = None) -> None:
        """Wait until the fact of that number (None: every fact) is on disk, and so may be told. Raises WebError."""
        number = self.log.last if number is None else number
        if number <= self.log.durable:
            return
        self.need_disk()
        try:
            async with asyncio.timeout(DISK_S):
                await self.log.wait(number)
        except TimeoutError:
            raise WebError.unavailable(f"the database has not been written for {DISK_S:g} s") from None


@dataclass(frozen=True, slots=True)
class ClubUse:
    """What goes on in a club, and what it uses of its quotas: as its leader tells it, or the database."""

    running: int = 0
    """Listed tournaments that run."""
    connected: int = 0
    """Bots that are logged in."""
    used: Quotas | None = None
    """How much it has of each thing that has a quota; None where that is not known."""

    @classmethod
    def of(cls, site: Site) -> Self:
        """Look at a club that this process leads."""
        arena = site.arena
        used = Quotas(
            bots=arena.names.of_bots,
            tournaments=arena.lifecycle.count_open(),
            bytes=arena.allowance.used_bytes,
            matches=len(arena.matches.live),
            house_bots=site.house_bots.added,
        )
        running = sum(each.status == "running" and each.config.listed for each in arena.tournaments.values())
        return cls(running, sum(player.is_connected for player in arena.players), used)


class Clubs(Protocol):
    """The clubs of a process."""

    def is_elsewhere(self, name: str, /) -> bool:
        """Whether another node leads a club, or is to lead it."""

    async def site(self, name: str, /) -> Site | None:
        """Find a club that is not elsewhere; None if there is none. Raises WebError if it cannot be had now.

        It is loaded if it was not.
        """

    def visit(self, name: str, /) -> AbstractContextManager[None]:
        """Keep a club while a request is answered."""

    def sites(self) -> Iterable[Site]:
        """Return those that are loaded, main first."""

    async def uses(self, *, stored: bool) -> Mapping[str, ClubUse]:
        """Return what goes on in the clubs, by name, as far as that can be found out within a moment.

        With `stored` it is also of clubs in which nothing runs, as the database has them.
        """

    def count_streams(self) -> int:
        """Return how many streams of events are open to visitors."""

    @property
    def has_residents(self) -> bool:
        """Whether house bots of main wait to be challenged."""

    @property
    def directory(self) -> ClubDirectory:
        """All that there are."""


def site_of(request: Request) -> Site:
    """Return the club that a request is for."""
    return cast(Site, request.scope["state"]["site"])


def clubs_of(request: Request) -> Clubs:
    """Return the clubs of the process that a request came to."""
    return cast(Clubs, request.scope["state"]["clubs"])


def process_of(request: Request) -> Process:
    """Return the process that a request came to."""
    return cast(Process, request.scope["state"]["process"])
