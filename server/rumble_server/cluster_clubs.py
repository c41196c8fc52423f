"""The clubs of a node of several: every one has a way in here, and those that this node leads are loaded.

Who leads a club is read from the database. A club that nobody leads is led by the node that is asked first.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from starlette.types import Receive, Scope, Send

from rumble_server.arena.recorder import apply_ban
from rumble_server.club import Leading, Shared, make_gateway
from rumble_server.clubs import Clubs
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.gate import Gate, GatedLeader
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.links import Links
from rumble_server.cluster.node import Node
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.store.reader import LogReader
from rumble_server.tournament.facts import BanLifted, Banned, ClubFact
from rumble_server.web.errors import WebError
from rumble_server.web.site import Site

log = logging.getLogger(__name__)

READY_S = 30.0
"""How long a start waits, in s, until a node leads main."""
LOOK_S, SOON_S = 1.0, 0.2
"""How often, in s, it is looked who leads; and while somebody has no leader."""
SEEK_S = 0.02
"""How often, in s, it is looked whether the leader that visitors wait for is there."""


@dataclass(frozen=True, slots=True)
class Door:
    """The way into a club on this node, whoever leads it."""

    edge: Edge
    gateway: Gateway


class ClusterClubs(Clubs):
    """The clubs of one node of several. `on_main` is called whenever this node has come to lead main."""

    def __init__(self, shared: Shared, node: Node, links: Links, on_main: Callable[[bool], Awaitable[None]]) -> None:
        super().__init__(shared, node)
        self._at = node
        self._links = links
        self._on_main = on_main
        self._doors: dict[str, Door] = {}
        self._following: asyncio.Task[None] | None = None
        self._is_ready = asyncio.Event()
        """Set when somebody leads main."""
        self._of_main: LogReader | None = None
        """Reads main's log on the thread."""
        self._known_of_main = 0
        """The number of the newest fact about clubs and bans that was taken from there."""
        self._asked = asyncio.Event()
        """Set to have it looked at once who leads."""
        self._seeking: dict[str, asyncio.Task[None]] = {}
        """What waits until somebody leads a club."""

    async def start(self) -> bool:
        """Find out who leads what, and lead what nobody does."""
        store = self._shared.store
        store.attach(asyncio.get_running_loop())
        self._door(MAIN)
        for name in {MAIN, *store.clubs_in_play()}:
            self._at.want(name)
        self._following = asyncio.create_task(self._follow_leaders())
        self._look_later()
        with suppress(TimeoutError):  # then its bots and visitors wait
            await asyncio.wait_for(self._is_ready.wait(), READY_S)
        return False

    # --- the way in ---

    def _door(self, name: str) -> Door:
        """Return the way into a club that there is."""
        door = self._doors.get(name)
        if door is None:
            shared, sessions = self._shared, Sessions(name)
            edge = Edge(name, sessions, shared.clock, shared.config.bounds)
            door = self._doors[name] = Door(edge, make_gateway(edge, edge, sessions, shared, name))
            self._asked.set()
        return door

    def loaded(self, name: str) -> Door | None:  # type: ignore[override]  # a way in is all that the entrance needs
        return self._doors.get(name)

    async def load(self, name: str) -> Door | None:  # type: ignore[override]
        self._idle.use(name)
        return self._door(name) if name in self._doors or await self._is_there(name) else None

    async def _is_there(self, name: str) -> bool:
        if self.directory.get(name) is None:
            await self._follow_main()
        return self.directory.get(name) is not None

    async def _follow_main(self) -> None:
        """Take up what the node that leads main has recorded about clubs and bans since the last look.

        Raises StoreError.
        """
        if MAIN in self._clubs:
            return
        news = await asyncio.get_running_loop().run_in_executor(self._reading, self._read_main, self._known_of_main)
        news = [(number, fact) for number, fact in news if number > self._known_of_main]  # somebody else asked, too
        if MAIN in self._clubs or not news:
            return
        self._known_of_main = news[-1][0]
        for _, fact in news:
            if isinstance(fact, ClubFact):
                self.directory.apply(fact)
            elif isinstance(fact, Banned | BanLifted):
                apply_ban(self._shared.door.bans, fact)
        self._follow(news, Counter([type(fact) for _, fact in news]))

    def _read_main(self, number: int) -> list[Numbered]:
        if self._of_main is None:
            self._of_main = self._shared.store.reader(MAIN)
        return self._of_main.server_facts_after(number)

    def _forget(self, name: str) -> None:
        """Let go of a club that was removed, and of its bots and visitors here."""
        door = self._doors.pop(name, None)
        if name in self._clubs:
            self._links.lead_no_more(name)
            self._remove(self._clubs[name], CloseCode.CLUB_REMOVED)
            self._at.release(name)
        if door is not None:
            door.gateway.end_all(CloseCode.CLUB_REMOVED)
            self._links.forget(door.edge)

    def _need(self, name: str) -> None:
        self._at.want(name)

    # --- idle clubs ---

    def _empty(self) -> list[str]:
        """Return the clubs that need no leader, of those that this node leads, and else those that it need not know."""
        led = self._clubs
        return [
            name
            for name, door in self._doors.items()
            if (led[name].is_empty if name in led else name != MAIN and not door.gateway.has_sessions)
        ]

    def _unload(self, name: str) -> None:
        """Give up a club, which the node leads next that somebody asks for it; or only the way to its leader."""
        if name in self._clubs:
            self.discard(name)
            self._at.release(name)
        self._links.forget(self._doors.pop(name).edge)

    # --- who leads ---

    async def _follow_leaders(self) -> None:
        told = ""
        while True:
            try:
                await self._look()
                told = ""
            except StoreError as error:
                if str(error) != told:
                    log.warning("it is not known who leads: %s", told := str(error))
            is_lacking = any(door.edge.is_leaderless for name, door in self._doors.items() if self._idle.is_used(name))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), SOON_S if is_lacking else LOOK_S)
            self._asked.clear()

    async def _look(self) -> None:
        await self._follow_main()
        followed = [name for name in self._doors if name not in self._clubs]
        leaders = await self._at.leaders(followed)
        for name in followed:
            leader, door = leaders.get(name), self._doors.get(name)
            if door is None or name in self._clubs or (leader is not None and leader.node == self._at.id):
                continue
            edge = door.edge
            self._links.follow(edge, None if leader is None else leader.address, 0 if leader is None else leader.epoch)
            if leader is None and self._idle.is_used(name):
                self._at.want(name)
            elif name == MAIN:
                self._is_ready.set()
        self._links.forget_unreachable({node.id for node in self._at.lease.nodes})

    async def lead(self, name: str, epoch: int) -> None:
        """Load a club, and lead it. Raises StoreError."""
        if name != MAIN:
            await self._follow_main()
            if self.directory.get(name) is None:
                self._at.release(name)
                return
        stored = await self._read(name, epoch)
        if self._at.lease.clubs.get(name) != epoch:
            return
        door = self._door(name)
        shared = self._shared
        gate = Gate(shared.clock, self._at.holds)
        lead = Lead(name, epoch, door.edge.guests, shared.config.bounds.link_bytes, gate.enter)
        club = self._add(name, stored, Leading(lead, door.gateway, gate))
        lead.attach(club.arena)
        club.log.on_durable.insert(0, lambda _: lead.on_durable())
        self._links.forget(door.edge)
        door.edge.lead_here(GatedLeader(club.arena, gate), epoch)
        self._links.lead(lead)
        if name == MAIN:
            club.on_facts.append(self._follow)
            await self._on_main(bool(stored.problems))
            for each in self._with_residents():
                self._need(each)
            self._is_ready.set()

    def discard(self, name: str) -> None:
        """Lead a club no longer; its bots and visitors here go on by its next leader."""
        self._links.lead_no_more(name)
        if name in self._doors:
            self._doors[name].edge.lead_by_nobody()
        club = self._clubs.pop(name, None)
        if club is not None:
            club.discard()
            club.house_bots.close()
            club.feed.close()
            self._shared.store.close_log(name)

    # --- for the web ---

    async def site(self, name: str) -> Site | None:
        """Find the site of a club that this node leads; None if there is no such club. Raises WebError."""
        club = self._clubs.get(name)
        if club is None or club.is_suspended:
            if name not in self._doors and not await self._is_there(name):
                return None
            raise WebError.unavailable("this club cannot be reached at the moment; try again soon")
        return club.site

    async def passing(self, name: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Have another node answer a request about a club, if it leads that. Return whether it was asked."""
        if name in self._clubs or (door := await self.load(name)) is None:
            return False
        if door.edge.is_leaderless:
            await asyncio.shield(self._seek(name, door.edge))
        if name in self._clubs or scope["state"].get("is_passed_on"):
            return False
        await self._links.forward(name, scope, receive, send)
        return True

    def _seek(self, name: str, edge: Edge) -> asyncio.Task[None]:
        """Have a club led that is asked for, once for all who ask meanwhile."""
        seeking = self._seeking.get(name)
        if seeking is None:
            seeking = self._seeking[name] = asyncio.create_task(self._wait_for_leader(edge))
            seeking.add_done_callback(lambda _: self._seeking.pop(name))
        return seeking

    async def _wait_for_leader(self, edge: Edge) -> None:
        """Return once a leader can be reached, or after the time that a login waits for one."""
        self._asked.set()
        clock = self._shared.clock
        until_ms = clock.now_ms() + self._shared.config.bounds.leaderless_login_ms
        while edge.is_leaderless and clock.now_ms() < until_ms:  # noqa: ASYNC110  # one for all who wait
            await asyncio.sleep(SEEK_S)

    # --- life ---

    def let_go(self) -> None:
        """Read no more."""
        if self._of_main is not None:
            self._reading.submit(self._of_main.close)
        self._reading.shutdown()

    def count_sessions(self) -> tuple[int, int]:
        counts = [door.gateway.count_sessions() for door in self._doors.values()]
        return sum(bots for bots, _ in counts), sum(strangers for _, strangers in counts)

    def close(self) -> None:
        """Close all connections of bots and all streams, and end the links."""
        if self._following is not None:
            self._following.cancel()
        for door in self._doors.values():
            door.gateway.close_all(CloseCode.DRAINING)
        for each in self:
            each.feed.close()
        self._links.close()
