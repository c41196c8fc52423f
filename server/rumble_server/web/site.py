"""A process and its clubs, as routes, pages and feeds see them.

`app.py` makes the `Process`, and `clubs/club.py` a `Site` for each club. `ClubSites` is a port (an interface). Routes
find process and club in the state of a request.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol, Self, TypeVar, cast
from weakref import WeakValueDictionary

from fastapi import Request
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import ErrorCode

from rumble_server.arena.commands.club_commands import ClubCommands
from rumble_server.arena.house import HouseBots
from rumble_server.arena.state.clubs import ClubDirectory, ClubEntry
from rumble_server.host.histogram import Histogram
from rumble_server.host.host_names import is_loopback
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.guesses import Guesses
from rumble_server.limits.permits import Permits
from rumble_server.limits.quotas import Quotas
from rumble_server.limits.refusals import Refusals
from rumble_server.store.errors import StoreError
from rumble_server.store.log.async_reader import AsyncReader
from rumble_server.web.errors import WebError
from rumble_server.web.feed.feed import Feed
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.ports import ClubPlay, DurableLog
from rumble_server.web.public_address import Addresses

DISK_S = 5.0
"""Maximum time in s that a request waits for the disk; afterwards the answer is 503, or 507 for a command."""
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class ProcessFigures:
    """The figures of the process for /metrics."""

    ended: Callable[[], Counter[str]]
    """Function that returns the numbers of ended tournaments, by status."""
    fact_counts: Counter[type]
    """Number of facts of each type that this process has written in all clubs."""
    connections: Callable[[], Mapping[str, int]]
    """Function that returns the numbers of open connections, by kind."""
    refusals: Refusals
    turn_latency: Histogram
    beat_delay_s: Callable[[], float]
    """Function that returns the lateness of the event loop in s at the newest measurement."""
    beat_delays: Histogram
    commits: Histogram
    waiting_facts: Callable[[], int]
    """Function that returns the number of facts of all clubs that are not on disk yet."""
    metrics_token: str | None
    """Token that opens /metrics to other machines. A host token of main opens /metrics, too."""


@dataclass(slots=True)
class RemoteAccess:
    """A record of whether another machine has reached this process by a request."""

    was_reached: bool = False

    def record_request(self, address: str, server: str) -> None:
        """Record a request from `address` to `server`, an address of this machine.

        If both addresses are equal, the request came from this machine itself.
        """
        if not self.was_reached and address:
            self.was_reached = address != server and not is_loopback(address)


@dataclass(frozen=True, slots=True)
class Process:
    """The process, as the web sees it: the parts that all clubs share."""

    now_ms: Callable[[], int]
    addresses: Addresses
    """Finder of the server's public addresses for pages and links."""
    host_names: frozenset[str]
    """Host names, besides loopback names, allowed in requests to a loopback address. A proxy on this machine may pass
    on such requests."""
    bounds: Bounds
    figures: ProcessFigures
    permits: Permits
    """Permits for connections and streams, and counts of requests, of each address."""
    unready_reason: Callable[[], str | None]
    """Function that returns the reason why matches cannot start at present, or None if matches can start."""
    guesses: Guesses
    """Counts of wrong secrets. The club main uses the same counts."""
    led_clubs: Callable[[], list[str]]
    """Function that returns the names of the clubs led by this process now."""
    remote_access: RemoteAccess = field(default_factory=RemoteAccess)


