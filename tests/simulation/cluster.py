"""Several nodes around the real server core: leases by the real machine, a club that one of them leads at a time.

Bots connect to any node. A node that does not lead is an edge, and speaks with the leader by the real `cluster`, over
links that have no sockets (`links`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, cast

import orjson
from rumble_protocol.bot_messages import BotMessage, Login, Move
from rumble_server.arena import ports
from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import UNKNOWN, Caller
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.gate import GatedLeader
from rumble_server.cluster.lead import SESSIONS_OF_A_NODE, Lead
from rumble_server.cluster.lease import Lease
from rumble_server.cluster.link import Stream
from rumble_server.cluster.links import Links
from rumble_server.cluster.records import NUMBER
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.strangers import Strangers
from rumble_server.store.lease_statements import Statement

from tests.server.cluster.table import Table
from tests.simulation.disk import DiskLog
from tests.simulation.host import EACH_MS
from tests.simulation.links import Cables, Dialled, LinkWeather
from tests.simulation.network import Place, Wire
from tests.simulation.postgres import CLUB, ClubLog, Postgres, Weather
from tests.simulation.scenario import scenario
from tests.simulation.server import ServerRun
from tests.simulation.timeline import RunClock
from tests.simulation.trace import Entry
from tests.simulation.world import Evidence, World

LOOK_MS, SOON_MS = 1000, 200
"""How often a node looks who leads; and while it has no leader."""
LEASE_MS = 1000
LOAD_MS = 200
"""How long it takes at most until a club that was acquired is loaded."""


@dataclass(frozen=True, slots=True)
class Troubles:
    """How many nodes there are, what happens to them, and after how long on average."""

    nodes: int
    database: Weather
    links: LinkWeather
    kill_each_ms: int | None
    freeze_each_ms: int | None
    cut_each_ms: int | None
    """A node does not reach the database."""
    down_each_ms: int | None
    """No node does."""
    move_each_ms: int | None
    """The club is handed over, or its node drained."""
    reset_each_ms: int | None
    """The links of a node break."""
    part_each_ms: int | None
    """Two nodes do not reach each other, or one of them the other."""
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
        links=LinkWeather(
            delay_ms=random.choice(((0, 0), (0, 2), (1, 10), (5, 50))),
            spike=random.choice((0.0, 0.0, 0.02)),
            spike_ms=random.choice((100, 2000)),
            full_bytes=random.choice((2000, 1 << 20)),
        ),
        kill_each_ms=sometimes(),
        freeze_each_ms=sometimes(),
        cut_each_ms=sometimes(),
        down_each_ms=random.choice((None, None, None, 5000)),
        move_each_ms=sometimes(),
        reset_each_ms=sometimes(),
        part_each_ms=sometimes(),
        longest_ms=random.choice((500, 3000, 8000)),
    )


class LedRun(ServerRun):
    """The time for which one node leads the club. Its number is the epoch."""

    def __init__(self, node: Node, epoch: int) -> None:
        self.node = node
        self.taken: dict[int, int] = {}
        """The connections of the sessions that it has, by their ids in the arena."""
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

    def _make_sessions(self, bounds: Bounds) -> ports.Sessions:
        local = cast(ports.Sessions, SeenSessions(self))
        self.lead = SeenLead(CLUB, self.number, local, bounds.link_bytes, self.gate.enter, self.node.later)
        self.lead.run = self
        return self.lead

    def _open(self, bounds: Bounds) -> None:
        """The way in is the node's."""
        self._seen = cast(Arena, SeenArena(self))
        self.lead.attach(self._seen)
        self._leader = GatedLeader(self._seen, self.gate, self.log)

    def lead_on_from_here(self) -> None:
        """All is loaded: bots, of this node and of others, speak with the arena."""
        for told in (self.lead.on_durable, self._leader.on_durable):
            self.log.on_durable.append(partial(self.gate.enter, told))
        self.node.links.forget(self.node.edge)
        self.node.edge.lead_here(self._leader, self.number, self.node.name)
        self.node.links.lead(self.lead)

    def see(self, kind: str, text: str = "", number: int | None = None) -> None:
        """Note what happened."""
        self._trace.append(
            Entry(self._timeline.now_ms(), kind, self.number if number is None else number, text, self.disk.written)
        )

    def wire_of(self, session_id: int) -> int:
        """The connection of one of the arena's sessions."""
        base = session_id & ~(SESSIONS_OF_A_NODE - 1)
        node = self.node if base == 0 else self.node.world.by_name[self.lead._by_base[base].node]
        return node.sessions[session_id - base]

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

    def _note_clean(self) -> None:
        super()._note_clean()
        self.node.world.note_level()


