"""The clubs of this process: finding, unloading, use of resources, and settings of clubs (stored by `main`).

`app.Server` makes the registry. The web asks for clubs, and so do connections of bots. A `ClubLoader` loads the clubs:
`LoneLoader` if this process leads every club, `nodes.node_clubs.NodeClubs` if several nodes share the clubs.

Clubs are created, changed and removed by facts of `main`. The registry applies such facts to the loaded clubs.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import TimerHandle
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.clubs.club import Club, SharedByClubs, StoredClub
from rumble_server.clubs.idle import EmptyClubs
from rumble_server.clubs.reading_thread import ReadingThread
from rumble_server.clubs.stored_uses import StoredUses
from rumble_server.store.errors import StoreError
from rumble_server.store.log.codec import Numbered
from rumble_server.tournament.club_facts import Banned, ClubChanged, ClubRemoved
from rumble_server.web.errors import WebError
from rumble_server.web.site import ClubUse, Site

log = logging.getLogger(__name__)

FOLLOWED = frozenset((Banned, ClubChanged, ClubRemoved))
"""Types of facts of `main` with effects in other clubs."""
UNLOAD_CHECKS = 10
"""Number of searches for empty clubs within `idle_club_ms`, the time after which an empty club counts as idle."""
READ_USES_S = 1.0
"""Maximum time in s to read the use of resources by clubs that this process does not lead."""


class ClubLoader(Protocol):
    """The way in which clubs come into the memory of this process."""

    async def start(self) -> None:
        """Load `main`, clubs with residents, and clubs with unfinished tournaments. Let the store begin to write.

        An error at a club other than `main` is only logged. With several nodes, ask for leaders of these clubs instead,
        and wait until `main` has a leader. Raises StoreError.
        """

    def must_redirect(self, name: str) -> bool:
        """Return true if another node must answer requests for a club that is not loaded here.

        If a known club has no leader, ask for a leader. Requests for an unknown club belong to the leader of `main`: no
        other node can say that a club does not exist.
        """

    async def load(self, name: str) -> Club | None:
        """Load an existing club. Return None if the club was removed meanwhile, or if requests load no clubs here.

        Raises StoreError.
        """

    def request_load(self, name: str) -> None:
        """Load a club, so that house bots can wait there for challenges.

        With several nodes, ask for a leader of the club instead. Any node may become the leader.
        """

    async def read_remote_uses(self) -> dict[str, ClubUse]:
        """Return the use of resources by each club that another node leads. Raises StoreError and ValueError."""

    def stop(self) -> None:
        """Stop the loader's own timers."""


