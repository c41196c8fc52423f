"""Several nodes around the real server core: leases by the real machine, a club that one of them leads at a time.

Bots reach whoever leads, as if edges were nothing. A node that discards the club ends its connections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from rumble_server.cluster.lease import Lease
from rumble_server.store.lease_statements import Statement

from tests.server.cluster.table import Table
from tests.simulation.disk import DiskLog
from tests.simulation.host import EACH_MS
from tests.simulation.postgres import CLUB, ClubLog, Postgres, Weather
from tests.simulation.scenario import scenario
from tests.simulation.server import ServerRun
from tests.simulation.timeline import RunClock
from tests.simulation.trace import Entry
from tests.simulation.world import Evidence, World

LEASE_MS = 1000
LOAD_MS = 200
"""How long it takes at most until a club that was acquired is loaded."""


@dataclass(frozen=True, slots=True)
class Troubles:
    """How many nodes there are, what happens to them, and after how long on average."""

    nodes: int
    database: Weather
    kill_each_ms: int | None
    freeze_each_ms: int | None
    cut_each_ms: int | None
    """A node does not reach the database."""
    down_each_ms: int | None
    """No node does."""
    move_each_ms: int | None
    """The club is handed over, or its node drained."""
    longest_ms: int
    """How long a freeze or a cut lasts at most."""


def troubles(seed: int) -> Troubles:
    """What happens to the nodes of a seed."""
    random = Random(f"cluster {seed}")

    def sometimes() -> int | None:
        return random.choice((None, None, 3000, 8000))

    return Troubles(
        nodes=random.choice((1, 2, 2, 3, 3, 4)),
        database=Weather(
            delay_ms=random.choice((0, 2, 20, 200)),
            lost=random.choice((0.0, 0.0, 0.01, 0.1)),
            late=random.choice((0.0, 0.0, 0.01, 0.1)),
        ),
        kill_each_ms=sometimes(),
        freeze_each_ms=sometimes(),
        cut_each_ms=sometimes(),
        down_each_ms=random.choice((None, None, None, 5000)),
        move_each_ms=sometimes(),
        longest_ms=random.choice((500, 3000, 8000)),
    )


class LedRun(ServerRun):
    """The time for which one node leads the club. Its number is the epoch."""

    def __init__(self, node: Node, epoch: int) -> None:
        self.node = node
        world = node.world
        super().__init__(
            epoch,
            world.timeline,
            world.disk,
            world._random(f"server {epoch}"),
            world.trace,
            grace_ms=world.scenario.grace_ms,
            bounds=world.scenario.bounds,
            holds=node.holds,
        )

    def _open_log(self) -> DiskLog:
        node = self.node
        return ClubLog(node.world.postgres, self.clock, self.number, lambda: node.lease.fenced(CLUB), node.is_cut)

    def go_on(self) -> None:
        """The lease is valid again."""
        closed_at_ms = self.gate.closed_at_ms
        if closed_at_ms is not None:
            now_ms = self.clock.now_ms()
            self._trace.append(Entry(closed_at_ms, "suspended", self.number, str(now_ms), self.disk.written))
            self.gate.go_on(self.arena)

    def stall(self, ms: int) -> None:
        """The process gets no time for so long. While it is suspended, that is no other time."""
        if self.gate.is_open:
            super().stall(ms)
        else:
            self.clock.stall(ms)

    def discard(self) -> None:
        """Another leads the club."""
        self.gate.discard()
        if self.is_up:
            self._end("kill")

    def hand_over(self, stopped: Callable[[], None]) -> None:
        """Stop as a server does in good order, and tell when all is on disk."""
        if not self.is_up:
            return
        if self.log.durable < self.log.last:
            self.log.hurry()
            self.clock.call_at(self.clock.now_ms() + 5, lambda: self.hand_over(stopped))
            return
        self.arena.stop()
        self.gate.discard()
        self._end("stop")
        stopped()


class Node:
    """A process: a lease, and the club if it leads it. Its clock runs as it likes."""

    def __init__(self, world: ClusterWorld, name: str) -> None:
        self.world, self.name = world, name
        self.process = RunClock(world.timeline)
        self.run_of_club: LedRun | None = None
        self.cut_until_ms = 0
        self._rate = world._fate.choice((0.97, 1.0, 1.03))
        self._loading = 0
        world.table.join(name)
        self.lease = Lease(name, LEASE_MS, self, self.now_ms())
        self.act(partial(self.lease.wake, self.now_ms()))

    def now_ms(self) -> int:
        return int(self.world.timeline.now_ms() * self._rate)

    def holds(self) -> bool:
        return self.lease.holds(self.now_ms())

    def is_cut(self) -> bool:
        return self.world.timeline.now_ms() < self.cut_until_ms

    @property
    def is_up(self) -> bool:
        return not self.process.stopped

    def act(self, call: Callable[[], None]) -> None:
        """Do something when the process gets to it, and see when the lease is to be woken."""

        def done() -> None:
            call()
            wait_ms = max(1, int((self.lease.wake_at_ms - self.now_ms()) / self._rate) + 1)
            self.process.call_at(self.process.now_ms() + wait_ms, wake)

        def wake() -> None:
            if self.lease.wake_at_ms <= self.now_ms():
                self.act(lambda: self.lease.wake(self.now_ms()))

        self.process.enter(done)

    # --- Driver ---

    def run(self, statement: Statement) -> None:
        self.world.postgres.ask(
            lambda: self.world.table.run(self.name, statement),
            lambda answer: self.act(lambda: self.lease.answered(answer, self.now_ms())),
            lambda: self.act(lambda: self.lease.failed(self.now_ms())),
            self.is_cut,
        )

    def lead(self, club: str, epoch: int) -> None:
        self._loading = epoch
        ready_ms = self.process.now_ms() + self.world._fate.randint(0, LOAD_MS)
        self.process.call_at(ready_ms, lambda: self._load(epoch))

    def _load(self, epoch: int) -> None:
        if self._loading != epoch:
            return
        if not self.holds():  # it may have been led by another meanwhile: the next look tells
            self.process.call_at(self.process.now_ms() + 10, lambda: self._load(epoch))
            return
        self._loading = 0
        self.run_of_club = LedRun(self, epoch)

    def discard(self, club: str) -> None:
        self._loading = 0
        if self.run_of_club is not None:
            self.run_of_club.discard()
            self.run_of_club = None

    def hand_over(self, club: str) -> None:
        def stopped() -> None:
            self.run_of_club = None
            self.act(lambda: self.lease.stopped(CLUB, self.now_ms()))

        self._loading = 0
        if self.run_of_club is None:
            stopped()
        else:
            self.run_of_club.hand_over(stopped)

    def suspend(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.gate.close()

    def go_on(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.go_on()

    def expelled(self) -> None:
        self.die()

    # --- fate ---

    def cut(self, ms: int) -> None:
        self.cut_until_ms = max(self.cut_until_ms, self.world.timeline.now_ms() + ms)

    def die(self) -> None:
        if not self.is_up:
            return
        self.process.stopped = True
        if self.run_of_club is not None:
            self.run_of_club.kill()

    def stall(self, ms: int) -> None:
        if self.process.is_stalled:
            return
        self.process.stall(ms)
        if self.run_of_club is not None:
            self.run_of_club.stall(ms)


class ClusterWorld(World):
    """A scenario on several nodes. What happens to one server in it does not happen."""

    def __init__(self, seed: int) -> None:
        alone = scenario(seed)
        super().__init__(replace(alone, disk=alone.disk.calm(), bounds=alone.bounds))
        self.troubles = given = troubles(seed)
        self.table = Table(self.timeline.now_ms, LEASE_MS)
        self.postgres = Postgres(self.timeline, self.table, self.disk, given.database, self._random("database"))
        self.nodes: list[Node] = []
        self._made = 0

    @property
    def leaders(self) -> list[LedRun]:
        """Those that may tell something at this moment."""
        runs = [node.run_of_club for node in self.nodes if node.is_up and node.holds()]
        return [run for run in runs if run is not None and run.is_up]

    def _start(self) -> None:
        while len(self.nodes) < self.troubles.nodes:
            self._made += 1
            self.nodes.append(Node(self, f"n{self._made}"))

    def _look(self) -> None:
        """The host looks at its tournaments by who leads; whoever runs the nodes starts those that are gone."""
        leaders = self.leaders
        assert len(leaders) <= 1, "two lead"
        self.run = leaders[0] if leaders else None
        if self.run is not None:
            self.run.enter(partial(self.host.look, self.run))
        elif self.nodes:
            node = self._fate.choice(self.nodes)
            node.act(lambda: node.lease.want(CLUB, node.now_ms()))
        self.nodes = [node for node in self.nodes if node.is_up]
        if len(self.nodes) < self.troubles.nodes and (self._calm or self._fate.random() < 0.2):
            self._start()
        self._after(EACH_MS, self._look)

    def _strikes(self) -> tuple[tuple[int | None, Callable[[], None]], ...]:
        given = self.troubles
        return (
            (given.kill_each_ms, lambda: self._strike(Node.die)),
            (given.freeze_each_ms, lambda: self._strike(lambda node: node.stall(self._some_ms()))),
            (given.cut_each_ms, lambda: self._strike(lambda node: node.cut(self._some_ms()))),
            (given.down_each_ms, self._end_database),
            (given.move_each_ms, lambda: self._strike(self._move)),
        )

    def _some_ms(self) -> int:
        return self._fate.randint(1, self.troubles.longest_ms)

    def _strike(self, trouble: Callable[[Node], None]) -> None:
        """Something happens to a node, more often than not to the one that leads."""
        there = [node for node in self.nodes if node.is_up]
        leading = [node for node in there if node.run_of_club is not None]
        if there:
            trouble(self._fate.choice(leading if leading and self._fate.random() < 0.7 else there))

    def _end_database(self) -> None:
        self.postgres.is_down = True
        self._after(self._some_ms(), self._begin_database)

    def _begin_database(self) -> None:
        self.postgres.is_down = False

    def _move(self, node: Node) -> None:
        if self._fate.random() < 0.3 and len(self.nodes) > 1:
            node.act(lambda: node.lease.drain(node.now_ms()))
            self._after(3000, node.die)
        else:
            to = self._fate.choice(self.nodes).name
            node.act(lambda: node.lease.move(CLUB, to))

    def _calm_down(self) -> None:
        super()._calm_down()
        self.postgres.weather = Weather()
        self.postgres.is_down = False


def simulate_cluster(seed: int) -> Evidence:
    """Run the scenario of a seed on several nodes, to its end."""
    return ClusterWorld(seed).play()