@dataclass(frozen=True, slots=True)
class Site:
    """A club, as the web sees it."""

    play: ClubPlay
    commands: ClubCommands
    log: DurableLog
    reader: AsyncReader
    feed: Feed
    house_bots: HouseBots
    club: str = MAIN
    is_suspended: Callable[[], bool] = lambda: False
    """Function that returns true while the lease of this node is over."""
    saving: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Locks for numbering and saving versions: a lock for each bot name, so that no bot waits for another bot."""

    @property
    def ranker(self) -> Ranker:
        """The ranker that gives pages, API and feed the same standings and ratings."""
        return self.feed.ranker

    def require_lease(self) -> None:
        """Raise WebError while the lease of this node is over."""
        if self.is_suspended():
            raise WebError.unavailable("this server has lost the database for a moment; try again in some seconds")

    def require_disk(self) -> None:
        """Raise WebError while the database cannot be written, or the lease of this node is over."""
        self.require_lease()
        if self.log.trouble is not None:
            raise WebError.unavailable(f"the database cannot be written at the moment: {self.log.trouble}")

    async def run_command(self, command: Callable[[], Done]) -> Done:
        """Call `command`, and return its result once the recorded facts are on disk. Raises WebError.

        Each command of the arena is a transaction. A view made by `command` shows the state before the wait. The
        error of a command that was carried out has the status 507: clients repeat a request after 503, and proxies
        replace 504 by 503.
        """
        self.require_disk()
        done = command()
        try:
            await self.wait_for_disk()
        except (WebError, StoreError) as error:  # StoreError: another node leads the club; the commit may be on disk
            message = f"{error}; look whether it was carried out"
            raise WebError(HTTPStatus.INSUFFICIENT_STORAGE, ErrorCode.UNAVAILABLE, message) from None
        return done

    async def wait_for_disk(self) -> None:
        """Wait until the newest fact is on disk. Raises WebError; StoreError if another node leads the club.

        Only facts on disk may be shown.
        """
        number = self.log.last
        if number <= self.log.durable:
            return
        self.require_disk()
        try:
            async with asyncio.timeout(DISK_S):
                await self.log.wait(number)
        except TimeoutError:
            if number > self.log.durable:  # else the request only waited for the event loop's time
                raise WebError.unavailable(f"the database has not been written for {DISK_S:g} s") from None


@dataclass(frozen=True, slots=True)
class ClubUse:
    """Activity in a club, and use of the club's quotas. The leader of the club counts both.

    If nobody leads the club, the use of the quotas is read from the database.
    """

    running: int = 0
    """Number of listed tournaments that run."""
    connected: int = 0
    """Number of bots that are logged in."""
    used: Quotas | None = None
    """Use of each quota; None if the use is unknown."""

    @classmethod
    def of(cls, site: Site) -> Self:
        """Return the use of a club led by this process."""
        play = site.play
        used = Quotas(
            bots=play.names.of_bots,
            tournaments=play.tournaments.count_open(),
            bytes=play.used_bytes,
            matches=play.running_count,
            house_bots=site.house_bots.added,
        )
        running = sum(each.status == "running" and each.config.listed for each in play.tournaments.values())
        return cls(running, sum(player.is_connected for player in play.players), used)


class ClubSites(Protocol):
    """The clubs of a server as its web sees them: the clubs in memory, and the clubs that a request loads."""

    def must_redirect(self, name: str, /) -> bool:
        """Return true if another node must answer requests for a club."""

    async def site(self, name: str, /) -> Site | None:
        """Return the site of a club that this process may answer for; None for an unknown name. May load the club.

        Raises WebError if the club cannot be read, or has no valid lease now.
        """

    def keep_loaded(self, name: str, /) -> AbstractContextManager[None]:
        """Return a context manager that keeps a club loaded while a request is answered."""

    def sites(self) -> Iterable[Site]:
        """Return the sites of loaded clubs."""

    async def read_uses(self, *, stored: bool) -> Mapping[str, ClubUse]:
        """Return the activity and the use of quotas of each club that a node leads, by the name of the club.

        With `stored`, clubs that nobody leads are included: their use is read from the database. If the database does
        not answer within a moment, clubs that this process does not lead may be left out.
        """

    @property
    def has_residents(self) -> bool:
        """True if main has residents, house bots that wait to be challenged."""

    @property
    def directory(self) -> ClubDirectory:
        """Directory of all existing clubs, loaded or not."""


def site_of(request: Request) -> Site:
    """Return the club that a request is for, as `ClubPaths` found it by the path."""
    return cast(Site, request.scope["state"]["site"])


def clubs_of(request: Request) -> ClubSites:
    """Return the clubs of the process that a request came to."""
    return cast(ClubSites, request.scope["state"]["clubs"])


def process_of(request: Request) -> Process:
    """Return the process that a request came to."""
    return cast(Process, request.scope["state"]["process"])


def entry_of(clubs: ClubSites, name: str) -> ClubEntry:
    """Return a club's entry in the directory. Raises WebError if the club does not exist."""
    entry = clubs.directory.get(name)
    if entry is None:
        raise WebError.not_found(f"there is no club {name!r}")
    return entry
