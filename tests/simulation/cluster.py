"""Several nodes around the real server core: real leases decide which node leads the club.

Bots connect to the leading node, as through a proxy. While no node leads, bots are refused and try again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from rumble_protocol.codes import CloseCode
from rumble_server.arena.ports import Sessions
from rumble_server.gateway.gate import GatedArena
from rumble_server.gateway.ports import SessionEvents
from rumble_server.nodes.hand_over import READY_MS

from tests.server.nodes.table import Table
from tests.server.nodes.virtual_node import LEASE_MS, VirtualNode, Weather
from tests.simulation.disk import DiskLog
from tests.simulation.host import EACH_MS
from tests.simulation.network import Place
from tests.simulation.postgres import CLUB, ClubLog, Postgres
from tests.simulation.scenario import scenario
from tests.simulation.server import ServerRun
from tests.simulation.trace import Entry
from tests.simulation.world import Evidence, World

LOAD_MS = 200
"""Maximum time in ms to read a club ahead, or to load it."""
NOTIFIED_MS = 20
"""Maximum time in ms until a node hears of a change in the database."""


@dataclass(frozen=True, slots=True)
class Troubles:
    """Number of nodes, and their troubles with the average time in ms between two of a kind; None: never."""

    nodes: int
    database: Weather
    kill_each_ms: int | None
    freeze_each_ms: int | None
    cut_each_ms: int | None
    """A node loses the database."""
    down_each_ms: int | None
    """All nodes lose the database."""
    move_each_ms: int | None
    """The club moves to another node, or a node is drained."""
    longest_ms: int
    """Maximum time in ms of a freeze, a cut or a database outage."""
    ahead_ms: int
    """Time in ms by which reading the club ahead takes longer."""


def troubles(seed: int) -> Troubles:
    """Draw the troubles of a seed."""
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
        ahead_ms=random.choice((0, 2 * READY_MS)),
    )


class LedRun(ServerRun):
    """The period in which one node leads the club. Its number is the epoch."""

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
            lambda: node.act(lambda _now_ms: node.lease.on_lead_lost(CLUB, self.number)),
            node.is_cut,
        )

    def _arena_for_sessions(self, sessions: Sessions) -> SessionEvents:
        return GatedArena(self.arena, sessions, self.gate)

    def go_on(self) -> None:
        """Resume after the lease is valid again."""
        closed_at_ms = self.gate.closed_at_ms
        if closed_at_ms is not None:
            now_ms = self.clock.now_ms()
            self._trace.append(Entry(closed_at_ms, "suspended", self.number, str(now_ms), self.disk.written))
            if self.gate.were_bots_disconnected:
                self._see("grace", str(now_ms + self.node.world.scenario.grace_ms))
            self.gate.reopen(self.arena)

    def stall(self, ms: int) -> None:
        """Stop the process for `ms` ms. During a suspension, the suspension already covers the time."""
        if self.gate.close_if_over():
            self.clock.stall(ms)
        else:
            super().stall(ms)

    def abandon(self) -> None:
        """Close all bots' connections, so that the bots look for the next leader."""
        self.gate.were_bots_disconnected = True
        self.gateway.close_all_now(CloseCode.NO_LEADER)

    def end(self, how: str) -> None:
        """End the period of leading; the trace notes `how`."""
        self.gate.discard()
        self.abandon()
        self.wires = []
        if self.is_up:
            self._end(how)

    def hand_over(self, stopped: Callable[[], None]) -> None:
        """Stop in good order, and call `stopped` once all facts are on disk. The bots stay connected."""
        if not self.is_up:
            return
        if self.log.durable < self.log.last:
            self.log.flush_soon()
            self.clock.call_at(self.clock.now_ms() + 5, lambda: self.hand_over(stopped))
            return
        self.arena.stop()
        self.gate.discard()
        self._see("stop", "whole")
        stopped()


