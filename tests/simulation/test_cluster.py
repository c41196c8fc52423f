"""The promises hold on several nodes. More seeds: `python -m tests.simulation.run --cluster --seeds 20000`."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from rumble_server.arena.player import Player
from rumble_server.arena.ports import Caller
from rumble_server.arena.session import BotSession
from rumble_server.cluster import lead
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.gate import GatedLeader
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.lease import Lease
from rumble_server.cluster.link import Opening, Outgoing, Records, Stream, read_packet
from rumble_server.cluster.link_connection import LinkConnection
from rumble_server.cluster.links import Links
from rumble_server.cluster.records import ToEdge
from rumble_server.match.referee import Referee
from rumble_server.store.batch import Batch

from tests.needs import long_or
from tests.simulation import cluster
from tests.simulation.cluster import Node, simulate_cluster
from tests.simulation.links import Cables, Dialled, End
from tests.simulation.postgres import CLUB, ClubLog, Postgres
from tests.simulation.run import run_seed, run_seeds, show

PARTS = 20
SEEDS = long_or(PARTS * 20, 2000)
"""Of how many seeds the parts are; usually only the first part runs."""
VARIED = (46, 17, 0)
"""Seeds in whose worlds everything happens, until a change of the nodes alters them; others are tried then."""
WITHIN = 800
"""How many seeds are tried when the one that shows a bug does so no more, after a change of the nodes."""


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.long] if part else []) for part in range(PARTS)]
)
@pytest.mark.slow
def test_no_seed_breaks_a_promise(part: int) -> None:
    failures = run_seeds(range(part, SEEDS, PARTS), cluster=True)
    assert not failures, "\n".join(map(str, failures))


@pytest.mark.parametrize("seed", [3, 7, 226])
def test_a_seed_replays_exactly(seed: int) -> None:
    assert list(show(simulate_cluster(seed))) == list(show(simulate_cluster(seed)))


def test_everything_happens_in_some_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no seed does is not tested: each way of losing and keeping the lead comes up."""
    seen: Counter[str] = Counter()

    def note(owner: type, name: str) -> None:
        before = getattr(owner, name)

        def noted(self: object, *given: object) -> object:
            seen[name] += 1
            return before(self, *given)

        monkeypatch.setattr(owner, name, noted)

    for name in ("die", "stall", "cut", "discard", "suspend"):
        note(Node, name)
    for name in ("hand_over", "go_on"):
        note(cluster.LedRun, name)
    for name in ("reset", "cut"):
        note(Cables, name)
    note(End, "end")
    for name in ("_unsure", "_tell_thought", "lead_here", "_refuse", "_give_up"):
        note(Edge, name)
    for name in ("_ask", "_give_up"):
        note(Lead, name)
    for name in ("_lost", "_look_up"):
        note(ClubLog, name)
    for name in ("drain", "move"):
        note(Lease, name)
    note(cluster.ClusterWorld, "_end_database")
    expected = (
        *("die", "stall", "cut", "discard", "suspend", "hand_over", "go_on", "_lost", "_look_up", "drain", "move"),
        *("_end_database", "suspended", "kill", "stop", "reset", "end", "heard", "asked"),
        *("_unsure", "lead_here", "_refuse", "_give_up"),
    )
    for seed in (*VARIED, *range(60)):
        seen.update(entry.kind for entry in simulate_cluster(seed).trace)
        if not (never := [what for what in expected if not seen[what]]):
            return
    pytest.fail(f"never: {never}")


# --- bugs that are put there on purpose ---


def tell_without_a_lease(patch: pytest.MonkeyPatch) -> None:
    """A leader does not mind that its epoch may be an old one: it goes on telling."""
    init = cluster.LedRun.__init__

    def changed(self: cluster.LedRun, node: Node, epoch: int) -> None:
        init(self, node, epoch)
        self.gate._holds = lambda: True
        self.gate.close = lambda: None  # type: ignore[method-assign]

    patch.setattr(cluster.LedRun, "__init__", changed)


def write_under_any_epoch(patch: pytest.MonkeyPatch) -> None:
    """The database takes what a leader writes whose epoch is an old one."""
    commit = Postgres.commit

    def changed(self: Postgres, epoch: int, before: int, batch: Batch) -> bool:
        return commit(self, self.table.clubs[CLUB].epoch, before, batch)

    patch.setattr(Postgres, "commit", changed)


def retry_a_commit_of_unknown_fate(patch: pytest.MonkeyPatch) -> None:
    """What may be written is put before what gathers, and all of it is written as new."""

    def lost(self: ClubLog, batch: Batch) -> None:
        self._writing = None
        self._batch.facts[:0] = batch.facts
        self._write_in(10)

    def commit(self: Postgres, epoch: int, before: int, batch: Batch) -> bool:
        row = self.table.clubs[CLUB]
        if row.epoch != epoch:
            return False
        shifted = Batch()
        for number, (_, fact) in enumerate(batch.facts, row.last + 1):
            shifted.add(number, fact)
        for ended in batch._ended:
            shifted.file(ended)
        self.disk.write(shifted)
        row.last = self.disk.written
        return True

    patch.setattr(ClubLog, "_lost", lost)
    patch.setattr(Postgres, "commit", commit)


