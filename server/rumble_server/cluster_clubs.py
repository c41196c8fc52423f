"""The clubs of a node of several: every one has a way in here, and those that this node leads are loaded.

Who leads a club is read from the database. A club that nobody leads is led by the node that is asked first.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from starlette.types import Message, Receive, Scope, Send

from rumble_server.club import Leading, Shared, make_gateway
from rumble_server.clubs import Clubs
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.feeds import Feeds
from rumble_server.cluster.forwarding import NO_LEADER, LostAnswer
from rumble_server.cluster.gate import Gate, GatedLeader
from rumble_server.cluster.handing_over import HandingOver
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.links import Links
from rumble_server.cluster.node import Node
from rumble_server.cluster.uses import UsesElsewhere
from rumble_server.followed_clubs import READ_S, FollowedClubs
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.store.ahead import Ahead
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.web.errors import WebError
from rumble_server.web.needs import NOTHING, Needs
from rumble_server.web.site import ClubUse, Site

if TYPE_CHECKING:
    from rumble_server.store.postgres.store import PostgresStore

log = logging.getLogger(__name__)

READY_S = 30.0
"""How long a start waits, in s, until a node leads main."""
LOOK_S, SOON_S = 1.0, 0.1
"""How often, in s, it is looked who leads; and while somebody has no leader."""
SEEK_S = 0.02
"""How often, in s, it is looked whether the leader that visitors wait for is there."""
LOST_S = 1.0
"""How soon, in s, the link has to be lost for a page to be asked for again: nobody waits twice for a silent leader."""
STORED_S = 2.0
"""How long, in s, the database may take to tell what is used in clubs that nobody leads."""
AHEAD_S = 10.0
"""How long, in s, this node keeps what it has read ahead of a club."""


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
        self._lacking = asyncio.Event()
        """Set when a club has lost its leader: it is looked at once who leads it."""
        self._ahead: dict[str, Ahead] = {}
        """What was read of clubs that this node is to lead."""
        self._handing_over = HandingOver(links.ask)
        self._follow_main_at_s = 0.0
        """When it is read next, by the monotonic clock, what main says of the clubs."""
        self._is_ready = asyncio.Event()
        """Set when somebody leads main."""
        self._seeking: dict[str, asyncio.Task[None]] = {}
        """What waits until somebody leads a club."""
        self._elsewhere = UsesElsewhere(links, self._addresses_of_others)
        self._feeds = Feeds(self._ask, shared.clock)
        self._followed = FollowedClubs(shared, self._feeds, self._clubs, self._reading, self._outside, self._heard)

    async def start(self) -> bool:
        """Find out who leads what, and lead what nobody does. Raises StoreError."""
        store = self._shared.store
        store.attach(asyncio.get_running_loop())
        self._door(MAIN)
        for name in {MAIN, *store.clubs_in_play()}:
            self._at.want(name)
        self._following = asyncio.create_task(self._follow_leaders())
        self._look_later()
        await cast("PostgresStore", store).start_writer()
        with suppress(TimeoutError):  # then its bots and visitors wait
            await asyncio.wait_for(self._is_ready.wait(), READY_S)
        return False

    # --- the way in ---

    def _door(self, name: str) -> Door:
        """Return the way into a club that there is."""
        door = self._doors.get(name)
        if door is None:
            shared, sessions = self._shared, Sessions(name)
            edge = Edge(name, sessions, shared.clock, shared.config.bounds, on_leaderless=self._lacking.set)
            door = self._doors[name] = Door(edge, make_gateway(edge, edge, sessions, shared, name))
            self._lacking.set()
        return door

    def loaded(self, name: str) -> Door | None:  # type: ignore[override]  # a way in is all that the entrance needs
        return self._doors.get(name)

    async def load(self, name: str) -> Door | None:  # type: ignore[override]
        self._idle.use(name)
        return self._door(name) if name in self._doors or await self._is_there(name) else None

    async def _is_there(self, name: str) -> bool:
        if self.directory.get(name) is None:
            try:
                async with asyncio.timeout(READ_S):
                    await self._follow_main()
            except TimeoutError:
                raise StoreError(f"the database has not answered for {READ_S:g} s") from None
        return self.directory.get(name) is not None

    async def _follow_main(self) -> None:
        """Take up what the node that leads main has recorded about clubs and bans since the last look.

        Raises StoreError.
        """
        if MAIN in self._clubs:
            return
        self._heard(MAIN, await (await self._followed.of(MAIN)).catch_up())

    def _heard(self, name: str, news: list[Numbered]) -> None:
        """Take up what is news about a club that is not led here: in main it is about all clubs."""
        if name == MAIN and MAIN not in self._clubs:
            self._follow(news, Counter([type(fact) for _, fact in news]))

    def _forget(self, name: str) -> None:
        """Let go of a club that was removed, and of its bots and visitors here."""
        door = self._doors.pop(name, None)
        self._follow_no_more(name)
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
        self._follow_no_more(name)

    def _follow_no_more(self, name: str) -> None:
        self._followed.forget(name)
        self._feeds.forget(name)

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
            is_lacking = any(door.edge.is_leaderless for name, door in self._doors.items() if self._is_used(name))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lacking.wait(), SOON_S if is_lacking else LOOK_S)
            self._lacking.clear()

    async def _look(self) -> None:
        followed = [name for name in self._doors if name not in self._clubs]
        leaders = await self._at.leaders(followed)
        for name in followed:
            leader, door = leaders.get(name), self._doors.get(name)
            if door is None or name in self._clubs or (leader is not None and leader.node == self._at.id):
                continue
            edge = door.edge
            known = edge.epoch
            self._links.follow(edge, None if leader is None else leader.address, 0 if leader is None else leader.epoch)
            if edge.epoch != known:
                self._feeds.renew(name)
            if leader is None and self._is_used(name):
                self._at.want(name)
            elif name == MAIN:
                self._is_ready.set()
        self._links.forget_unreachable({node.id for node in self._at.lease.nodes})
        if time.monotonic() >= self._follow_main_at_s:
            self._follow_main_at_s = time.monotonic() + LOOK_S
            await self._follow_main()

    def _is_used(self, name: str) -> bool:
        """Whether a club needs a leader for this node: a bot may come to a door that was seen empty."""
        return self._idle.is_used(name) or self._doors[name].gateway.has_sessions

    def leader_changed(self, name: str) -> None:
        if name in self._doors and name not in self._clubs:
            self._lacking.set()

    async def lead(self, name: str, epoch: int) -> None:
        """Load a club, and lead it. Raises StoreError."""
        ahead = self._ahead.pop(name, None)
        if name != MAIN and ahead is None:
            await self._follow_main()
        stored = await self._read(name, epoch, ahead)
        if self._at.lease.clubs.get(name) != epoch:
            return
        if name != MAIN and self.directory.get(name) is None:  # it was removed, perhaps while it was read
            self._shared.store.close_log(name)
            self._at.release(name)
            return
        door = self._door(name)
        shared = self._shared
        gate, relay = Gate(shared.clock, self._at.holds), partial(self._feeds.open, name)
        lead = Lead(name, epoch, door.edge.guests, shared.config.bounds.link_bytes, gate.enter)
        club = self._add(name, stored, Leading(lead, door.gateway, gate, relay))
        lead.attach(club.arena)
        leader = GatedLeader(club.arena, gate, club.log)
        club.log.on_durable.append(lambda _: gate.enter(lead.on_durable))
        club.log.on_durable.append(lambda _: gate.enter(leader.on_durable))
        self._links.forget(door.edge)
        door.edge.lead_here(leader, epoch, self._at.id)
        self._links.lead(lead)
        self._feeds.renew(name)
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

    async def read_ahead(self, name: str) -> None:
        if name not in self._clubs and await self._has(name):
            ahead, store = Ahead(), self._shared.store

            def read() -> None:  # on a thread and a connection of its own: it may take long, and holds no club up
                with closing(store.reader(name)) as reader:
                    ahead.read(reader)

            try:
                await asyncio.to_thread(read)
            except StoreError as error:
                raise WebError.unavailable(str(error)) from None
            self._ahead[name] = ahead

            def forget() -> None:
                if self._ahead.get(name) is ahead:
                    del self._ahead[name]

            asyncio.get_running_loop().call_later(AHEAD_S, forget)

    async def hand_over(self, name: str, to: str) -> str | None:
        door, takers = self._doors.get(name), self._at.lease.takers(name, to)
        edge = None if door is None else door.edge
        return await self._handing_over.hand_over(name, takers, edge, partial(super().hand_over, name, to))

    # --- for the web ---

    async def site(self, name: str, needs: Needs) -> Site | None:
        """Find the site of a club: its leader's, or else one that is enough; None if there is no such club.

        Raises WebError.
        """
        club = self._clubs.get(name)
        if club is not None and (not club.is_suspended or needs == NOTHING):
            return club.site
        followed = await self._followed.good_for(name, needs) if await self._has(name) else None
        if followed is not None:
            return followed.site
        if name not in self._doors:
            return None
        raise WebError.unavailable(NO_LEADER)

    async def _has(self, name: str) -> bool:
        """Whether there is a club of this name. Raises WebError."""
        try:
            return await self.load(name) is not None
        except StoreError:
            raise WebError.unavailable("the database cannot be read at the moment") from None

    async def passing(self, name: str, needs: Needs, scope: Scope, receive: Receive, send: Send) -> bool:
        """Have another node answer a request about a club, if only its leader can. Return whether it was asked.

        What changes nothing is asked once more if the link is lost soon, before the answer. Raises WebError.
        """
        until_s = time.monotonic() + LOST_S
        try:
            return await self._pass(name, needs, scope, receive, send)
        except LostAnswer:
            if scope["method"] not in ("GET", "HEAD") or time.monotonic() > until_s:
                raise
            return await self._pass(name, needs, scope, _without_body(receive), send)

    async def _pass(self, name: str, needs: Needs, scope: Scope, receive: Receive, send: Send) -> bool:
        if name in self._clubs or needs == NOTHING or not await self._has(name):
            return False
        if await self._followed.good_for(name, needs) is not None:
            return False
        edge = self._door(name).edge
        if edge.is_leaderless:
            await asyncio.shield(self._seek(name, edge))
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
        self._lacking.set()
        clock = self._shared.clock
        until_ms = clock.now_ms() + self._shared.config.bounds.leaderless_login_ms
        while edge.is_leaderless and clock.now_ms() < until_ms:  # noqa: ASYNC110  # one for all who wait
            await asyncio.sleep(SEEK_S)

    async def _ask(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the leader of a club answer this node. Raises WebError; ConnectionError if it is lost in its answer."""
        app = self._links.serving.app
        if name in self._clubs and app is not None:
            await app(scope, receive, send)
        else:
            await self._links.forward(name, scope, receive, send)

    async def uses(self, *, stored: bool) -> dict[str, ClubUse]:
        """Return what goes on in the clubs that any node leads; if `stored` also in those that none does."""
        uses = await self._elsewhere.told() | await super().uses(stored=False)
        if stored:
            others = [each.name for each in self.directory if each.name not in uses]
            try:
                async with asyncio.timeout(STORED_S):
                    led = await self._at.leaders(others)
                    uses |= await self._stored([name for name in others if name not in led])
            except (StoreError, TimeoutError) as error:
                log.warning("what clubs use that nobody leads is not known: %s", str(error) or "no answer")
        return uses

    def _addresses_of_others(self) -> list[str]:
        return [node.address for node in self._at.lease.nodes if node.id != self._at.id]

    def count_streams(self) -> int:
        of_ended = self._followed.count_readers() + sum(each.feed.readers_of_ended for each in self)
        return of_ended + self._feeds.spectators

    # --- life ---

    def count_sessions(self) -> tuple[int, int]:
        counts = [door.gateway.count_sessions() for door in self._doors.values()]
        return sum(bots for bots, _ in counts), sum(strangers for _, strangers in counts)

    def close(self) -> None:
        """Close all connections of bots and all streams, and end the links."""
        if self._following is not None:
            self._following.cancel()
        self._elsewhere.close()
        for door in self._doors.values():
            door.gateway.close_all(CloseCode.DRAINING)
        for each in self:
            each.feed.close()
        self._followed.close()
        self._feeds.close()
        self._links.close()


def _without_body(receive: Receive) -> Receive:
    """Return what receives an empty body, whatever is left of one, and then the end of the connection."""
    is_given = False

    async def receive_again() -> Message:
        nonlocal is_given
        if not is_given:
            is_given = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while (message := await receive())["type"] == "http.request":
            pass
        return message

    return receive_again