class SeenLead(Lead):
    """What leads the club for other nodes; what it says is noted."""

    run: LedRun

    def send(self, session_id: int, frame: bytes) -> None:
        if session_id >= SESSIONS_OF_A_NODE:
            self.run.see("said", _turn_of(frame))
        super().send(session_id, frame)

    def _ask(
        self, peer: Any, session_id: int, match_id: str, turn_id: str, answered: Callable[[int], None]
    ) -> ports.TimerHandle:
        wire = self.run.wire_of(session_id)

        def noted(thought_ms: int) -> None:
            if thought_ms != ports.UNKNOWN:
                self.run.see("heard", f"{match_id} {turn_id} {self.run.log.last}", wire)
            answered(thought_ms)

        return super()._ask(peer, session_id, match_id, turn_id, noted)

    def level_with(self, edge: Edge, node: str) -> bool:
        """Whether everything that was said on either side has come to the other."""
        peer, stream = self._peers.get(node), edge._stream
        if peer is None or (peer.stream.epoch, peer.stream.number) != (stream.epoch, stream.number):
            return False
        return stream.is_up and stream.seen == peer.stream.out.last and peer.stream.seen == stream.out.last


class SeenEdge(Edge):
    """An edge; what it tells of how long bots have thought is noted."""

    node: Node

    def _tell_thought(self, stream: Stream, session_id: int, question: bytes) -> None:
        if stream is self._stream and session_id in self._guests:
            about = question[NUMBER.size :].decode()
            self.node.world.see("asked", self.node.sessions[session_id], about)
        super()._tell_thought(stream, session_id, question)


class SeenSessions:
    """The sessions of the node that leads; what they are told is noted."""

    def __init__(self, run: LedRun) -> None:
        self._run = run
        self._guests = run.node.edge.guests

    def __getattr__(self, name: str) -> Any:
        return getattr(self._guests, name)

    def send(self, session_id: int, frame: bytes) -> None:
        self._run.see("said", _turn_of(frame))
        self._guests.send(session_id, frame)


class SeenArena:
    """The arena, as nodes speak with it; who comes and goes is noted."""

    def __init__(self, run: LedRun) -> None:
        self._run = run
        self._arena = run.arena

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arena, name)

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        run = self._run
        if session_id not in run.taken:
            run.taken[session_id] = wire = run.wire_of(session_id)
            run.see("taken", f"{run.number} again" if caller.accepted else str(run.number), wire)
        self._arena.login(session_id, login, caller)

    def receive(
        self,
        session_id: int,
        message: BotMessage,
        text: str,
        thought_ms: int = UNKNOWN,
        frame: ports.FrameId | None = None,
    ) -> None:
        if isinstance(message, Move):
            about = f"{message.match} {message.turn_id} {self._run.log.last}"
            self._run.see("reached", about, self._run.wire_of(session_id))
        self._arena.receive(session_id, message, text, thought_ms, frame)

    def lost(self, session_id: int) -> None:
        """The connection has ended, or its node was given up."""
        run = self._run
        wire = run.taken.pop(session_id, None)
        if wire is not None:
            run.see("left", str(run.number), wire)
        self._arena.lost(session_id)


def _turn_of(frame: bytes) -> str:
    """The id of the turn that a frame is, if it is one."""
    return str(orjson.loads(frame)["turn_id"]) if frame.startswith(b'{"type":"turn"') else ""


class Node:
    """A process: a way in for bots, a lease, and the club if it leads it. Its clock runs as it likes."""

    whose = "node"

    def __init__(self, world: ClusterWorld, number: int) -> None:
        self.world, self.number, self.name = world, number, f"n{number}"
        self.disk = world.disk
        self.process = self.clock = RunClock(world.timeline)
        self.run_of_club: LedRun | None = None
        self.cut_until_ms = 0
        self.wires: list[Wire] = []
        self.sessions: dict[int, int] = {}
        """The connection of each session."""
        self._rate = world._fate.choice((0.97, 1.0, 1.03))
        self._loading = 0
        self._wakes: set[int] = set()
        """When the lease will be woken."""
        world.table.join(self.name)
        world.cables.nodes[f"http://{self.name}"] = world.by_name[self.name] = self
        bounds, sessions = world.scenario.bounds, Sessions()
        self.edge = SeenEdge(CLUB, sessions, self.process, bounds, self.later)
        self.edge.node = self
        strangers = Strangers(bounds, Refusals())
        self.gateway = Gateway(self.edge, self.edge, sessions, self.process, strangers, "simulated", identity="1d")
        dial = partial(Dialled, world.cables, self)
        self.links = Links(self.name, "setup", "secret", LEASE_MS / 1000, dial=cast(Any, dial))
        self.lease = Lease(self.name, LEASE_MS, self, self.now_ms())
        self.act(partial(self.lease.wake, self.now_ms()))
        self._look()

    # --- a place for bots ---

    def enter(self, callback: Callable[[], None]) -> None:
        """Do something when the process gets to it."""
        self.process.enter(callback)

    def opened(self, wire: Wire, session_id: int) -> None:
        """A connection has this session."""
        self.sessions[session_id] = wire.number

    def later(self, call: Callable[[], None]) -> None:
        """Call at the end of this turn of the loop."""
        self.process.call_at(self.process.now_ms(), call)

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

    # --- who leads, as `cluster_clubs.py` follows it ---

    def _look(self) -> None:
        follows = self.run_of_club is None
        self.world.postgres.ask(
            self.world.leader,
            lambda leader: self.process.enter(lambda: self._follow(leader, follows=follows)),
            lambda: self.process.enter(self._look_again),
            self.is_cut,
        )

    def _follow(self, leader: tuple[str, int] | None, *, follows: bool) -> None:
        if follows and self.run_of_club is None and (leader is None or leader[0] != self.name):
            address = None if leader is None else f"http://{leader[0]}"
            self.links.follow(self.edge, address, 0 if leader is None else leader[1])
            if leader is None:
                self.act(lambda: self.lease.want(CLUB, self.now_ms()))
        self.links.forget_unreachable({node.id for node in self.lease.nodes})
        self._look_again()

    def _look_again(self) -> None:
        self.process.call_at(self.process.now_ms() + (SOON_MS if self.edge.is_leaderless else LOOK_MS), self._look)

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
        self.run_of_club.lead_on_from_here()

    def discard(self, club: str) -> None:
        self._loading = 0
        run = self.run_of_club
        if run is not None:
            self._lead_no_more()
            run.discard()

    def _lead_no_more(self) -> None:
        self.run_of_club = None
        self.links.lead_no_more(CLUB)
        self.edge.lead_by_nobody()

    def hand_over(self, club: str, to: str) -> None:
        def stopped() -> None:
            if self.run_of_club is not None:
                self._lead_no_more()
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
        if self.run_of_club is not None:
            self.run_of_club.kill()
        self.process.stopped = True
        self.world.see("died", self.number)
        for wire in self.wires:
            wire.server_died()
        self.wires = []
        self.world.cables.died(self)

    def stall(self, ms: int) -> None:
        if self.process.is_stalled:
            return
        self.process.stall(ms)
        self.world.see("froze", self.number, str(self.world.timeline.now_ms() + ms))
        if self.run_of_club is not None:
            self.run_of_club.stall(ms)


