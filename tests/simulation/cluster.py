"""Several nodes around the real server core: leases by the real machine, a club that one of them leads at a time.

Bots connect to the node that leads, as a proxy has them do; while none does they are refused and come again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from rumble_protocol.codes import CloseCode
from rumble_server.gateway.ports import Leader
from rumble_server.nodes.gate import GatedLeader
from rumble_server.nodes.lease import Lease
from rumble_server.store.lease_statements import Statement

from tests.server.nodes.table import Table
from tests.simulation.disk import DiskLog
from tests.simulation.host import EACH_MS
from tests.simulation.network import Place
from tests.simulation.postgres import CLUB, ClubLog, Postgres, Weather
from tests.simulation.scenario import scenario
from tests.simulation.server import ServerRun
from tests.simulation.timeline import RunClock
from tests.simulation.trace import Entry
from tests.simulation.world import Evidence, World

LEASE_MS = 1000
LOAD_MS = 200
"""Longest time in ms until a club is read ahead, or loaded."""
NOTIFIED_MS = 20
"""Longest time in ms until a node hears of a change in the database."""


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
    """Longest time of a freeze or a cut."""


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
        return ClubLog(
            node.world.postgres,
            self.clock,
            self.number,
            lambda: node.act(lambda: node.lease.fenced(CLUB)),
            node.is_cut,
        )

    def _leader(self) -> Leader:
        return GatedLeader(self.arena, self.gate)

    def go_on(self) -> None:
        """The lease is valid again."""
        closed_at_ms = self.gate.closed_at_ms
        if closed_at_ms is not None:
            now_ms = self.clock.now_ms()
            self._trace.append(Entry(closed_at_ms, "suspended", self.number, str(now_ms), self.disk.written))
            if self.gate.is_abandoned:
                self._see("grace", str(now_ms + self.node.world.scenario.grace_ms))
            self.gate.go_on(self.arena)

    def stall(self, ms: int) -> None:
        """The process gets no time for so long. While it is suspended, that is no other time."""
        if self.gate.is_open:
            super().stall(ms)
        else:
            self.clock.stall(ms)

    def abandon(self) -> None:
        """Have the bots find the next leader, if there is one."""
        self.gate.abandon()
        self.gateway.end_all(CloseCode.NO_LEADER)

    def end(self, how: str) -> None:
        """Lead no more; `how` the run ends."""
        self.gate.discard()
        self.abandon()
        self.wires = []
        if self.is_up:
            self._end(how)

    def hand_over(self, stopped: Callable[[], None]) -> None:
        """Stop as a server does in good order, and tell when all is on disk. The bots stay."""
        if not self.is_up:
            return
        if self.log.durable < self.log.last:
            self.log.hurry()
            self.clock.call_at(self.clock.now_ms() + 5, lambda: self.hand_over(stopped))
            return
        self.arena.stop()
        self.gate.discard()
        self._see("stop", "whole")
        stopped()


class Node:
    """A process: a lease, and the club if it leads it. Its clock runs as it likes."""

    def __init__(self, world: ClusterWorld, number: int) -> None:
        self.world, self.number, self.name = world, number, f"n{number}"
        self.process = RunClock(world.timeline)
        self.run_of_club: LedRun | None = None
        self.leaving: LedRun | None = None
        """What was stopped for another node, and whose bots are still here."""
        self.cut_until_ms = 0
        self._rate = world._fate.choice((0.97, 1.0, 1.03))
        self._loading = 0
        self._wakes: set[int] = set()
        """When the lease will be woken."""
        world.table.join(self.name)
        self.lease = Lease(self.name, LEASE_MS, self, self.now_ms())
        self.act(partial(self.lease.wake, self.now_ms()))
        self.want()

    def want(self) -> None:
        """Have the club led, as whoever asks for it does."""
        self.act(lambda: self.lease.want(CLUB, self.now_ms()))

    # --- time ---

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
            at_ms = self.process.now_ms() + wait_ms
            if at_ms not in self._wakes:
                self._wakes.add(at_ms)
                self.process.call_at(at_ms, lambda: wake(at_ms))

        def wake(at_ms: int) -> None:
            self._wakes.discard(at_ms)
            if self.lease.wake_at_ms <= self.now_ms():
                self.act(lambda: self.lease.wake(self.now_ms()))

        self.process.enter(done)

    def notified(self) -> None:
        """The database tells that something has changed."""
        if not self.is_cut() and not self.world.postgres.is_down:
            self.act(lambda: self.lease.look(self.now_ms()))

    # --- Driver ---

    def run(self, statement: Statement) -> None:
        self.world.postgres.ask(
            lambda: self.world.table.run(self.name, statement),
            lambda answer: self.act(lambda: self.lease.answered(answer, self.now_ms())),
            lambda: self.act(lambda: self.lease.failed(self.now_ms())),
            self.is_cut,
        )

    def _later(self, call: Callable[[], None]) -> None:
        """Do something once the club is read."""
        self.process.call_at(self.process.now_ms() + self.world._fate.randint(0, LOAD_MS), call)

    def read_ahead(self, club: str, offer: int) -> None:
        self._later(lambda: self.act(lambda: self.lease.was_read(club, offer, self.now_ms())))

    def lead(self, club: str, epoch: int) -> None:
        self._loading = epoch
        self._later(lambda: self._load(epoch))

    def _load(self, epoch: int) -> None:
        if self._loading != epoch:
            return
        if not self.holds():  # it may have been led by another meanwhile: the next look tells
            self.process.call_at(self.process.now_ms() + 10, lambda: self._load(epoch))
            return
        self._loading = 0
        self.run_of_club = LedRun(self, epoch)
        self.act(lambda: self.lease.listening(CLUB, epoch, self.now_ms()))

    def discard(self, club: str) -> None:
        self._loading = 0
        run, self.run_of_club = self.run_of_club, None
        if run is not None:
            run.end("kill")

    def hand_over(self, club: str) -> None:
        row, run = self.world.table.clubs[club], self.run_of_club
        assert row.node != self.name or row.ready == row.offer, f"{row.to} is not ready, and the club stops"

        def stopped() -> None:
            self.run_of_club, self.leaving = None, run
            self.act(lambda: self.lease.stopped(CLUB, self.now_ms()))

        self._loading = 0
        if run is None:
            stopped()
        else:
            run.hand_over(stopped)

    def handed_over(self, club: str) -> None:
        leaving, self.leaving = self.leaving, None
        if leaving is not None:
            leaving.end("stop")

    def suspend(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.gate.close()

    def abandon(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.abandon()

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
        for run in (self.run_of_club, self.leaving):
            if run is not None:
                run.kill()
        self.process.stopped = True

    def stall(self, ms: int) -> None:
        if self.process.is_stalled:
            return
        self.process.stall(ms)
        for run in (self.run_of_club, self.leaving):
            if run is not None:
                run.stall(ms)

    def is_moved(self) -> None:
        """As `rumble club move` does: the club is to go to another node."""
        row = self.world.table.clubs.get(CLUB)
        if row is not None:
            row.wanted = self.name
            self.world.notify()


class ClusterWorld(World):
    """A scenario on several nodes. What happens to one server in it does not happen."""

    after_ms = 6_000

    def __init__(self, seed: int) -> None:
        alone = scenario(seed)
        super().__init__(replace(alone, disk=alone.disk.calm(), bounds=alone.bounds))
        self.troubles = given = troubles(seed)
        self.table = Table(self.timeline.now_ms, LEASE_MS, on_change=self.notify)
        self.postgres = Postgres(self.timeline, self.table, self.disk, given.database, self._random("database"))
        self.nodes: list[Node] = []
        self._made = 0

    def notify(self) -> None:
        """Have all nodes hear that something has changed in the database."""
        for node in self.nodes:
            self._after(self._fate.randint(0, NOTIFIED_MS), node.notified)

    @property
    def leaders(self) -> list[LedRun]:
        """Those that may tell something at this moment."""
        runs = [node.run_of_club for node in self.nodes if node.is_up and node.holds()]
        return [run for run in runs if run is not None and run.is_up]

    def _place(self) -> Place | None:
        """Where the proxy brings a bot: to the node that leads, as the database has it, once the club is loaded."""
        name = self.table.leader(CLUB)
        for node in self.nodes:
            if node.name == name and node.is_up:
                return node.run_of_club
        for node in self.nodes:
            node.want()  # nobody leads: the question is put to all nodes in turn
        return None

    def _start(self) -> None:
        while len(self.nodes) < self.troubles.nodes:
            self._made += 1
            self.nodes.append(Node(self, self._made))

    def _look(self) -> None:
        """The host looks at its tournaments by who leads; whoever runs the nodes starts those that are gone."""
        leaders = self.leaders
        assert len(leaders) <= 1, "two lead"
        self.run = leaders[0] if leaders else None
        if self.run is not None:
            run = self.run
            run.enter(partial(self.host.look, run))
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
            self._fate.choice(self.nodes).is_moved()

    def _calm_down(self) -> None:
        super()._calm_down()
        self.postgres.weather = Weather()
        self.postgres.is_down = False


def simulate_cluster(seed: int) -> Evidence:
    """Run the scenario of a seed on several nodes, to its end."""
    return ClusterWorld(seed).play()
