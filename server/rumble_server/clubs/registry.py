"""The clubs of this process: loading, unloading, hand-over, and settings of clubs (stored by `main`).

`app.Server` starts the clubs. The web asks for clubs, and so do connections of bots. A node sends commands
(`nodes.node.Led`).

A lone server loads `main`, each club with an unfinished tournament or with residents (house bots that wait for
challenges), and any other club while it is used.
With several nodes, each node loads only the clubs led by the node, and knows the names and settings of the rest.

Clubs are created, changed and removed by facts of `main`. Therefore each node follows `main`: from its log if `main` is
loaded here, or by reading its facts once a second.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from pydantic import TypeAdapter
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode

from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.ports import TimerHandle
from rumble_server.arena.recorder import apply_ban
from rumble_server.clubs.club import Club, ClubParts, Stored, read_club
from rumble_server.clubs.idle import Idle
from rumble_server.clubs.stored_uses import StoredUses
from rumble_server.store.errors import StoreError
from rumble_server.store.log.ahead import Ahead
from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.facts import BanLifted, Banned, ClubChanged, ClubFact, ClubRemoved
from rumble_server.web.errors import WebError
from rumble_server.web.site import ClubUse, Site

if TYPE_CHECKING:
    from rumble_server.store.postgres.store import PostgresStore

log = logging.getLogger(__name__)
Made = TypeVar("Made")

FOLLOWED = frozenset((Banned, ClubChanged, ClubRemoved))
"""Types of facts of `main` with effects in other clubs."""
LOOKS = 10
"""Number of searches for empty clubs within `idle_club_ms`, the time after which an empty club counts as idle."""
READY_S = 30.0
"""Maximum time in s that a start waits until `main` has a leader."""
FOLLOW_S = 1.0
"""Pause in s between two readings of the facts of `main` about clubs and bans, while another node leads `main`."""
AHEAD_S = 10.0
"""Time in s for which the tournaments of a club stay in memory after `read_ahead` has rebuilt the tournaments."""
TOLD_S = 1.0
"""Maximum time in s to read the use of resources by clubs that this process does not lead."""
USES = TypeAdapter(dict[str, ClubUse])
"""Validator of the use of resources by club, which other nodes write to the database for their clubs."""


class LeaseNode(Protocol):
    """The node, under whose lease this process leads clubs; see `nodes/node.py`."""

    stands_by: bool
    """True if this process serves nobody before leading `main`, and afterwards leads every club."""

    async def acquire(self, club: str) -> int:
        """Wait until this node leads a club, and return the club's epoch."""

    def want(self, club: str) -> None:
        """Ask for a leader of a club without a leader. Any node may become the leader."""

    def leads_under(self, club: str, epoch: int) -> bool:
        """Return true if this node leads a club under this epoch."""

    def is_led_elsewhere(self, club: str) -> bool:
        """Return true if another node leads a club."""

    def release(self, club: str) -> None:
        """Give up a club that needs no leader any more."""

    def fenced(self, club: str, epoch: int) -> None:
        """Discard a club because the database refused a commit that this node made under `epoch`."""

    async def uses_elsewhere(self) -> Mapping[str, Any]:
        """Return the uses of resources, by club, for the clubs that other nodes lead. Raises StoreError."""


