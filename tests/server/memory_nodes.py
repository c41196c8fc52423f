"""Several nodes in this process: real clubs and leases, with tables and links in memory, on one database in a file."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from rumble_protocol.clubs import MAIN
from rumble_server.arena.administrator import Administrator
from rumble_server.bounds import Bounds
from rumble_server.club import Club, Shared
from rumble_server.cluster.links import Links
from rumble_server.cluster.node import Node
from rumble_server.cluster_clubs import ClusterClubs
from rumble_server.config import ServerConfig
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.limits.door import Door
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.strangers import Strangers
from rumble_server.quotas import NO_QUOTAS
from rumble_server.store.club_log import ClubLog
from rumble_server.store.ended_count import EndedCount
from rumble_server.store.lease_statements import Acquire, Acquired, Answer, HandedOver, HandOver, Statement
from rumble_server.store.postgres.leases import Leader
from rumble_server.store.sqlite import SqliteStore
from rumble_server.web.club_paths import LED

from tests.server.cluster.table import Row, Table
from tests.server.gateway.served import until
from tests.server.store.disk import WriterInProcess
from tests.server.world import Bot, MemoryLink

LEASE_MS = 60_000
"""Longer than any test: no lease is over because a machine is busy."""


class Store(SqliteStore):
    """The database of all nodes: a club's log is under the epoch of the node that leads it."""

    def lead(self, club: str, epoch: int) -> ClubLog:
        self.close_log(club)
        log = self.log(club)
        log.epoch = epoch
        return log

    def run_of(self, club: str = MAIN) -> int:
        return self.log(club).epoch

    async def start_writer(self) -> None:
        pass


class MemoryLeases:
    """The leases of all nodes, as `store/postgres/leases.py` has them. A statement takes some turns of the loop."""

    def __init__(self) -> None:
        self.table = Table(lambda: 1000 * time.monotonic(), LEASE_MS)
        self._listening: dict[str, tuple[Callable[[], None], Callable[[str], None]]] = {}

    async def join(self, node: str, _address: str, _setup: str) -> None:
        self.table.join(node)

    async def run(self, node: str, statement: Statement) -> Answer:
        for _ in range(20):  # long enough for a node to look for what is not there yet
            await asyncio.sleep(0)
        if isinstance(statement, Acquire):
            self.table.clubs.setdefault(statement.club, Row(epoch=int(1000 * time.time())))
        answer = self.table.run(node, statement)
        match statement, answer:
            case (HandOver(club, _, to), HandedOver(done=True)):
                self._tell(club, to)
            case (Acquire(club), Acquired(int())):
                self._tell(club)
        return answer

    def _tell(self, club: str, to: str | None = None) -> None:
        for node, (look, changed) in self._listening.items():
            changed(club)
            if node == to:
                look()

    def look(self) -> None:
        """Have every node look."""
        for look, _ in self._listening.values():
            look()

    def move(self, club: str, to: str) -> None:
        """As `rumble club move` does."""
        row = self.table.clubs[club]
        row.wanted = to
        self._listening[str(row.node)][0]()

    async def leaders(self, clubs: Collection[str]) -> dict[str, Leader]:
        await asyncio.sleep(0)
        led = {
            club: (self.table.leader(club), self.table.clubs[club].epoch) for club in clubs if club in self.table.clubs
        }
        return {club: Leader(node, f"http://{node}", epoch) for club, (node, epoch) in led.items() if node is not None}

    async def listen(self, node: str, look: Callable[[], None], changed: Callable[[str], None]) -> None:
        self._listening[node] = look, changed
        await asyncio.Event().wait()

    async def leave(self, node: str) -> None:
        self.table.nodes[node].until_ms = 0

    async def close(self) -> None:
        pass


class End:
    """One end of a link."""

    other: "End"

    def __init__(self, hear: Callable[..., None], down: Callable[..., None]) -> None:
        self.node = ""
        self.is_full = False
        self._hear, self._down = hear, down

    def send(self, packet: bytes) -> None:
        asyncio.get_running_loop().call_soon(self.other._hear, self.other, packet)

    def end(self) -> None:
        for each in (self, self.other):
            asyncio.get_running_loop().call_soon(each._down, each)


class Cable:
    """A link that a node dialled; it is up at once, and never breaks."""

    def __init__(self, cluster: "MemoryCluster", here: Links, address: str) -> None:
        there = cluster.by_address[address].links
        own = End(here.heard_as_edge, here.down_as_edge)
        other = End(there.heard_as_leader, there.down_as_leader)
        own.other, other.other, own.node = other, own, address
        there.take(cast(Any, other), here.node)
        self.connection = cast(Any, own)
        asyncio.get_running_loop().call_soon(here.made, address, self.connection)

    def down(self) -> None:
        self.connection = None

    def end(self) -> None:
        if self.connection is not None:
            self.connection.end()


