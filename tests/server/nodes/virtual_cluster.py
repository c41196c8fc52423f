"""Nodes and their table on virtual time, with late and lost statements."""

from collections.abc import Callable
from random import Random

from rumble_server.nodes.lease import Lease
from rumble_server.store.postgres.lease_statements import Acquire, Statement, StatementResult

from tests.server.nodes.table import Table
from tests.server.virtual_clock import VirtualClock

LEASE_MS = 1000
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
        node.lease = Lease(name, LEASE_MS, node.run, node, node.now_ms())
        node.lease.wake(node.now_ms())
        node.arm()
        return node

    def notify(self) -> None:
        """Have every node look, like a notification of the database."""
        for node in self.nodes.values():
            self.after(node.delay_ms, lambda node=node: node.act(lambda: node.lease.look(node.now_ms())))  # type: ignore[misc]

    def leaders(self, club: str) -> list[str]:
        """Return the nodes that would act for a club now."""
        return [name for name, node in self.nodes.items() if club in node.lease.clubs and node.holds()]

    def run(self, ms: int) -> None:
        """Let time pass, and check at each moment that no club has two leaders."""
        for _ in range(ms // 10):
            self.time.advance(10)
            for club in CLUBS:
                assert len(self.leaders(club)) <= 1

    def after(self, ms: int, call: Callable[[], None]) -> None:
        self.time.call_at(self.time.now_ms() + ms, call)


def answer_ms(delay_ms: int) -> int:
    """Return the time in ms that a node waits for an answer."""
    return 3 * delay_ms + 100


class Node:
    """A process with a separate clock, and the port `Led` unless the process is frozen or dead."""

    lease: Lease

    def __init__(self, cluster: Cluster, name: str, rate: float, skew_ms: int) -> None:
        self.cluster, self.name, self.rate, self.skew_ms = cluster, name, rate, skew_ms
        self.frozen_until_ms = self.cut_until_ms = self.asked = 0
        self.delay_ms = cluster.random.choice((5, cluster.delay_ms))
        self.dead = False
        self.log: list[str] = []
        self.led: dict[str, int] = {}

    def now_ms(self) -> int:
        return int(self.cluster.time.now_ms() * self.rate) + self.skew_ms

    def holds(self) -> bool:
        return not self.dead and self.lease.is_valid(self.now_ms())

    def act(self, call: Callable[[], None]) -> None:
        """Call when the process runs, and set the timer for the lease's next wake."""
        if self.dead:
            return
        wait_ms = self.frozen_until_ms - self.cluster.time.now_ms()
        if wait_ms > 0:
            self.cluster.after(wait_ms, lambda: self.act(call))
            return
        call()
        self.arm()

    def arm(self) -> None:
        wait_ms = max(1, int((self.lease.wake_at_ms - self.now_ms()) / self.rate) + 1)
        at_ms = self.cluster.time.now_ms() + wait_ms
        self.cluster.time.call_at(at_ms, lambda: self._wake_if_due())

    def _wake_if_due(self) -> None:
        if self.lease.wake_at_ms <= self.now_ms():
            self.act(lambda: self.lease.wake(self.now_ms()))

    # --- statements, and Led ---

    def run(self, statement: Statement) -> None:
        self.asked = asked = self.asked + 1
        cluster = self.cluster
        there_ms, back_ms = cluster.random.randint(0, self.delay_ms), cluster.random.randint(0, self.delay_ms)

        def execute() -> None:
            if max(self.cut_until_ms, cluster.down_until_ms) > cluster.time.now_ms() or self._loses():
                return
            answer = cluster.table.run(self.name, statement)
            if not self._loses():
                cluster.after(back_ms, lambda: self.act(lambda: hear(answer)))

        def hear(answer: StatementResult) -> None:
            if self.asked == asked:
                self.asked += 1
                self.lease.on_answer(answer, self.now_ms())

        def give_up() -> None:
            if self.asked == asked:
                self.asked += 1
                self.lease.on_failure(self.now_ms())

        cluster.after(there_ms, execute)
        cluster.after(answer_ms(self.delay_ms), lambda: self.act(give_up))

    def _loses(self) -> bool:
        return self.cluster.random.random() < self.cluster.lost

    def start_leading(self, club: str, epoch: int) -> None:
        assert epoch > self.led.get(club, 0), "a club is led under a new epoch each time"
        self.led[club] = epoch
        self.log.append(f"lead {club}")
        ready_ms = self.cluster.random.randint(0, 200)
        self.cluster.after(ready_ms, lambda: self.act(lambda: self.lease.listening(club, epoch, self.now_ms())))

    def discard(self, club: str) -> None:
        self.log.append(f"discard {club}")

    def read_ahead(self, club: str) -> None:
        ready_ms, read = self.cluster.random.randint(0, 200), self.lease.hand_overs.on_read_ahead
        self.cluster.after(ready_ms, lambda: self.act(lambda: read(club, self.now_ms())))

    def hand_over(self, club: str) -> None:
        self.log.append(f"stop {club}")
        ready_ms = self.cluster.random.randint(0, 200)
        self.cluster.after(ready_ms, lambda: self.act(lambda: self.lease.hand_overs.on_stopped(club, self.now_ms())))

    def close_handed_over(self, club: str) -> None:
        self.log.append(f"close {club}")

    def disconnect_all(self) -> None:
        self.log.append("abandon")

    def suspend(self) -> None:
        self.log.append("suspend")

    def resume(self) -> None:
        self.log.append("go on")

    def end_node(self) -> None:
        self.log.append("expelled")

    # --- what the tests do ---

    def request_leader(self, club: str) -> None:
        self.act(lambda: self.lease.request_leader(club, self.now_ms()))

    def freeze(self, ms: int) -> None:
        self.frozen_until_ms = max(self.frozen_until_ms, self.cluster.time.now_ms() + ms)

    def cut(self, ms: int) -> None:
        self.cut_until_ms = max(self.cut_until_ms, self.cluster.time.now_ms() + ms)

    def take(self) -> list[str]:
        log, self.log = self.log, []
        return log


def three(**weather: float) -> tuple[Cluster, Node, Node, Node]:
    cluster = Cluster(Random(1), **weather)  # type: ignore[arg-type]
    a, b, c = (cluster.node(name) for name in "abc")
    cluster.run(300)
    return cluster, a, b, c


def lead(cluster: Cluster, node: Node, *clubs: str) -> None:
    """Have a node lead clubs, whatever the clubs' order of nodes."""
    for club in clubs:
        node.act(lambda club=club: node.lease.add(Acquire(club), node.now_ms()))  # type: ignore[misc]
    cluster.run(300)