class ClubRegistry:
    """The clubs of this process by name. `await start()` before any other use."""

    def __init__(self, shared: ClubParts, on_main: Callable[[bool], None], node: LeaseNode | None = None) -> None:
        """Make the registry. With a `node`, this process leads clubs by the node's lease.

        `on_main` is called when `main` is loaded, with true if facts about `main` are lost.
        """
        self._shared = shared
        self._on_main = on_main
        self._node = node
        self._is_one_of_several = node is not None and not node.stands_by
        self._clubs: dict[str, Club] = {}
        """The loaded clubs by name. A lone server loads `main` first."""
        self._leaving: dict[str, Club] = {}
        """Clubs stopped for a hand-over, with bots still connected here."""
        self._ahead: dict[str, Ahead] = {}
        """Tournaments rebuilt for hand-overs of clubs to this node, by club."""
        self._loading: dict[str, asyncio.Task[Club | None]] = {}
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="clubs")
        self._idle = Idle(shared.config.bounds.idle_club_ms)
        self._looking: TimerHandle | None = None
        self._following: asyncio.Task[None] | None = None
        self._known = 0
        """Number of the newest fact of `main` that this node has read while another node leads `main`."""
        self._news = asyncio.Event()
        """Event that is set when the node has looked at the rows of nodes and clubs, or a club was loaded."""
        self._reader: LogReader | None = None
        self._stored_uses = StoredUses()
        self._house_is_open = False
        self._is_draining = False
        self.is_abandoned = False
        """True if this process has had no valid lease for a long time, and therefore lets no bot in."""
        self.lost = asyncio.Event()
        """Event that is set when this node cannot lead clubs any more. The process then ends."""

    async def start(self) -> None:
        """Load `main`, clubs with residents, and clubs with unfinished tournaments. Let the store begin to write.

        With several nodes, ask for leaders of these clubs instead, and wait until `main` has a leader. Any node may
        become a leader. Raises StoreError.
        """
        store = self._shared.store
        if self._node is not None and self._is_one_of_several:
            store.attach(asyncio.get_running_loop())
            await self._follow_main()
            for name in {MAIN, *store.clubs_in_play(), *self._with_residents()}:
                self._node.want(name)
            self._following = asyncio.create_task(self._keep_following())
            await cast("PostgresStore", store).start_writer()
            await self._wait_for_main(self._node)
        else:
            stored = await self._read(MAIN)
            store.attach(asyncio.get_running_loop())
            self._add_main(stored)
            for name in (*store.clubs_in_play(), *self._with_residents()):
                await self.load(name)
        self._look_later()

    async def _wait_for_main(self, node: LeaseNode) -> None:
        """Wait until `main` is loaded here or led by another node, at most for `READY_S`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_S):
                while MAIN not in self._clubs and not node.is_led_elsewhere(MAIN):
                    self._news.clear()
                    await self._news.wait()

    def _with_residents(self) -> list[str]:
        """Return all clubs except `main` that have residents (house bots that wait to be challenged)."""
        if not self.has_residents:
            return []
        return [entry.name for entry in self.directory if entry.house and entry.name != MAIN]

    @property
    def has_residents(self) -> bool:
        """True if `main` has residents: house bots that wait to be challenged."""
        return bool(self._shared.config.house) and self._shared.house is not None

    @property
    def main(self) -> Club:
        return self._clubs[MAIN]

    @property
    def directory(self) -> ClubDirectory:
        """Directory of the existing clubs, loaded or not."""
        return self._shared.directory

    def knows(self, name: str) -> bool:
        """Return true if a club exists, according to the facts of `main` that this process has read."""
        return self.directory.get(name) is not None

    def was_removed(self, name: str) -> bool:
        """Return true if the club of this name was removed."""
        return self.directory.was_removed(name)

    def __iter__(self) -> Iterator[Club]:
        return iter(self._clubs.values())

    # --- loading ---

    def is_elsewhere(self, name: str) -> bool:
        """Return true if requests for a club belong to another node.

        If a known club has no leader, ask for a leader. Requests for an unknown club belong to the leader of `main`.
        """
        if not self._is_one_of_several or name in self._clubs:
            return False
        if self.knows(name):
            if self._node is not None:
                self._node.want(name)
            return True
        return MAIN not in self._clubs  # only the leader of main can say that a club does not exist

    def loaded(self, name: str) -> Club | None:
        """Return a loaded club; None for any other name."""
        return self._clubs.get(name)

    async def load(self, name: str) -> Club | None:
        """Return a club, and load it first if needed; None for an unknown name. Raises StoreError.

        With several nodes, only `lead` loads clubs. A thread reads a single club at a time. Callers who wait for the
        same club share the reading.
        """
        self._idle.use(name)
        club = self._clubs.get(name)
        if club is not None or not self.knows(name) or self._is_one_of_several:
            return club
        return await asyncio.shield(self._begin_loading(name))  # a caller may give up; the loading goes on for the rest

    def _begin_loading(self, name: str) -> asyncio.Task[Club | None]:
        loading = self._loading.get(name)
        if loading is None:
            loading = self._loading[name] = asyncio.create_task(self._load(name))
            loading.add_done_callback(lambda _: self._loading.pop(name))
        return loading

    async def _load(self, name: str) -> Club | None:
        stored = await self._read(name)
        return self._add(name, stored) if self.knows(name) else None

    async def _read(self, name: str, epoch: int | None = None) -> Stored:
        """Read a club on the thread for reading clubs. Facts that `read_ahead` has read are not read again.

        With a node but no `epoch`, first wait until the node leads the club. Raises StoreError.
        """
        node, ahead = self._node, self._ahead.pop(name, None) or Ahead()
        if node is not None and epoch is None:
            epoch = await node.acquire(name)
        store = self._shared.store

        def read() -> Stored:
            if epoch is not None:  # bots wait for a new leader, so no time is spent on opening a connection
                cast("PostgresStore", store).lead(name, epoch)
                return read_club(store, name, self._outside().of(name), ahead)
            with closing(store.reader(name)) as reader:
                return read_club(store, name, reader, ahead)

        stored = await self._on_thread(read)
        if node is not None:
            stored.log.on_fenced.append(partial(node.fenced, name, stored.log.epoch))
        return stored

    async def _on_thread(self, make: Callable[[], Made]) -> Made:
        """Call `make` on the thread that reads clubs, and return the result."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, make)

    def _add(self, name: str, stored: Stored) -> Club:
        def added_elsewhere() -> int:
            return sum(each.house_bots.added for each in self if each is not club)

        self._idle.use(name)
        club = self._clubs[name] = Club(name, self._shared, stored, added_elsewhere)
        if self._house_is_open:
            club.open_house()
        if self._is_draining:
            club.arena.drain()
        self._news.set()
        return club

    def _add_main(self, stored: Stored) -> None:
        self._add(MAIN, stored).on_facts.append(self._follow)
        self._on_main(bool(stored.problems))

    # --- idle clubs ---

    def visit(self, name: str) -> AbstractContextManager[None]:
        """Keep a club in memory during a `with` block, while a request is answered."""
        return self._idle.visit(name)

    def _look_later(self) -> None:
        clock = self._shared.clock
        pause_ms = max(1, self._shared.config.bounds.idle_club_ms // LOOKS)
        self._looking = clock.call_at(clock.now_ms() + pause_ms, self._look_around)

    def _look_around(self) -> None:
        self.unload_idle(self._shared.clock.now_ms())
        self._look_later()

    def unload_idle(self, now_ms: int) -> None:
        """Unload idle clubs. The next request loads the club again."""
        if self._is_draining:
            return
        for name in self._idle.look([each.name for each in self if each.is_empty], now_ms):
            log.info("club %s is idle, and unloaded", name)
            self._remove(self._clubs[name])
            if self._node is not None:
                self._node.release(name)

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
        club.site.need_lease()
        return club.site

    async def uses(self, *, stored: bool) -> dict[str, ClubUse]:
        """Return the use of resources by each club with a leader. With `stored`, add the clubs without a leader.

        The call takes up to `TOLD_S`. Clubs whose use cannot be read in this time are left out.
        """
        uses = self._own_uses()
        try:
            async with asyncio.timeout(TOLD_S):
                if self._node is not None and self._is_one_of_several:
                    uses = USES.validate_python(await self._node.uses_elsewhere()) | uses
                if stored:
                    others = [each.name for each in self.directory if each.name not in uses]
                    uses |= await self._on_thread(lambda: self._stored_uses.read(self._outside(), others))
        except (StoreError, TimeoutError, ValueError) as error:
            log.warning("what other clubs use is not known: %s", str(error) or "no answer")
        return uses

    def _own_uses(self) -> dict[str, ClubUse]:
        return {each.name: ClubUse.of(each.site) for each in self if not each.is_suspended}

    def _outside(self) -> LogReader:
        """Return the reader of the thread that reads clubs. Call the method only on this thread. Raises StoreError."""
        if self._reader is None:
            self._reader = self._shared.store.reader(MAIN)
        return self._reader

    def count_streams(self) -> int:
        """Return the number of open event streams of visitors."""
        return sum(each.feed.spectators for each in self)

    def sites(self) -> Iterator[Site]:
        """Yield the site of each loaded club."""
        return (each.site for each in self)

    # --- main's facts about clubs ---

    async def _keep_following(self) -> None:
        """Every `FOLLOW_S`, read the facts of `main` about clubs and bans, while another node leads `main`."""
        told = ""
        while True:
            try:
                await self._follow_main()
                told = ""
            except StoreError as error:
                if str(error) != told:
                    log.warning("main cannot be followed: %s", told := str(error))
            await asyncio.sleep(FOLLOW_S)

    async def _follow_main(self) -> None:
        """Read and apply new facts of `main` about clubs and bans, unless `main` is loaded here. Raises StoreError."""
        if MAIN in self._clubs:
            return
        facts = await self._on_thread(lambda: self._outside().of(MAIN).server_facts_after(self._known))
        if MAIN in self._clubs:  # main was loaded during the reading, and has applied these facts itself
            return
        news = [(number, fact) for number, fact in facts if number > self._known]
        for self._known, fact in news:
            if isinstance(fact, Banned | BanLifted):
                apply_ban(self._shared.door.bans, fact)
            elif isinstance(fact, ClubFact):
                self.directory.apply(fact)
        self._follow(news, Counter([type(fact) for _, fact in news]))

    def _follow(self, batch: list[Numbered], kinds: Counter[type]) -> None:
        """Apply facts of `main` to loaded clubs: bans, changed clubs, and removed clubs."""
        if FOLLOWED.isdisjoint(kinds):
            return
        for _, fact in batch:
            if isinstance(fact, Banned) and not fact.by_name:
                for each in self:
                    if each.name != MAIN:
                        each.enter(each.arena.close_banned)
            elif isinstance(fact, ClubRemoved):
                self._forget(fact.club)
            elif isinstance(fact, ClubChanged) and (club := self._clubs.get(fact.club)) is not None:
                club.follow()
            elif isinstance(fact, ClubChanged) and fact.club in self._with_residents():
                self._need(fact.club)

    def _need(self, name: str) -> None:
        """Load a club, so that house bots can wait there for challenges.

        With several nodes, ask for a leader of the club instead. Any node may become the leader.
        """

        def told(loading: asyncio.Task[Club | None]) -> None:
            if not loading.cancelled() and (error := loading.exception()) is not None:
                log.error("club %s cannot be loaded: %s", name, error)

        if self._node is not None and self._is_one_of_several:
            self._node.want(name)
        else:
            self._begin_loading(name).add_done_callback(told)

    def _forget(self, name: str) -> None:
        """Unload a club after its removal from the directory."""
        club = self._clubs.get(name)
        if club is not None:
            self._remove(club, CloseCode.CLUB_REMOVED)
            if self._node is not None and self._is_one_of_several:
                self._node.release(name)

    def _remove(self, club: Club, code: CloseCode = CloseCode.DRAINING) -> None:
        """Unload a club: stop the arena, and close the connections. Facts stay in the database."""
        del self._clubs[club.name]
        club.house_bots.close()
        club.stop()
        club.close(code)
        self._shared.store.close_log(club.name)

    # --- commands of this node (`nodes.node.Led`) ---

    async def lead(self, name: str, epoch: int) -> None:
        """Load a club that this node leads under `epoch`. Raises StoreError."""
        node = self._node
        if node is None or (not self._is_one_of_several and MAIN not in self._clubs):
            return  # after a standby, `start` loads main, and then the other clubs
        if not self._is_one_of_several:
            if await self.load(name) is None:
                node.release(name)
            return
        if name != MAIN and not self.knows(name):
            await self._follow_main()
        stored = await self._read(name, epoch)
        if not node.leads_under(name, epoch):  # the lease was over, or the club was taken, during the reading
            return
        if name == MAIN:
            self._add_main(stored)
            for each in self._with_residents():
                self._need(each)
        elif self.knows(name):
            self._add(name, stored)
        else:  # the club was removed, perhaps during the reading
            self._shared.store.close_log(name)
            node.release(name)

    async def read_ahead(self, name: str) -> None:
        """Rebuild the tournaments of a club that another node still leads, before a hand-over. Raises StoreError."""
        if not self._is_one_of_several:
            return
        ahead, store = Ahead(), self._shared.store

        def read() -> None:  # on a separate thread and connection, because a long reading must delay no other club
            with closing(store.reader(name)) as reader:
                ahead.read(reader)

        await asyncio.to_thread(read)
        self._ahead[name] = ahead

        def forget() -> None:
            if self._ahead.get(name) is ahead:
                del self._ahead[name]

        asyncio.get_running_loop().call_later(AHEAD_S, forget)

    async def hand_over(self, name: str) -> None:
        """Stop a club for a hand-over, and wait until its facts are on disk. Bots stay connected here."""
        club = self._clubs.get(name)
        if club is None:
            return
        club.stop()
        club.house_bots.close()
        with suppress(StoreError):  # raised if another node leads the club, so that this node has nothing left to write
            await club.log.wait(club.log.last)
        if self._clubs.get(name) is club:  # the club may have been discarded during the wait
            del self._clubs[name]
            club.discard()
            self._shared.store.close_log(name)
            self._leaving[name] = club

    def handed_over(self, name: str) -> None:
        """Close the connections of a stopped club's bots and visitors, to send them to the new leader."""
        club = self._leaving.pop(name, None)
        if club is not None:
            club.abandon()
            if name == MAIN and not self._is_one_of_several:
                self.lose()

    def suspend(self) -> None:
        """Suspend all clubs, because the lease is over."""
        for each in self:
            each.suspend()

    def abandon(self) -> None:
        """Close the connections of bots and visitors of every club, because the lease has been over for long."""
        self.is_abandoned = True
        for each in self:
            each.abandon()

    def go_on(self) -> None:
        """Continue play in all clubs, because the lease is valid again."""
        self.is_abandoned = False
        for each in list(self):
            each.go_on()

    def discard(self, name: str) -> None:
        """Forget a club and close its connections, because another node leads the club."""
        club = self._clubs.pop(name, None)
        if club is None:
            return
        club.discard()
        club.house_bots.close()
        club.abandon()
        self._shared.store.close_log(name)
        if name == MAIN and not self._is_one_of_several:  # without main, this server leads no club at all
            for each in self:
                each.discard()
            self.lose()

    def lose(self) -> None:
        """Let the process end, because this node cannot lead clubs any more."""
        self.lost.set()

    def changed(self) -> None:
        """Record that the node has looked at the rows of nodes and clubs."""
        self._news.set()

    def own_uses(self) -> Mapping[str, Any]:
        """Return the uses of resources, by club, for the clubs of this node.

        The node writes the returned values to the database, where other nodes read them.
        """
        return {name: asdict(use) for name, use in self._own_uses().items()}

    # --- life ---

    def open_house(self) -> None:
        """Let house bots connect, in loaded clubs and in clubs loaded later."""
        self._house_is_open = True
        for each in self:
            each.open_house()

    @property
    def playing(self) -> bool:
        """True if a match is played in any club, or facts are on their way to the disk."""
        return any(each.arena.matches.live or each.log.durable < each.log.last for each in self)

    def count_sessions(self) -> tuple[int, int]:
        """Return two numbers of bots' connections: connections with a login, and connections without a login."""
        counts = [each.gateway.count_sessions() for each in self]
        return sum(bots for bots, _ in counts), sum(strangers for _, strangers in counts)

    def drain(self) -> None:
        """Begin no new match in any club."""
        self._is_draining = True
        for each in self:
            each.arena.drain()

    def stop(self) -> None:
        """Stop judging matches in every club, and stop the registry's own timers."""
        if self._looking is not None:
            self._looking.cancel()
        if self._following is not None:
            self._following.cancel()
        for each in self:
            each.stop()

    def close(self) -> None:
        """Close the connections of bots and the streams of visitors."""
        for each in list(self._leaving):
            self.handed_over(each)
        for club in self:
            club.close()

    def let_go(self) -> None:
        """Stop the thread for reading clubs, and close its connection to the database."""
        self._reading.shutdown(cancel_futures=True)
        if self._reader is not None:
            self._reader.close()