class MemoryNode:
    """One node, whose bots are on connections in memory."""

    id: str
    address: str
    links: Links
    clock: LoopClock
    clubs: ClusterClubs

    def __init__(self, cluster: "MemoryCluster", bounds: Bounds) -> None:
        self.node = Node("postgresql://", LEASE_MS, "", "setup", stands_by=False)
        self.node._leases = self.node._asking = self.node._listening = cast(Any, cluster.leases)
        self._cluster, self._bounds = cluster, bounds

    async def start(self) -> None:
        await self.node.start()
        self.id, loop, refusals, bounds = self.node.id, asyncio.get_running_loop(), Refusals(), self._bounds
        self.address = f"http://{self.id}"
        self._cluster.by_address[self.address] = self
        self.links = Links(self.id, "setup", "secret", 5.0, dial=partial(Cable, self._cluster))
        self.clock = LoopClock(loop, time.time())
        shared = Shared(
            config=ServerConfig(port=0, db="", bounds=bounds),
            store=self._cluster.store,
            identity="1d",
            secret="secret",
            clock=self.clock,
            work=lambda *_: None,
            house=None,
            door=Door(bounds, refusals),
            strangers=Strangers(bounds, refusals),
            process=cast(Any, SimpleNamespace(bounds=bounds)),
            shut_out=lambda: None,
            ended=EndedCount(),
            holds=self.node.holds,
        )
        self.clubs = ClusterClubs(shared, self.node, self.links, self._led_main)
        self.links.serving.app = self._answer
        self.node.serve(self.clubs)
        await self.clubs.start()

    async def _led_main(self, _lost_tokens: bool) -> None:
        pass

    async def _answer(self, scope: Any, _receive: Any, send: Any) -> None:
        await self.clubs.read_ahead(scope["path"].removeprefix(f"{LED}/"))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def stop(self) -> None:
        self.clubs.stop()
        self.clubs.close()
        await self.node.stop()
        self.clock.stop()
        self.clubs.let_go()

    def leads(self) -> list[str]:
        """The clubs that it leads and has loaded."""
        return sorted(club.name for club in self.clubs if club.name in self.node.leads)

    async def bot(self, club: str, name: str = "", **login: Any) -> Bot:
        """A bot on a connection to this node, which has said its login if it has a name."""
        door = self.clubs.loaded(club) or await self.clubs.load(club)
        assert door is not None
        world = SimpleNamespace(gateway=door.gateway, clock=self.clock, disk=SimpleNamespace(check=lambda *_: None))
        bot = Bot(cast(Any, world), MemoryLink())
        if name:
            bot.login(name, **login)
        return bot


class MemoryCluster:
    """Some nodes. The first one leads main."""

    def __init__(self, store: Store) -> None:
        self.store, self.leases = store, MemoryLeases()
        self.by_address: dict[str, MemoryNode] = {}

    @property
    def nodes(self) -> list[MemoryNode]:
        return list(self.by_address.values())

    async def create(self, name: str) -> None:
        """Create a club, by the node that leads main."""
        main = self.main()
        Administrator(main.arena).create(name, "", NO_QUOTAS)
        await main.log.wait(main.log.last)

    async def remove(self, name: str) -> None:
        main = self.main()
        Administrator(main.arena).remove(name)
        await main.log.wait(main.log.last)

    def main(self) -> Club:
        (main,) = [node.clubs.main for node in self.nodes if MAIN in node.leads()]
        return main


def heard(bot: Bot, kind: str) -> bool:
    """Whether a bot was sent a message of this type."""
    return any(frame["type"] == kind for frame in bot.inbox.frames)


@asynccontextmanager
async def memory_nodes(folder: Path, count: int, **bounds: Any) -> AsyncIterator[MemoryCluster]:
    """Run nodes, of which the first leads main."""
    store = Store(str(folder / "rumble.db"))
    store.group.writer = WriterInProcess(store.database)
    cluster = MemoryCluster(store)
    try:
        for _ in range(count):
            await MemoryNode(cluster, Bounds(**bounds)).start()
        first = cluster.nodes[0]
        await until(lambda: MAIN in first.leads() and len(cluster.leases._listening) == count)
        cluster.leases.look()
        await until(lambda: all(len(node.node.lease.nodes) == count for node in cluster.nodes))
        yield cluster
    finally:
        for node in cluster.nodes:
            await node.stop()
        await store.close()