class ClusterWorld(World):
    """A scenario on several nodes. What happens to one server in it does not happen."""

    after_ms = 6_000

    def __init__(self, seed: int) -> None:
        alone = scenario(seed)
        super().__init__(replace(alone, disk=alone.disk.calm(), bounds=alone.bounds))
        self.troubles = given = troubles(seed)
        self.table = Table(self.timeline.now_ms, LEASE_MS)
        self.postgres = Postgres(self.timeline, self.table, self.disk, given.database, self._random("database"))
        self.cables = Cables(self.timeline, given.links, self._random("links"))
        self.nodes: list[Node] = []
        self.by_name: dict[str, Node] = {}
        """All that there were."""
        self._made = 0
        self._balancer = self._random("balancer")

    @property
    def leaders(self) -> list[LedRun]:
        """Those that may tell something at this moment."""
        runs = [node.run_of_club for node in self.nodes if node.is_up and node.holds()]
        return [run for run in runs if run is not None and run.is_up]

    def leader(self) -> tuple[str, int] | None:
        """The node that leads the club and its epoch, as the database has it."""
        name = self.table.leader(CLUB)
        return None if name is None else (name, self.table.clubs[CLUB].epoch)

    def see(self, kind: str, number: int, text: str = "") -> None:
        """Note what happened."""
        self.trace.append(Entry(self.timeline.now_ms(), kind, number, text, self.disk.written))

    def note_level(self) -> None:
        """Note at which nodes bots have been told of everything that they said, and that there was to tell."""
        for run in self.leaders:
            if run.gate.lets_in() and run.log.durable == run.log.last and not run.reading:
                for node in self.nodes:
                    if node is run.node or run.lead.level_with(node.edge, node.name):
                        self.see("level", node.number, str(run.number))

    def _place(self) -> Place | None:
        there = [node for node in self.nodes if node.is_up]
        return self._balancer.choice(there) if there else None

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
            self.run.enter(partial(self.host.look, self.run))
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
            (given.reset_each_ms, lambda: self._strike(self.cables.reset)),
            (given.part_each_ms, self._part),
        )

    def _some_ms(self) -> int:
        return self._fate.randint(1, self.troubles.longest_ms)

    def _strike(self, trouble: Callable[[Node], None]) -> None:
        """Something happens to a node, more often than not to the one that leads."""
        there = [node for node in self.nodes if node.is_up]
        leading = [node for node in there if node.run_of_club is not None]
        if there:
            trouble(self._fate.choice(leading if leading and self._fate.random() < 0.7 else there))

    def _part(self) -> None:
        """Two nodes do not reach each other, or only one of them the other."""
        names = [node.name for node in self.nodes]
        if len(names) > 1:
            here, there = self._fate.sample(names, 2)
            ms = self._some_ms()
            self.cables.cut(here, there, ms)
            if self._fate.random() < 0.5:
                self.cables.cut(there, here, ms)

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
        self.cables.mend()


def simulate_cluster(seed: int) -> Evidence:
    """Run the scenario of a seed on several nodes, to its end."""
    return ClusterWorld(seed).play()
