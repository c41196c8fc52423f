"""The clubs of this process: main, those in which something is not over, and every other one while it is used.

What the directory says of them is followed once it is on disk.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from starlette.types import Receive, Scope, Send

from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.ports import TimerHandle
from rumble_server.club import Club, Leading, Shared, Stored, read_club
from rumble_server.idle import Idle
from rumble_server.store.ahead import Ahead
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.store.reader import LogReader
from rumble_server.stored_uses import StoredUses
from rumble_server.tournament.facts import Banned, ClubChanged, ClubRemoved
from rumble_server.web.errors import WebError
from rumble_server.web.needs import NOTHING, Needs
from rumble_server.web.site import ClubUse, Site

if TYPE_CHECKING:
    from rumble_server.cluster.node import Node
    from rumble_server.store.postgres.store import PostgresStore

log = logging.getLogger(__name__)

FOLLOWED = frozenset((Banned, ClubChanged, ClubRemoved))
"""The facts of main that concern other clubs, too."""
LOOKS = 10
"""How often it is looked whether a club is used before it counts as idle."""


class Clubs:
    """The clubs by name. `await start()` first; main is loaded from then on."""

    def __init__(self, shared: Shared, node: "Node | None" = None) -> None:
        """`node` has the lease by which the clubs are led, if they need one."""
        self._shared = shared
        self._node = node
        self._clubs: dict[str, Club] = {}
        """Those that are loaded, main first."""
        self._loading: dict[str, asyncio.Task[Club | None]] = {}
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="clubs")
        self._idle = Idle(shared.config.bounds.idle_club_ms)
        self._looking: TimerHandle | None = None
        self._reader: LogReader | None = None
        self._stored_uses = StoredUses()
        self._house_is_open = False
        self._is_draining = False
        self.lost = asyncio.Event()
        """Set when this node can lead nothing any more, and so has nothing to do."""

    async def start(self) -> bool:
        """Load main and every club in which something is not over; the store writes from now on.

        Return whether facts about main are lost. Raises StoreError.
        """
        store = self._shared.store
        stored = await self._read(MAIN)
        store.attach(asyncio.get_running_loop())
        self._add(MAIN, stored).on_facts.append(self._follow)
        for name in (*store.clubs_in_play(), *self._with_residents()):
            await self.load(name)
        self._look_later()
        return bool(stored.problems)

    def _with_residents(self) -> list[str]:
        """Return the clubs beside main in which residents wait to be challenged."""
        if not self._shared.config.house:
            return []
        return [entry.name for entry in self.directory if entry.house and entry.name != MAIN]

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

    def was_removed(self, name: str) -> bool:
        """Whether there is no club of this name any more."""
        return self.directory.was_removed(name)

    def __iter__(self) -> Iterator[Club]:
        return iter(self._clubs.values())

    # --- loading ---

    def loaded(self, name: str) -> Club | None:
        """Return a club if it is loaded."""
        return self._clubs.get(name)

    async def load(self, name: str) -> Club | None:
        """Return a club, which is loaded if it was not; None: there is none. Raises StoreError.

        It is read on a thread, once for all who ask meanwhile; one club after the other.
        """
        self._idle.use(name)
        club = self._clubs.get(name)
        if club is not None or self.directory.get(name) is None:
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
        return None if self.directory.get(name) is None else self._add(name, stored)

    async def _read(self, name: str, epoch: int | None = None, ahead: Ahead | None = None) -> Stored:
        """Read a club on a thread, once this node leads it, as far as that was not done ahead. Raises StoreError."""
        if self._node is not None and epoch is None:
            epoch = await self._node.acquire(name)
        store = self._shared.store

        def read() -> Stored:
            if epoch is not None:  # others wait for it: no connection is made first
                cast("PostgresStore", store).lead(name, epoch)
                return read_club(store, name, self._outside().of(name), ahead or Ahead())
            with closing(store.reader(name)) as reader:
                return read_club(store, name, reader, Ahead())

        stored = await asyncio.get_running_loop().run_in_executor(self._reading, read)
        if self._node is not None:
            stored.log.on_fenced.append(partial(self._node.fenced, name, stored.log.epoch))
        return stored

    def _add(self, name: str, stored: Stored, leading: Leading | None = None) -> Club:
        def added_elsewhere() -> int:
            return sum(each.house_bots.added for each in self if each is not club)

        self._idle.use(name)
        club = self._clubs[name] = Club(name, self._shared, stored, added_elsewhere, leading)
        if self._house_is_open:
            club.open_house()
        if self._is_draining:
            club.arena.drain()
        return club

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
        if not self._is_draining:
            for name in self._idle.look(self._empty(), now_ms):
                log.info("club %s is idle, and unloaded", name)
                self._unload(name)

    def _empty(self) -> list[str]:
        return [each.name for each in self if each.is_empty]

    def _unload(self, name: str) -> None:
        self._remove(self._clubs[name])
        if self._node is not None:
            self._node.release(name)

    # --- for the web ---

    async def site(self, name: str, needs: Needs) -> Site | None:
        """Find the site of a club; None if there is none. Raises WebError."""
        try:
            club = await self.load(name)
        except StoreError as error:
            log.error("club %s cannot be loaded: %s", name, error)
            raise WebError.unavailable("the database cannot be read at the moment") from None
        if club is not None and club.is_suspended and needs != NOTHING:
            raise WebError.unavailable("this server has lost the database for a moment; try again in some seconds")
        return None if club is None else club.site

    async def passing(self, _name: str, _needs: Needs, _scope: Scope, _receive: Receive, _send: Send) -> bool:
        """Have another node answer a request. Return whether it was asked."""
        return False

    async def uses(self, *, stored: bool) -> dict[str, ClubUse]:
        """Return what goes on in the clubs that are loaded; if `stored` also in others, which takes up to a second."""
        uses = {each.name: ClubUse.of(each.site) for each in self if not each.is_suspended}
        if stored:
            uses |= await self._stored([each.name for each in self.directory if each.name not in uses])
        return uses

    async def _stored(self, names: list[str]) -> dict[str, ClubUse]:
        """Read what clubs use in which nothing runs; none where the database cannot be read."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reading, self._read_uses, names)
        except StoreError as error:
            log.warning("what clubs use cannot be read: %s", error)
            return {}

    def _read_uses(self, names: list[str]) -> dict[str, ClubUse]:
        return self._stored_uses.read(self._outside(), names)

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
        """Load a club in which residents are to wait from now on."""

        def told(loading: asyncio.Task[Club | None]) -> None:
            if not loading.cancelled() and (error := loading.exception()) is not None:
                log.error("club %s cannot be loaded: %s", name, error)

        self._begin_loading(name).add_done_callback(told)

    def _forget(self, name: str) -> None:
        """Let go of a club that was removed, if it is loaded."""
        club = self._clubs.get(name)
        if club is not None:
            self._remove(club, CloseCode.CLUB_REMOVED)

    def _remove(self, club: Club, code: CloseCode = CloseCode.DRAINING) -> None:
        """Let go of a club. Its facts stay in the database."""
        del self._clubs[club.name]
        club.house_bots.close()
        club.stop()
        club.close(code)
        self._shared.store.close_log(club.name)

    # --- as the lease of this node wants it (`cluster.node.Led`) ---

    async def lead(self, name: str, epoch: int) -> None:
        """Load a club in which something ran when another node led it. Raises StoreError."""
        if MAIN in self._clubs and await self.load(name) is None and self._node is not None:
            self._node.release(name)

    def suspend(self) -> None:
        """Tell nothing of any club for now."""
        for each in self:
            if each.gate is not None:
                each.gate.close()

    def go_on(self) -> None:
        """Go on with all clubs."""
        for each in list(self):
            each.go_on()

    def discard(self, name: str) -> None:
        """Forget a club, which another node leads."""
        club = self._clubs.get(name)
        if club is None:
            return
        club.discard()
        if name == MAIN:
            for each in self:
                each.discard()
            self.lose()
        else:
            self._remove(club)

    def lose(self) -> None:
        """This process has nothing to do any more."""
        self.lost.set()

    async def hand_over(self, name: str, _to: str) -> str | None:
        """Stop a club, and return when all of it is on disk."""
        club = self._clubs.get(name)
        if club is not None:
            club.arena.stop()
            with suppress(StoreError):  # another leads it: there is nothing more to write
                await club.log.wait(club.log.last)
            self.discard(name)
        return None

    def leader_changed(self, _club: str) -> None:
        """Do nothing: who has no links to other nodes follows no leader."""

    async def read_ahead(self, _name: str) -> None:
        """Do nothing: no other node hands clubs over to this one."""

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
        for each in self:
            each.stop()

    def close(self) -> None:
        """Close all connections of bots and all streams."""
        for each in self:
            each.close()

    def let_go(self) -> None:
        """Read no more."""
        self._reading.shutdown(cancel_futures=True)
        if self._reader is not None:
            self._reader.close()
