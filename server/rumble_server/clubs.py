"""The clubs of this process: main, those in which something is not over, and every other one while it is used.

On one node of several they are the clubs that this node leads; a club that another node leads is known by its name
alone. Main tells of all clubs, and its facts are followed: by its own log where main is loaded, else by reading them.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
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
from rumble_server.club import Club, Shared, Stored, read_club
from rumble_server.idle import Idle
from rumble_server.store.ahead import Ahead
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.store.reader import LogReader
from rumble_server.stored_uses import StoredUses
from rumble_server.tournament.facts import BanLifted, Banned, ClubChanged, ClubFact, ClubRemoved
from rumble_server.web.errors import WebError
from rumble_server.web.site import ClubUse, Site

if TYPE_CHECKING:
    from rumble_server.store.postgres.store import PostgresStore

log = logging.getLogger(__name__)
Made = TypeVar("Made")

FOLLOWED = frozenset((Banned, ClubChanged, ClubRemoved))
"""The facts of main that concern other clubs, too."""
LOOKS = 10
"""Number of looks whether a club is used before it counts as idle."""
READY_S = 30.0
"""Time in s that a start waits until a node leads main."""
FOLLOW_S = 1.0
"""Time in s between two looks at what main has recorded about clubs and bans, where another node leads it."""
AHEAD_S = 10.0
"""Time in s for which a club that was read ahead is kept."""
TOLD_S = 1.0
"""Time in s for the database to tell what goes on in clubs that this process does not lead."""
USES = TypeAdapter(dict[str, ClubUse])
"""Reads what other nodes wrote about their clubs."""


class Node(Protocol):
    """The lease by which clubs are led; see `nodes/node.py`."""

    stands_by: bool
    """Whether this process serves nobody unless it leads main, and then leads all clubs."""

    async def acquire(self, club: str) -> int:
        """Return the epoch under which this node leads a club, as soon as it does."""

    def want(self, club: str) -> None:
        """Have a club led, if nobody leads it."""

    def leads_under(self, club: str, epoch: int) -> bool:
        """Whether this node leads a club under this epoch."""

    def is_led_elsewhere(self, club: str) -> bool:
        """Whether another node leads a club."""

    def release(self, club: str) -> None:
        """A club needs no leader."""

    def fenced(self, club: str, epoch: int) -> None:
        """The database refused to write for a club under this epoch."""

    async def uses_elsewhere(self) -> Mapping[str, Any]:
        """Return what goes on in the clubs of the other nodes, by club. Raises StoreError."""


class Clubs:
    """The clubs by name. `await start()` first."""

    def __init__(self, shared: Shared, on_main: Callable[[bool], Awaitable[None]], node: Node | None = None) -> None:
        """`on_main` is called when main was loaded, and told whether facts about it are lost.

        `node` has the lease by which the clubs are led, if they need one.
        """
        self._shared = shared
        self._on_main = on_main
        self._node = node
        self._is_one_of_several = node is not None and not node.stands_by
        self._clubs: dict[str, Club] = {}
        """Clubs that are loaded, main first if it is."""
        self._leaving: dict[str, Club] = {}
        """Clubs that were stopped for another node, and whose bots are still here."""
        self._ahead: dict[str, Ahead] = {}
        """Rebuilt tournaments of clubs that this node is to lead."""
        self._loading: dict[str, asyncio.Task[Club | None]] = {}
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="clubs")
        self._idle = Idle(shared.config.bounds.idle_club_ms)
        self._looking: TimerHandle | None = None
        self._following: asyncio.Task[None] | None = None
        self._known = 0
        """Number of the newest fact of main that was followed by reading."""
        self._news = asyncio.Event()
        """Set when the rows of nodes and clubs were read again, or a club was loaded."""
        self._reader: LogReader | None = None
        self._stored_uses = StoredUses()
        self._house_is_open = False
        self._is_draining = False
        self.is_abandoned = False
        """Whether this process has been without its lease for long, and lets no bot in."""
        self.lost = asyncio.Event()
        """Set when this node can lead nothing any more, and so has nothing to do."""

    async def start(self) -> None:
        """Load main and every club in which something is not over; the store writes from now on.

        One node of several has them led instead, and returns when main has a leader. Raises StoreError.
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
            await self._add_main(stored)
            for name in (*store.clubs_in_play(), *self._with_residents()):
                await self.load(name)
        self._look_later()

    async def _wait_for_main(self, node: Node) -> None:
        """Return once main is loaded or another node leads it, or after some time: then its visitors wait."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_S):
                while MAIN not in self._clubs and not node.is_led_elsewhere(MAIN):
                    self._news.clear()
                    await self._news.wait()

    def _with_residents(self) -> list[str]:
        """Return the clubs beside main in which residents wait to be challenged."""
        if not self.has_residents:
            return []
        return [entry.name for entry in self.directory if entry.house and entry.name != MAIN]

    @property
    def has_residents(self) -> bool:
        """Whether house bots of main wait to be challenged."""
        return bool(self._shared.config.house) and self._shared.house is not None

    @property
    def main(self) -> Club:
        return self._clubs[MAIN]

    def leading(self, name: str) -> Club | None:
        """Return a club if it is led by this process, and loaded."""
        return self._clubs.get(name)

    @property
    def directory(self) -> ClubDirectory:
        """All clubs that there are, loaded or not."""
        return self._shared.directory

    def knows(self, name: str) -> bool:
        """Whether there is a club, as main's facts told when they were read last."""
        return self.directory.get(name) is not None

    def was_removed(self, name: str) -> bool:
        """Whether there is no club of this name any more."""
        return self.directory.was_removed(name)

    def __iter__(self) -> Iterator[Club]:
        return iter(self._clubs.values())

    # --- loading ---

    def is_elsewhere(self, name: str) -> bool:
        """Whether another node leads a club, or is to lead it. Have one led that nobody leads."""
        if not self._is_one_of_several or name in self._clubs:
            return False
        if self.knows(name):
            if self._node is not None:
                self._node.want(name)
            return True
        return MAIN not in self._clubs  # the leader of main alone knows that there is no such club

    def loaded(self, name: str) -> Club | None:
        """Return a club if it is loaded."""
        return self._clubs.get(name)

    async def load(self, name: str) -> Club | None:
        """Return a club that is not elsewhere, loaded if it was not; None: there is none. Raises StoreError.

        It is read on a thread, once for all who ask meanwhile; one club after the other.
        """
        self._idle.use(name)
        club = self._clubs.get(name)
        if club is not None or not self.knows(name) or self._is_one_of_several:
            return club
        return await asyncio.shield(self._begin_loading(name))

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
        """Read a club on a thread, once this node leads it, as far as that was not done ahead. Raises StoreError."""
        node, ahead = self._node, self._ahead.pop(name, None) or Ahead()
        if node is not None and epoch is None:
            epoch = await node.acquire(name)
        store = self._shared.store

        def read() -> Stored:
            if epoch is not None:  # others wait for it: no connection is made first
                cast("PostgresStore", store).lead(name, epoch)
                return read_club(store, name, self._outside().of(name), ahead)
            with closing(store.reader(name)) as reader:
                return read_club(store, name, reader, ahead)

        stored = await self._on_thread(read)
        if node is not None:
            stored.log.on_fenced.append(partial(node.fenced, name, stored.log.epoch))
        return stored

    async def _on_thread(self, make: Callable[[], Made]) -> Made:
        """Have something read on the one thread that reads clubs."""
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

    async def _add_main(self, stored: Stored) -> None:
        self._add(MAIN, stored).on_facts.append(self._follow)
        await self._on_main(bool(stored.problems))

    # --- idle clubs ---

    def visit(self, name: str) -> AbstractContextManager[None]:
        """Keep a club while a request is answered."""
        return self._idle.visit(name)

    def _look_later(self) -> None:
        clock = self._shared.clock
        pause_ms = max(1, self._shared.config.bounds.idle_club_ms // LOOKS)
        self._looking = clock.call_at(clock.now_ms() + pause_ms, self._look_around)

    def _look_around(self) -> None:
        self.unload_idle(self._shared.clock.now_ms())
        self._look_later()

    def unload_idle(self, now_ms: int) -> None:
        """Take clubs out of memory that nobody has used for long. Their next user finds them as they were."""
        if self._is_draining:
            return
        for name in self._idle.look([each.name for each in self if each.is_empty], now_ms):
            log.info("club %s is idle, and unloaded", name)
            self._remove(self._clubs[name])
            if self._node is not None:
                self._node.release(name)

    # --- for the web ---

    async def site(self, name: str) -> Site | None:
        """Find the site of a club that is not elsewhere; None if there is none. Raises WebError."""
        try:
            club = await self.load(name)
        except StoreError as error:
            log.error("club %s cannot be loaded: %s", name, error)
            raise WebError.unavailable("the database cannot be read at the moment") from None
        if club is not None and club.is_suspended:
            raise WebError.unavailable("this server has lost the database for a moment; try again in some seconds")
        return None if club is None else club.site

    async def uses(self, *, stored: bool) -> dict[str, ClubUse]:
        """Return what goes on in the clubs that are led; if `stored` also in others, which takes up to a second."""
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
        """Return what reads clubs that are not loaded here. On the thread. Raises StoreError."""
        if self._reader is None:
            self._reader = self._shared.store.reader(MAIN)
        return self._reader

    def count_streams(self) -> int:
        """Return how many streams of events are open to visitors."""
        return sum(each.feed.spectators for each in self)

    def sites(self) -> Iterator[Site]:
        """Return the sites of those that are loaded, main first."""
        return (each.site for each in self)

    # --- what main says of the others ---

    async def _keep_following(self) -> None:
        """Read main's facts about clubs and bans once a second, while another node leads main."""
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
        """Take up what main's leader has recorded about clubs and bans since the last look. Raises StoreError."""
        if MAIN in self._clubs:
            return
        facts = await self._on_thread(lambda: self._outside().of(MAIN).server_facts_after(self._known))
        if MAIN in self._clubs:  # it was loaded meanwhile, and has told all of this
            return
        news = [(number, fact) for number, fact in facts if number > self._known]
        for self._known, fact in news:
            if isinstance(fact, Banned | BanLifted):
                apply_ban(self._shared.door.bans, fact)
            elif isinstance(fact, ClubFact):
                self.directory.apply(fact)
        self._follow(news, Counter([type(fact) for _, fact in news]))

    def _follow(self, batch: list[Numbered], kinds: Counter[type]) -> None:
        if FOLLOWED.isdisjoint(kinds):
            return
        for _, fact in batch:
            if isinstance(fact, Banned) and not fact.by_name:
                for each in self:
                    if each.name != MAIN:
                        each.arena.close_banned()
            elif isinstance(fact, ClubRemoved):
                self._forget(fact.club)
            elif isinstance(fact, ClubChanged) and (club := self._clubs.get(fact.club)) is not None:
                club.follow()
            elif isinstance(fact, ClubChanged) and fact.club in self._with_residents():
                self._need(fact.club)

    def _need(self, name: str) -> None:
        """Have a club led in which residents are to wait from now on."""

        def told(loading: asyncio.Task[Club | None]) -> None:
            if not loading.cancelled() and (error := loading.exception()) is not None:
                log.error("club %s cannot be loaded: %s", name, error)

        if self._node is not None and self._is_one_of_several:
            self._node.want(name)
        else:
            self._begin_loading(name).add_done_callback(told)

    def _forget(self, name: str) -> None:
        """Let go of a club that was removed, if it is loaded."""
        club = self._clubs.get(name)
        if club is not None:
            self._remove(club, CloseCode.CLUB_REMOVED)
            if self._node is not None and self._is_one_of_several:
                self._node.release(name)

    def _remove(self, club: Club, code: CloseCode = CloseCode.DRAINING) -> None:
        """Let go of a club. Its facts stay in the database."""
        del self._clubs[club.name]
        club.house_bots.close()
        club.stop()
        club.close(code)
        self._shared.store.close_log(club.name)

    # --- as the lease of this node wants it (`nodes.node.Led`) ---

    async def lead(self, name: str, epoch: int) -> None:
        """Load a club that this node leads under an epoch, if it is not loaded. Raises StoreError."""
        node = self._node
        if node is None or (not self._is_one_of_several and MAIN not in self._clubs):
            return  # one that stands by loads main, and then the others, by itself
        if not self._is_one_of_several:
            if await self.load(name) is None:
                node.release(name)
            return
        if name != MAIN and not self.knows(name):
            await self._follow_main()
        stored = await self._read(name, epoch)
        if not node.leads_under(name, epoch):
            return
        if name == MAIN:
            await self._add_main(stored)
            for each in self._with_residents():
                self._need(each)
        elif self.knows(name):
            self._add(name, stored)
        else:  # it was removed, perhaps while it was read
            self._shared.store.close_log(name)
            node.release(name)

    async def read_ahead(self, name: str) -> None:
        """Rebuild the tournaments of a club that this node is to lead soon. Raises StoreError."""
        if not self._is_one_of_several:
            return
        ahead, store = Ahead(), self._shared.store

        def read() -> None:  # on a thread and a connection of its own: it may take long, and holds no club up
            with closing(store.reader(name)) as reader:
                ahead.read(reader)

        await asyncio.to_thread(read)
        self._ahead[name] = ahead

        def forget() -> None:
            if self._ahead.get(name) is ahead:
                del self._ahead[name]

        asyncio.get_running_loop().call_later(AHEAD_S, forget)

    async def hand_over(self, name: str) -> None:
        """Stop a club for another node, and return when all of it is on disk. Its bots stay until `handed_over`."""
        club = self._clubs.get(name)
        if club is None:
            return
        club.stop()
        club.house_bots.close()
        with suppress(StoreError):  # another leads it: there is nothing more to write
            await club.log.wait(club.log.last)
        if self._clubs.get(name) is club:
            del self._clubs[name]
            club.discard()
            self._shared.store.close_log(name)
            self._leaving[name] = club

    def handed_over(self, name: str) -> None:
        """Close the bots and visitors of a club that was stopped: they come back at its new leader."""
        club = self._leaving.pop(name, None)
        if club is not None:
            club.abandon()
            if name == MAIN and not self._is_one_of_several:
                self.lose()

    def suspend(self) -> None:
        """Tell nothing of any club for now."""
        for each in self:
            each.suspend()

    def abandon(self) -> None:
        """Close the bots and visitors of all clubs, since this node has been without its lease for long."""
        self.is_abandoned = True
        for each in self:
            each.abandon()

    def go_on(self) -> None:
        """Go on with all clubs."""
        self.is_abandoned = False
        for each in list(self):
            each.go_on()

    def discard(self, name: str) -> None:
        """Forget a club, which another node leads, and close its bots and visitors."""
        club = self._clubs.pop(name, None)
        if club is None:
            return
        club.discard()
        club.house_bots.close()
        club.abandon()
        self._shared.store.close_log(name)
        if name == MAIN and not self._is_one_of_several:
            for each in self:
                each.discard()
            self.lose()

    def lose(self) -> None:
        """This process has nothing to do any more."""
        self.lost.set()

    def changed(self) -> None:
        """The rows of nodes and clubs were read again."""
        self._news.set()

    def own_uses(self) -> Mapping[str, Any]:
        """Return what goes on in the clubs that this node leads, by club, for the other nodes."""
        return {name: asdict(use) for name, use in self._own_uses().items()}

    # --- life ---

    def open_house(self) -> None:
        """Have house bots connect, in clubs that are loaded later, too."""
        self._house_is_open = True
        for each in self:
            each.open_house()

    @property
    def playing(self) -> bool:
        """Whether a match is being played in any club, or its end is on its way to the disk."""
        return any(each.arena.matches.live or each.log.durable < each.log.last for each in self)

    def count_sessions(self) -> tuple[int, int]:
        """Return how many connections of bots are logged in, and how many are not."""
        counts = [each.gateway.count_sessions() for each in self]
        return sum(bots for bots, _ in counts), sum(strangers for _, strangers in counts)

    def drain(self) -> None:
        """Start no new match anywhere."""
        self._is_draining = True
        for each in self:
            each.arena.drain()

    def stop(self) -> None:
        """Judge no more."""
        if self._looking is not None:
            self._looking.cancel()
        if self._following is not None:
            self._following.cancel()
        for each in self:
            each.stop()

    def close(self) -> None:
        """Close all connections of bots and all streams."""
        for each in list(self._leaving):
            self.handed_over(each)
        for club in self:
            club.close()

    def let_go(self) -> None:
        """Read no more."""
        self._reading.shutdown(cancel_futures=True)
        if self._reader is not None:
            self._reader.close()