class Node(VirtualNode):
    """A process with a lease, and with the club while it leads the club."""

    def __init__(self, world: ClusterWorld, number: int) -> None:
        self.world = world
        self.run_of_club: LedRun | None = None
        self.leaving: LedRun | None = None
        """Stopped run that still holds connections of bots, until another node leads."""
        self._loading = 0
        world.table.join(f"n{number}")
        super().__init__(f"n{number}", world.table, world.postgres, world._fate.choice((0.97, 1.0, 1.03)))
        self.request_leader(CLUB)

    def notified(self) -> None:
        """Look at the database after the news of a change."""
        if not self.is_cut() and not self.world.postgres.is_down:
            self.act(self.lease.look)

    # --- LeaseCommands ---

    def _later(self, call: Callable[[], None], longer_ms: int = 0) -> None:
        """Do something once the club is read, which takes `longer_ms` longer than at other times."""
        self.process.call_at(self.process.now_ms() + longer_ms + self.world._fate.randint(0, LOAD_MS), call)

    def read_ahead(self, club: str) -> None:
        def was_read(now_ms: int) -> None:
            row = self.lease.rows.clubs.get(club)
            self.world.read_ahead.add((self.name, 0 if row is None else row.offer))
            self.lease.hand_overs.on_read_ahead(club, now_ms)

        self._later(lambda: self.act(was_read), self.world.troubles.ahead_ms)

    def start_leading(self, club: str, epoch: int) -> None:
        self._loading = epoch
        self._later(lambda: self._load(epoch))

    def _load(self, epoch: int) -> None:
        if self._loading != epoch:
            return
        if not self.holds():  # another node may have led the club meanwhile: the next look shows it
            self.process.call_at(self.process.now_ms() + 10, lambda: self._load(epoch))
            return
        self._loading = 0
        self.run_of_club = LedRun(self, epoch)
        self.act(partial(self.lease.on_listening, CLUB, epoch))

    def discard(self, club: str) -> None:
        self._loading = 0
        run, self.run_of_club = self.run_of_club, None
        if run is not None:
            run.end("kill")

    def hand_over(self, club: str) -> None:
        row, run, plan = self.world.table.clubs[club], self.run_of_club, self.lease.hand_overs._planned[club]
        # The row may name another node: an older offer, which failed here, can still reach the database.
        is_ready = (plan.to, plan.offer) in self.world.read_ahead
        assert row.node != self.name or is_ready, f"{plan.to} is not ready, and the club stops"

        def stopped() -> None:
            self.run_of_club, self.leaving = None, run
            self.act(partial(self.lease.hand_overs.on_stopped, CLUB))

        self._loading = 0
        if run is None:
            stopped()
        else:
            run.hand_over(stopped)

    def close_handed_over(self, club: str) -> None:
        leaving, self.leaving = self.leaving, None
        if leaving is not None:
            leaving.end("stop")

    def suspend(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.gate.close()

    def disconnect_all(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.abandon()

    def resume(self) -> None:
        if self.run_of_club is not None:
            self.run_of_club.go_on()

    def end_node(self) -> None:
        self.die()

    # --- fate ---

    def die(self) -> None:
        if not self.is_up:
            return
        for run in (self.run_of_club, self.leaving):
            if run is not None:
                run.kill()
        super().die()

    def stall(self, ms: int) -> None:
        if self.process.is_stalled:
            return
        super().stall(ms)
        for run in (self.run_of_club, self.leaving):
            if run is not None:
                run.stall(ms)

    def is_moved(self) -> None:
        """Move the club to this node, as `rumble club move` does."""
        row = self.world.table.clubs.get(CLUB)
        if row is not None:
            row.wanted = self.name
            self.world.notify()


class ClusterWorld(World):
    """A scenario on several nodes. `Troubles` replace the troubles of a single server."""

    after_ms = 6_000

    def __init__(self, seed: int) -> None:
        alone = scenario(seed)
        super().__init__(replace(alone, disk=alone.disk.calm(), bounds=alone.bounds))
        self.troubles = given = troubles(seed)
        self.table = Table(self.timeline.now_ms, LEASE_MS, on_change=self.notify)
        self.postgres = Postgres(self.timeline, self.table, self.disk, given.database, self._random("database"))
        self.nodes: list[Node] = []
        self.read_ahead: set[tuple[str, int]] = set()
        """Nodes that have read the club ahead, each with the number of the offer."""
        self._made = 0

    def notify(self) -> None:
        """Tell all nodes of a change in the database."""
        for node in self.nodes:
            self.timeline.call_in(self._fate.randint(0, NOTIFIED_MS), node.notified)

    @property
    def leaders(self) -> list[LedRun]:
        """Runs with a valid lease, which may tell facts."""
        runs = [node.run_of_club for node in self.nodes if node.is_up and node.holds()]
        return [run for run in runs if run is not None and run.is_up]

    def _is_over(self) -> bool:
        """Return true if all tournaments are over, and no move to a node that is up is left."""
        if not super()._is_over():
            return False
        row = self.table.clubs[CLUB]
        can_lead = {node.name for node in self.nodes if node.is_up and not node.lease.is_draining}
        return row.wanted == row.node or row.wanted not in can_lead

    def _place(self) -> Place | None:
        """Return the run to which a proxy brings a bot: the leader's by the database; None if there is none."""
        name = self.table.leader(CLUB)
        for node in self.nodes:
            if node.name == name and node.is_up:
                return node.run_of_club
        for node in self.nodes:
            node.request_leader(CLUB)  # nobody leads: ask each node
        return None

    def _start(self) -> None:
        while len(self.nodes) < self.troubles.nodes:
            self._made += 1
            self.nodes.append(Node(self, self._made))

    def _look(self) -> None:
        """Have the host look at its tournaments through the leader, and start nodes in place of dead ones."""
        leaders = self.leaders
        assert len(leaders) <= 1, "two lead"
        self.run = leaders[0] if leaders else None
        if self.run is not None:
            run = self.run
            run.enter(partial(self.host.look, run))
        self.nodes = [node for node in self.nodes if node.is_up]
        if len(self.nodes) < self.troubles.nodes and (self._calm or self._fate.random() < 0.2):
            self._start()
        self.timeline.call_in(EACH_MS, self._look)

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
        """Trouble one node, more often than not the leader."""
        there = [node for node in self.nodes if node.is_up]
        leading = [node for node in there if node.run_of_club is not None]
        if there:
            trouble(self._fate.choice(leading if leading and self._fate.random() < 0.7 else there))

    def _end_database(self) -> None:
        self.postgres.is_down = True
        self.timeline.call_in(self._some_ms(), self._begin_database)

    def _begin_database(self) -> None:
        self.postgres.is_down = False

    def _move(self, node: Node) -> None:
        if self._fate.random() < 0.3 and len(self.nodes) > 1:
            node.act(node.lease.drain)
            self.timeline.call_in(3000, node.die)
        else:
            self._fate.choice(self.nodes).is_moved()

    def _calm_down(self) -> None:
        super()._calm_down()
        self.postgres.weather = Weather()
        self.postgres.is_down = False


def simulate_cluster(seed: int) -> Evidence:
    """Run the scenario of a seed on several nodes, to its end."""
    return ClusterWorld(seed).play()
