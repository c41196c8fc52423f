"""A club led by one node with its bots on others, on virtual time: links that delay, break and come back."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.arena import Arena
from rumble_server.arena.organiser import Organiser
from rumble_server.arena.ports import Sessions as ArenaSessions
from rumble_server.arena.recovery import frames_of_ended, read, take_up
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.gate import Gate, GatedLeader
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.link import Opening, Records, read_packet
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.strangers import Strangers
from rumble_server.match.facts import MoveMade
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import FrameTaken, LogFact, TournamentEnded, tournament_of

from tests.server.world import Bot, Disk, MemoryLink, MemoryLog, VirtualClock

KEY = "correct-horse-battery"
AWAY_MS = TournamentConfig(name="x", game="tictactoe").away_ms
Later = Callable[[Callable[[], None]], None]


class Pipe:
    """One link. Each way packets keep their order; what is on its way when it breaks is lost."""

    def __init__(self, edge: "EdgeNode", leader: "LeaderNode", delay_ms: int) -> None:
        self.edge, self.leader = edge, leader
        self.delay_ms = delay_ms
        self.is_up = True
        self.is_frozen = False
        """Packets are kept back."""
        self._kept: list[Callable[[], None]] = []
        self.to_leader, self.to_edge = _End(self, self._at_leader), _End(self, self._at_edge)

    def carry(self, packet: bytes, deliver: Callable[[bytes], None]) -> None:
        clock = self.edge.clock
        clock.call_at(clock.now_ms() + self.delay_ms, lambda: self._arrive(lambda: deliver(packet)))

    def _arrive(self, deliver: Callable[[], None]) -> None:
        if self.is_frozen:
            self._kept.append(deliver)
        elif self.is_up:
            deliver()

    def thaw(self) -> None:
        self.is_frozen = False
        kept, self._kept = self._kept, []
        for deliver in kept:
            self._arrive(deliver)

    def _at_leader(self, data: bytes) -> None:
        packet, lead = read_packet(data), self.leader.lead
        if isinstance(packet, Opening):
            lead.opening(self.edge.node, packet, self.to_edge)
        elif isinstance(packet, Records):
            lead.records(self.edge.node, packet, self.to_edge)

    def _at_edge(self, data: bytes) -> None:
        packet = read_packet(data)
        if self.edge.pipe is self and isinstance(packet, Opening | Records):
            self.edge.edge.packet(packet)

    def cut(self) -> None:
        """Break; both ends are told."""
        self.is_up = False
        if self.edge.pipe is self:
            self.edge.pipe = None
            self.edge.edge.down()
        self.leader.lead.down(self.edge.node, self.to_edge)


class _End:
    """What one node writes to."""

    def __init__(self, pipe: Pipe, deliver: Callable[[bytes], None]) -> None:
        self._pipe, self._deliver = pipe, deliver
        self.is_full = False
        self.packets = 0

    def send(self, packet: bytes) -> None:
        self.packets += 1
        self._pipe.carry(packet, self._deliver)


class LeaderNode:
    """The node that leads the club under an epoch."""

    def __init__(
        self,
        clock: VirtualClock,
        epoch: int,
        *,
        link_bytes: int = 1 << 22,
        local: ArenaSessions | None = None,
        **arena: Any,
    ) -> None:
        """`local` hears of the sessions of this node."""
        self.clock, self.epoch = clock, epoch
        self.log = MemoryLog(clock)
        self.lead = Lead("main", epoch, local or Sessions(), link_bytes, later=lambda call: _soon(clock, call))
        self.arena = Arena(
            log=self.log,
            clock=clock,
            sessions=self.lead,
            run=epoch,
            random=Random(0),
            **{"find_ended": self.log.find_ended, **arena},
        )
        self.lead.attach(self.arena)
        self.organiser = Organiser(self.arena)
        self.log.on_durable += [self.arena.on_durable, self.lead.on_durable]

    def successor(self, **arena: Any) -> "LeaderNode":
        """Another node, which takes the club up from what is on disk."""
        kept = self.log.facts[: self.log.durable]
        self.arena.stop()
        by_tournament: dict[str, list[LogFact]] = {}
        for fact in kept:
            by_tournament.setdefault(tournament_of(fact), []).append(fact)
        of_server = by_tournament.pop("", [])
        over = {fact.tournament for fact in kept if isinstance(fact, TournamentEnded)}
        node = LeaderNode(self.clock, self.epoch + 1, taken_ids=by_tournament, grace_ms=60_000, **arena)
        node.log.facts, node.log.durable, node.log.records = list(kept), len(kept), dict(self.log.records)
        recovered = read(
            of_server,
            [each for each in by_tournament if each not in over],
            by_tournament.__getitem__,
            lambda _, matches: {each: [f for f in kept if getattr(f, "match", None) == each] for each in matches},
        )
        ended = [record for each, record in self.log.records.items() if each in over]

        def frames_taken(ids: list[str]) -> list[FrameTaken]:
            return [fact for each in ids for fact in by_tournament[each] if isinstance(fact, FrameTaken)]

        recovered.taken.update(frames_of_ended(ended, frames_taken, self.clock.now_ms()))
        take_up(node.arena, recovered)
        return node


class EdgeNode:
    """A node with bots. It stands in for a `World` to them."""

    _numbers = itertools.count()

    def __init__(self, leader: LeaderNode, *, delay_ms: int = 1, bounds: Bounds | None = None, **limits: int) -> None:
        self.node = f"edge{next(self._numbers)}"
        self.leader, self.clock = leader, leader.clock
        self.disk = Disk(leader.log)
        self.delay_ms = delay_ms
        sessions = Sessions()
        self.bounds = bounds = bounds or Bounds()
        self.edge = Edge("main", sessions, self.clock, bounds, later=lambda call: _soon(self.clock, call))
        self.refusals = Refusals()
        strangers = Strangers(bounds, self.refusals)
        self.gateway = Gateway(
            self.edge, self.edge, sessions, self.clock, strangers, "test", Limits(**limits), identity="1d"
        )
        self.pipe: Pipe | None = None
        self.follow(leader)

    def follow(self, leader: LeaderNode) -> None:
        """Another node leads: the directory tells, and a link to it is made."""
        self.leader = leader
        self.disk = Disk(leader.log)
        self.pipe = None
        self.edge.lead_by(leader.epoch)
        self.connect()

    def lead(self) -> None:
        """This node leads the club itself from now on."""
        self.leader = leader = self.leader.successor(local=self.edge.guests)
        self.disk = Disk(leader.log)
        self.pipe = None
        self.gate = Gate(self.clock, lambda: True)
        here = GatedLeader(leader.arena, self.gate, leader.log)
        leader.log.on_durable.append(here.on_durable)
        self.edge.lead_here(here, leader.epoch, self.node)

    def connect(self) -> None:
        """Make a link to the leader's node."""
        self.pipe = Pipe(self, self.leader, self.delay_ms)
        self.edge.up(self.pipe.to_leader)

    def cut(self) -> None:
        assert self.pipe is not None
        self.pipe.cut()

    def connect_bot(self) -> Bot:
        """A bot that has not logged in."""
        return Bot(self, MemoryLink())  # type: ignore[arg-type]  # what it needs of a World

    def bot(self, name: str, **message: Any) -> Bot:
        """A bot that has logged in."""
        bot = self.connect_bot()
        bot.login(name, **message)
        self.run(10 * self.delay_ms)
        return bot

    def run(self, ms: int) -> None:
        """Let this much time pass."""
        self.clock.advance(ms)