def charge_a_suspension(patch: pytest.MonkeyPatch) -> None:
    """Clocks run on while the club is suspended."""
    patch.setattr("rumble_server.cluster.gate.GatedClock.now_ms", lambda self: self._clock.now_ms())


def go_on_without_looking(patch: pytest.MonkeyPatch) -> None:
    """A node whose lease was over goes on as soon as it is renewed."""

    def renewed(self: Lease, until_ms: int, now_ms: int) -> None:
        was_over, self.until_ms, self.suspended = self.suspended, until_ms, False
        if was_over:
            self._driver.go_on()

    patch.setattr(Lease, "_renewed", renewed)


def hear_any_epoch(patch: pytest.MonkeyPatch) -> None:
    """An edge listens to every leader that it has had, whatever the epoch of what that says."""

    def packet_of(self: Edge, packet: Opening | Records) -> None:
        if isinstance(packet, Records) and packet.epoch != self._stream.epoch:
            old = Stream(CLUB, packet.epoch, packet.stream)
            old.seen = packet.first - 1
            for kind, session_id, content in old.take(replace(packet, acknowledged=0)):
                if kind == ToEdge.SEND:
                    self.guests.send(session_id, content)
                else:
                    self._hear(kind, session_id, content)
        else:
            packet_in_time(self, packet)

    packet_in_time = Edge.packet
    patch.setattr(Edge, "packet", packet_of)

    def heard(self: Links, connection: LinkConnection, data: bytes) -> None:
        packet = read_packet(data)
        if isinstance(packet, Opening | Records) and packet.club in self._edges:
            self._edges[packet.club][0].packet(packet)

    patch.setattr(Links, "heard_as_edge", heard)
    patch.setattr("tests.simulation.links.SILENT_MS", 1 << 40)
    patch.setattr(Dialled, "end", lambda self: setattr(self, "_tries", self._tries + 1))


def count_a_repeat_twice(patch: pytest.MonkeyPatch) -> None:
    """What comes again over another link is done again."""
    take = Stream.take

    def changed(self: Stream, packet: Records) -> list[tuple[int, int, bytes]]:
        seen, self.seen = self.seen, min(self.seen, packet.first - 1)
        taken = take(self, packet)
        self.seen = max(seen, self.seen)
        return taken

    patch.setattr(Stream, "take", changed)
    patch.setattr(Outgoing, "rewind", lambda self, seen: setattr(self, "_sent", 0))


def forget_what_is_not_acknowledged(patch: pytest.MonkeyPatch) -> None:
    """An edge does not tell the next leader what the last one may not have had."""
    patch.setattr(Edge, "_unsure", lambda self: [])


def forget_what_the_leader_s_own_bots_said(patch: pytest.MonkeyPatch) -> None:
    """What waits for the disk, or for the lease, is lost where another leads."""
    patch.setattr(GatedLeader, "unsure", lambda self: [])


def judge_without_asking(patch: pytest.MonkeyPatch) -> None:
    """A leader judges the time of a bot of another node by its own clock."""
    patch.setattr(lead, "Caller", lambda **known: Caller(**known | {"ask_node": None}))


def charge_the_way(patch: pytest.MonkeyPatch) -> None:
    """A bot of another node pays with its clock for what turn and move were on their way."""
    patch.setattr(Referee, "measured", lambda *_: None)


def let_who_comes_last_stay(patch: pytest.MonkeyPatch) -> None:
    """Of two sessions of a bot that come to a new leader, the one stays whose edge is slower."""
    connect = Player.connect

    def changed(self: Player, session: BotSession) -> BotSession | None:
        session.accepted = 1 << 62
        return connect(self, session)

    patch.setattr(Player, "connect", changed)


BUGS = (
    (hear_any_epoch, r"after one of run", 5246),
    (count_a_repeat_twice, r"rejected more often than it moved", 90),
    (forget_what_is_not_acknowledged, r"and nothing came of it", 13),
    (forget_what_the_leader_s_own_bots_said, r"and nothing came of it", 13),
    (judge_without_asking, r"lost by timeout, and was never told|had answered", 521),
    (charge_the_way, r"ms in the bank; it should be|excuses 0 ms; it should be", 0),
    (let_who_comes_last_stay, r"was replaced, and no newer one", 71),
    (tell_without_a_lease, r"by who did not lead", 14),
    (write_under_any_epoch, r"which was not open|after its end", 131),
    (retry_a_commit_of_unknown_fate, r"occurs \d+ times|twice", 11),
    (charge_a_suspension, r"excuses 0 ms; it should be", 0),
    (go_on_without_looking, r"two lead|by who did not lead", 7),
)
"""Each bug, what the checker says of it, and a seed that shows it."""


@pytest.mark.parametrize(
    ("bug", "said", "shown_by"),
    [
        pytest.param(*each, id=each[0].__name__, marks=[pytest.mark.long] if each[0] is write_under_any_epoch else [])
        for each in BUGS
    ],
)
def test_finds(bug, said: str, shown_by: int, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    bug(monkeypatch)
    problems: list[str] = []
    for seed in (shown_by, *range(WITHIN)):
        failure = run_seed(seed, cluster=True)
        problems += [] if failure is None else failure.problems
        if any(re.search(said, problem) for problem in problems):
            return
    pytest.fail(f"not found in {WITHIN} seeds; {problems[:3]}")
