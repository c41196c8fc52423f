"""Several nodes in this process: real clubs and leases, with the tables of leases in memory and the log in a file."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from rumble_protocol.clubs import MAIN
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.clubs.club import Club, SharedByClubs
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.config import ServerConfig
from rumble_server.gateway.gate import Gate
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.nodes.node import Node
from rumble_server.nodes.node_clubs import NodeClubs
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.postgres.lease_statements import Acquire, Statement, StatementResult
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.gateway.served import until
from tests.server.lease import HeldWhile
from tests.server.nodes.table import Row, Table
from tests.server.store.databases import sqlite_writer
from tests.server.world import Bot, MemoryLink

LEASE_MS = 60_000
"""Time in ms longer than any test, so that a busy machine ends no lease."""


class Store(SqliteStore):
    """The database of all nodes, in which a leader opens a club's log under the leader's epoch."""

    def open_led_log(self, club: str, epoch: int) -> ClubLog:
        log = self.open_log(club)
        log.epoch = epoch
        return log

    def run_number_of(self, club: str = MAIN) -> int:
        return self.log(club).epoch

    async def start_writer(self) -> None:
        pass


class MemoryLeases:
    """The fake of `store/postgres/leases.py` for all nodes. A statement takes some iterations of the loop."""

    def __init__(self) -> None:
        self.table = Table(lambda: 1000 * time.monotonic(), LEASE_MS, on_change=self.look)
        self.uses: dict[str, Any] = {}
        self.looks: list[Callable[[], None]] = []

    async def join(self, node: str, _address: str, _setup: str) -> None:
        self.table.join(node)

    async def run(self, node: str, statement: Statement) -> StatementResult:
        for _ in range(20):  # long enough to show a node that looks too early
            await asyncio.sleep(0)
        if isinstance(statement, Acquire):
            self.table.clubs.setdefault(statement.club, Row(epoch=int(1000 * time.time())))
        return self.table.run(node, statement)

    def look(self) -> None:
        """Have every node look."""
        for look in self.looks:
            asyncio.get_running_loop().call_soon(look)

    def move(self, club: str, to: str) -> None:
        """Ask for the move of a club, like `rumble club move`."""
        self.table.clubs[club].wanted = to
        self.look()

    async def write_uses(self, node: str, uses: Any) -> None:
        self.uses[node] = uses

    async def read_remote_uses(self, node: str) -> dict[str, Any]:
        return {club: use for other, uses in self.uses.items() if other != node for club, use in uses.items()}

    async def report_changes(self, look: Callable[[], None]) -> None:
        self.looks.append(look)
        await asyncio.Event().wait()

    async def end_lease(self, node: str) -> None:
        self.table.nodes[node].until_ms = 0

    async def close(self) -> None:
        pass


class MemoryNode:
    """A node with bots on connections in memory."""

    id: str
    clock: LoopClock
    clubs: ClubRegistry
    led: NodeClubs

    def __init__(self, cluster: "MemoryCluster", bounds: Bounds) -> None:
        self.node = Node("postgresql://", LEASE_MS, "", "setup", stands_by=False)
        self.node._leases = self.node.uses_connection = self.node._notifications = cast(Any, cluster.leases)
        self._cluster, self._bounds = cluster, bounds

    async def start(self) -> None:
        await self.node.start()
        self.id, loop, bounds = self.node.id, asyncio.get_running_loop(), self._bounds
        self.clock = LoopClock(loop, time.time)
        shared = SharedByClubs(
            config=ServerConfig(port=0, db="", bounds=bounds),
            store=self._cluster.store,
            identity="1d",
            secret="secret",
            clock=self.clock,
            run_pairing=lambda *_: None,
            house_runner=None,
            admission=Admission(bounds),
            close_banned=lambda: None,
            ended=EndedCount(),
            make_gate=lambda: Gate(self.clock, HeldWhile(self.node.has_valid_lease), lambda: 0.0),
        )
        self.clubs = ClubRegistry(shared, self._led_main)
        self.led = NodeClubs(self.clubs, self.node)
        self._cluster.nodes.append(self)
        await self.clubs.start(self.led)

    def _led_main(self, _lost_tokens: bool) -> None:
        pass

    async def stop(self) -> None:
        self.clubs.stop()
        self.clubs.close()
        await self.node.stop()
        self.clock.stop()
        self.clubs.reading.close()

    def leads(self) -> list[str]:
        """Return the names of the clubs that are led and loaded here."""
        return sorted(club.name for club in self.clubs if club.name in self.node.leads)

    def bot(self, club: str, name: str = "", **login: Any) -> Bot:
        """Return a bot connected to this node, the club's leader. With a `name` the bot has sent a login."""
        led = self.clubs.get_loaded(club)
        assert led is not None
        disk = SimpleNamespace(check=lambda *_: None)
        world = SimpleNamespace(gateway=led.gateway, clock=self.clock, disk=disk, end_iteration=lambda: None)
        bot = Bot(cast(Any, world), MemoryLink())
        if name:
            bot.login(name, **login)
        return bot


class MemoryCluster:
    """Nodes on the same database and tables."""

    def __init__(self, store: Store) -> None:
        self.store, self.leases = store, MemoryLeases()
        self.nodes: list[MemoryNode] = []

    @property
    def main(self) -> Club:
        (main,) = [node.clubs.main for node in self.nodes if MAIN in node.leads()]
        return main

    async def create(self, name: str) -> None:
        """Create a club at the leader of main, and have every node learn of the club."""
        main = self.main
        Administrator(main.arena).create(name, "", NO_QUOTAS)
        await main.log.wait(main.log.last)
        for node in self.nodes:
            await node.led._main.read()

    async def remove(self, name: str) -> None:
        main = self.main
        Administrator(main.arena).remove(name)
        await main.log.wait(main.log.last)

    def leader(self, club: str) -> MemoryNode:
        (leader,) = [node for node in self.nodes if club in node.leads()]
        return leader

    async def led(self, name: str, by: MemoryNode | None = None) -> Club:
        """Create a club, and have it led: by the first node in the club's order, or by `by`."""
        await self.create(name)
        for node in self.nodes:
            node.clubs.must_redirect(name)
        await until(lambda: any(name in node.leads() for node in self.nodes))
        if by is not None and by is not self.leader(name):
            self.leases.move(name, by.id)
            await until(lambda: name in by.leads())
        club = self.leader(name).clubs.get_loaded(name)
        assert club is not None
        return club


@asynccontextmanager
async def memory_nodes(folder: Path, count: int, **bounds: Any) -> AsyncIterator[MemoryCluster]:
    """Run nodes, and yield them when every node knows all nodes."""
    store = Store(str(folder / "rumble.db"))
    store.group.writer = sqlite_writer(store.database)  # type: ignore[assignment]
    cluster = MemoryCluster(store)
    try:
        for _ in range(count):
            await MemoryNode(cluster, Bounds(**bounds)).start()
        cluster.leases.look()
        await until(lambda: all(len(node.node.lease.rows.nodes) == count for node in cluster.nodes))
        yield cluster
    finally:
        for node in cluster.nodes:
            await node.stop()
        await store.close()
