"""Nodes and their table on virtual time, with late and lost statements."""

from collections.abc import Callable
from functools import partial
from random import Random

from rumble_server.store.postgres.lease_statements import Acquire

from tests.server.nodes.command_log import CommandLog
from tests.server.nodes.table import Table
from tests.server.nodes.virtual_node import LEASE_MS, VirtualNode, Way, Weather
from tests.server.virtual_clock import VirtualClock

CLUBS = ("main", "one", "two", "three")


class Cluster:
    """Nodes and a table on virtual time. `random` decides which statements and answers are late or lost."""

    def __init__(self, random: Random, *, delay_ms: int = 5, lost: float = 0.0) -> None:
        self.random, self.delay_ms, self.lost = random, delay_ms, lost
        self.time = VirtualClock()
        self.table = Table(self.time.now_ms, LEASE_MS, on_change=self.notify)
        self.nodes: dict[str, Node] = {}
        self.down_until_ms = 0

    def node(self, name: str, *, rate: float = 1.0, skew_ms: int = 0, address: str = "") -> "Node":
        self.table.join(name, address)
        self.nodes[name] = node = Node(self, name, rate, skew_ms)
        return node

    def notify(self) -> None:
        """Have every node look, like a notification of the database."""
        for node in self.nodes.values():
            self.time.call_in(node.way.weather.delay_ms, partial(node.act, node.lease.look))

    def leaders(self, club: str) -> list[str]:
        """Return the nodes that would act for a club now."""
        return [name for name, node in self.nodes.items() if club in node.lease.clubs and node.holds()]

    def run(self, ms: int) -> None:
        """Let time pass, and check at each moment that no club has two leaders."""
        for _ in range(ms // 10):
            self.time.advance(10)
            for club in CLUBS:
                assert len(self.leaders(club)) <= 1


def weather(delay_ms: int, lost: float = 0.0) -> Weather:
    return Weather(delay_ms, lost, patience_ms=3 * delay_ms + 100)


class Node(CommandLog, VirtualNode):
    """A node that logs the commands of its lease."""

    def __init__(self, cluster: Cluster, name: str, rate: float, skew_ms: int) -> None:
        self.cluster = cluster
        self.log: list[str] = []
        self.led: dict[str, int] = {}
        delay_ms = cluster.random.choice((5, cluster.delay_ms))
        way = Way(cluster.time, weather(delay_ms, cluster.lost), cluster.random)
        super().__init__(name, cluster.table, way, rate, skew_ms)

    def is_cut(self) -> bool:
        return super().is_cut() or self.cluster.time.now_ms() < self.cluster.down_until_ms

    def _later(self, call: Callable[[int], object]) -> None:
        """Call `call` when a club is loaded, read or stopped."""
        self.cluster.time.call_in(self.cluster.random.randint(0, 200), lambda: self.act(call))

    def start_leading(self, club: str, epoch: int) -> None:
        assert epoch > self.led.get(club, 0), "a club is led under a new epoch each time"
        self.led[club] = epoch
        self.log.append(f"lead {club}")
        self._later(partial(self.lease.on_listening, club, epoch))

    def read_ahead(self, club: str) -> None:
        self._later(partial(self.lease.hand_overs.on_read_ahead, club))

    def hand_over(self, club: str) -> None:
        self.log.append(f"stop {club}")
        self._later(partial(self.lease.hand_overs.on_stopped, club))

    def take(self) -> list[str]:
        log, self.log = self.log, []
        return log


def three() -> tuple[Cluster, Node, Node, Node]:
    cluster = Cluster(Random(1))
    a, b, c = (cluster.node(name) for name in "abc")
    cluster.run(300)
    return cluster, a, b, c


def lead(cluster: Cluster, node: Node, *clubs: str) -> None:
    """Have a node lead clubs, whatever the clubs' order of nodes."""
    for club in clubs:
        node.act(partial(node.lease.add, Acquire(club)))
    cluster.run(300)


def led(*clubs: str) -> tuple[Cluster, Node, Node, Node]:
    """Return a cluster of three nodes whose first leads these clubs, with nothing in that node's log."""
    cluster, a, b, c = three()
    lead(cluster, a, *clubs)
    a.take()
    return cluster, a, b, c


def alone() -> tuple[Cluster, Node]:
    """Return a cluster of a single node, which leads the club one, with nothing in the node's log."""
    cluster = Cluster(Random(1))
    a = cluster.node("a")
    cluster.run(300)
    lead(cluster, a, "one")
    a.take()
    return cluster, a