class ClubRegistry:
    """The clubs of this process by name. `await start()` before any other use."""

    def __init__(self, shared: SharedByClubs, on_main: Callable[[bool], None]) -> None:
        """Make the registry.

        `on_main` is called when `main` is loaded. The argument is true if database rows with facts about `main` are
        damaged.
        """
        self.shared = shared
        self.reading = ReadingThread(shared.store)
        self.on_unloaded: list[Callable[[str], None]] = []
        """Functions called with the name of a club that was unloaded because the club was idle or removed."""
        self.stopped_clubs: dict[str, Club] = {}
        """Clubs stopped for a hand-over, with bots still connected here."""
        self.refuses_bots = False
        """True if this process has had no valid lease for a long time, and therefore lets no bot in."""
        self.must_end = asyncio.Event()
        """Event that is set when this node cannot lead clubs any more. The process then ends."""
        self._on_main = on_main
        self._loader: ClubLoader
        self._clubs: dict[str, Club] = {}
        """The loaded clubs by name. A lone server loads `main` first."""
        self._empty_clubs = EmptyClubs(shared.config.bounds.idle_club_ms)
        self._unload_timer: TimerHandle | None = None
        self._stored_uses = StoredUses()
        self._is_house_open = False
        self._is_draining = False

    async def start(self, loader: ClubLoader) -> None:
        """Start `loader`, which loads clubs from now on, and begin to look for idle clubs. Raises StoreError."""
        self._loader = loader
        await loader.start()
        self._schedule_unloading()

    @property
    def has_residents(self) -> bool:
        """True if `main` has residents: house bots that wait to be challenged."""
        return bool(self.shared.config.house) and self.shared.house_runner is not None

    @property
    def main(self) -> Club:
        return self._clubs[MAIN]

    @property
    def directory(self) -> ClubDirectory:
        """Directory of the existing clubs, loaded or not."""
        return self.shared.directory

    def knows(self, name: str) -> bool:
        """Return true if a club exists, according to the facts of `main` that this process has read."""
        return self.directory.get(name) is not None

    def was_removed(self, name: str) -> bool:
        """Return true if the club of this name was removed."""
        return self.directory.was_removed(name)

    def __iter__(self) -> Iterator[Club]:
        return iter(self._clubs.values())

    def for_each(self, call: Callable[[Club], None], failure: str) -> None:
        """Call `call` with each loaded club.

        An error is logged with `failure` (see `Club.run_steps`), so that the other clubs are not held up.
        """
        for club in list(self):
            club.run_steps(failure, partial(call, club))

    # --- loading ---

    def with_residents(self) -> list[str]:
        """Return all clubs except `main` that have residents (house bots that wait to be challenged)."""
        if not self.has_residents:
            return []
        return [entry.name for entry in self.directory if entry.has_residents and entry.name != MAIN]

    def must_redirect(self, name: str) -> bool:
        """Return true if another node must answer requests for a club (`ClubLoader.must_redirect`)."""
        return name not in self._clubs and self._loader.must_redirect(name)

    def get_loaded(self, name: str) -> Club | None:
        """Return a loaded club; None for any other name."""
        return self._clubs.get(name)

    async def load(self, name: str) -> Club | None:
        """Return a club, and load it first if needed; None for an unknown name. Raises StoreError.

        With several nodes, requests load no clubs, so every club that is not loaded here counts as unknown.
        """
        self._empty_clubs.touch(name)
        club = self._clubs.get(name)
        return await self._loader.load(name) if club is None and self.knows(name) else club

    def add(self, name: str, stored: StoredClub) -> Club:
        """Put a club that was read from the database into memory, and return the club.

        If the club fails, raise the error, and leave nothing of the club in memory.
        """

        def added_in_other_clubs() -> int:
            return sum(each.house_bots.added for each in self if each is not club)

        self._empty_clubs.touch(name)
        try:
            club = self._clubs[name] = Club(name, self.shared, stored, added_in_other_clubs)
            if self._is_house_open:
                club.open_house()
            if self._is_draining:
                club.arena.drain()
            if name == MAIN:
                club.on_facts.append(self.apply_main_facts)
                self._on_main(bool(stored.problems))
        except Exception:
            self.forget(name)
            raise
        return club

    def forget(self, name: str) -> None:
        """Take a club out of memory at once, and close its log and the connections of its bots and visitors."""
        club = self.pop(name)
        if club is not None:
            club.run_steps("could not be forgotten in order", club.discard, club.house_bots.close, club.disconnect_all)
        self.shared.store.close_log(name)  # the log may be open, even if no club was made

    def pop(self, name: str) -> Club | None:
        """Take a club out of memory, and return the club; None if the club is not loaded."""
        return self._clubs.pop(name, None)

    # --- idle clubs ---

    def keep_loaded(self, name: str) -> AbstractContextManager[None]:
        """Keep a club in memory during a `with` block, while a request is answered."""
        return self._empty_clubs.keep_loaded(name)

    def _schedule_unloading(self) -> None:
        clock = self.shared.clock
        pause_ms = max(1, self.shared.config.bounds.idle_club_ms // UNLOAD_CHECKS)
        self._unload_timer = clock.call_at(clock.now_ms() + pause_ms, self._on_unload_timer)

    def _on_unload_timer(self) -> None:
        self._schedule_unloading()  # first, so that an error ends no later search
        self.unload_idle(self.shared.clock.now_ms())

    def unload_idle(self, now_ms: int) -> None:
        """Unload idle clubs. The next request loads the club again."""
        if self._is_draining:
            return
        for name in self._empty_clubs.find_unloadable([each.name for each in self if each.is_empty], now_ms):
            log.info("club %s is idle, and unloaded", name)
            self._unload(self._clubs[name])

    # --- for the web ---

    async def site(self, name: str) -> Site | None:
        """Return the site of a club, and load the club first if needed; None for an unknown name.

        Raises WebError if the club cannot be read, or while the lease of this node is over.
        """
        try:
            club = await self.load(name)
        except StoreError as error:
            log.error("club %s cannot be loaded: %s", name, error)
            raise WebError.unavailable("the database cannot be read at the moment") from None
        if club is None:
            return None
        club.site.require_lease()
        return club.site

    async def read_uses(self, *, stored: bool) -> dict[str, ClubUse]:
        """Return the use of resources by each club with a leader. If `stored` is true, add the clubs without a leader.

        The call takes up to `READ_USES_S`. Clubs whose use cannot be read in this time are left out.
        """
        uses = self.local_uses()
        until_s = time.monotonic() + READ_USES_S / 2  # well before the timeout, which would lose all that was read
        try:
            async with asyncio.timeout(READ_USES_S):
                uses = await self._loader.read_remote_uses() | uses
                if stored:
                    others = [each.name for each in self.directory if each.name not in uses]
                    read = self._stored_uses.read
                    uses |= await self.reading.run(lambda: read(self.reading.reader(), others, until_s=until_s))
        except (StoreError, TimeoutError, ValueError) as error:
            log.warning("what other clubs use is not known: %s", str(error) or "no answer")
        return uses

    def local_uses(self) -> dict[str, ClubUse]:
        """Return the use of resources by each loaded club, except for suspended clubs."""
        return {each.name: ClubUse.of(each.site) for each in self if not each.is_suspended}

    def sites(self) -> Iterator[Site]:
        """Yield the site of each loaded club."""
        return (each.site for each in self)

    # --- main's facts about clubs ---

    def apply_main_facts(self, batch: list[Numbered], kinds: Counter[type]) -> None:
        """Apply facts of `main` to loaded clubs: bans, changed clubs, and removed clubs."""
        if FOLLOWED.isdisjoint(kinds):
            return
        for _, fact in batch:
            if isinstance(fact, Banned) and not fact.by_name:
                for each in self:
                    if each.name != MAIN:
                        close_banned = partial(each.run_or_enqueue, each.arena.close_banned)
                        each.run_steps("could not close banned bots", close_banned)
            elif isinstance(fact, ClubRemoved) and (club := self._clubs.get(fact.club)) is not None:
                self._unload(club, CloseCode.CLUB_REMOVED)
            elif isinstance(fact, ClubChanged) and (club := self._clubs.get(fact.club)) is not None:
                club.run_steps("could not apply its settings", club.apply_settings)
            elif isinstance(fact, ClubChanged) and fact.club in self.with_residents():
                self._loader.request_load(fact.club)

    def _unload(self, club: Club, code: CloseCode = CloseCode.DRAINING) -> None:
        """Unload a club: stop the arena, and close the connections. Facts stay in the database."""
        del self._clubs[club.name]
        club.run_steps("could not be unloaded in order", club.house_bots.close, club.stop, partial(club.close, code))
        self.shared.store.close_log(club.name)
        for listener in self.on_unloaded:
            listener(club.name)

    # --- life ---

    def open_house(self) -> None:
        """Let house bots connect, in loaded clubs and in clubs loaded later."""
        self._is_house_open = True
        for each in self:
            each.open_house()

    @property
    def is_playing(self) -> bool:
        """True if a match is played in any club, or facts are on their way to the disk."""
        return any(each.arena.matches.live or each.log.durable < each.log.last for each in self)

    def count_sessions(self) -> tuple[int, int]:
        """Return two numbers of bots' connections: connections with a login, and connections without a login."""
        counts = [each.gateway.count_sessions() for each in self]
        return sum(bots for bots, _ in counts), sum(strangers for _, strangers in counts)

    def drain(self) -> None:
        """Begin no new match in any club."""
        self._is_draining = True
        self.for_each(lambda club: club.arena.drain(), "could not drain")

    def stop(self) -> None:
        """Stop judging matches in every club, and stop the registry's own timers."""
        if self._unload_timer is not None:
            self._unload_timer.cancel()
        self._loader.stop()
        self.for_each(Club.stop, "could not stop")

    def close(self) -> None:
        """Close the connections of bots and the streams of visitors."""
        self.for_each(Club.close, "could not be closed")
        while self.stopped_clubs:
            _, club = self.stopped_clubs.popitem()
            club.run_steps("could not be abandoned", club.disconnect_all)