def _soon(clock: VirtualClock, call: Callable[[], None]) -> None:
    clock.call_at(clock.now_ms(), call)


def club(*, delay_ms: int = 1, move_ms: int = 10_000, bounds: Bounds | None = None, **limits: int) -> EdgeNode:
    """An edge whose club has a tournament of tic-tac-toe that two bots start."""
    leader = LeaderNode(VirtualClock(), 1)
    config = TournamentConfig(
        name="Friday", game="tictactoe", start_at_bots=2, time_control=TimeControl(move_ms=move_ms)
    )
    leader.organiser.create(config)
    node = EdgeNode(leader, delay_ms=delay_ms, bounds=bounds, **limits)
    node.run(10 * delay_ms)
    return node


def in_play(node: EdgeNode) -> tuple[Bot, Bot]:
    """Two bots in a match: the one on turn, and the other."""
    bots = [node.bot(name, key=KEY, join="friday") for name in ("ann", "ben")]
    node.run(20 * node.delay_ms)
    for bot in bots:
        assert bot.inbox.all("match_start")
    mover, waiter = sorted(bots, key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return mover, waiter


def moves(node: EdgeNode) -> list[MoveMade]:
    return [fact for fact in node.leader.log.facts if isinstance(fact, MoveMade)]


def answer(bot: Bot) -> None:
    """Answer the newest turn."""
    turn = bot.last("turn")
    bot.move(turn["legal"][0], turn=turn)


def play_out(node: EdgeNode, mover: Bot, waiter: Bot) -> None:
    """Play the match to its end, from turn to turn."""
    for _ in range(9):
        for bot in (mover, waiter):
            for turn in bot.heard("turn"):
                bot.move(turn["legal"][0], turn=turn)
        node.run(10 * node.delay_ms)
    assert [len(bot.inbox.all("match_over")) for bot in (mover, waiter)] == [1, 1]


def no_faults(*bots: Bot) -> bool:
    """Whether nothing that the bots did was refused."""
    return not any(bot.inbox.all(kind) for bot in bots for kind in ("error", "rejected"))
