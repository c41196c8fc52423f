"""The promises hold on several nodes. More seeds: `python -m tests.simulation.run --cluster --seeds 20000`."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from rumble_server.arena.matches import Matches
from rumble_server.nodes.hand_over import HandOvers
from rumble_server.nodes.lease import Lease
from rumble_server.store.log.batch import Batch
from rumble_server.store.postgres.lease_statements import HandOver, Statement

from tests.hidden.tokens import installed
from tests.needs import long_or
from tests.server.failing import note_calls
from tests.server.lease import HeldWhile
from tests.simulation.bugs import Bug, tell_before_it_is_on_disk
from tests.simulation.cluster import ClusterWorld, LedRun, Node, simulate_cluster
from tests.simulation.postgres import CLUB, ClubLog, Postgres
from tests.simulation.run import complaints, run_seeds, show

PARTS = 20
SEEDS = long_or(PARTS * 20, 2000)
"""Number of seeds in all parts together; usually only the first part runs."""
VARIED = (46, 17, 0)
"""Seeds that together show every event. Further seeds are tried when a change of the nodes makes an event missing."""
WITHIN = 800
"""Number of seeds tried when a bug's own seed no longer shows it after a change of the nodes."""


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


HAPPENS = (
    (Node, ("die", "stall", "cut", "is_moved", "discard", "suspend", "disconnect_all", "read_ahead", "hand_over")),
    (Node, ("close_handed_over",)),
    (LedRun, ("go_on",)),
    (ClubLog, ("_fail", "_look_up")),
    (Lease, ("drain",)),
    (ClusterWorld, ("_end_database",)),
)
"""Methods whose calls show each event of nodes."""


@pytest.mark.slow
def test_everything_happens_in_some_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way of losing and keeping the lead occurs in some seed: an event of no seed is not tested."""
    seen: Counter[str] = Counter()
    calls = {name: note_calls(monkeypatch, owner, name) for owner, names in HAPPENS for name in names}
    for seed in (*VARIED, *range(60)):
        with installed():
            seen.update(entry.kind for entry in simulate_cluster(seed).trace)
        never = [name for name in calls if not calls[name]]
        if not (never := never + [kind for kind in ("suspended", "grace", "kill", "stop") if not seen[kind]]):
            return
    pytest.fail(f"never: {never}")


# --- bugs put into nodes on purpose ---


def tell_without_a_lease(patch: pytest.MonkeyPatch) -> None:
    """Go on telling facts when the lease is over."""
    init = LedRun.__init__

    def changed(self: LedRun, node: Node, epoch: int) -> None:
        init(self, node, epoch)
        self.gate.lease = HeldWhile(lambda: True)
        self.gate.close = lambda ago_ms=0: None  # type: ignore[method-assign]

    patch.setattr(LedRun, "__init__", changed)


def write_under_any_epoch(patch: pytest.MonkeyPatch) -> None:
    """Let the database accept commits under an old epoch."""
    commit = Postgres.commit

    def changed(self: Postgres, epoch: int, before: int, batch: Batch) -> bool:
        return commit(self, self.table.clubs[CLUB].epoch, before, batch)

    patch.setattr(Postgres, "commit", changed)


def retry_a_commit_of_unknown_fate(patch: pytest.MonkeyPatch) -> None:
    """Put a batch of unknown fate before the gathering batch, and write both as new."""

    def lost(self: ClubLog, batch: Batch, _trouble: str) -> None:
        self._writing = None
        self._batch.facts[:0] = batch.facts
        self._write_in(10)

    def commit(self: Postgres, epoch: int, before: int, batch: Batch) -> bool:
        row = self.table.clubs[CLUB]
        if row.epoch != epoch:
            return False
        shifted = Batch()
        shifted.facts += [(number, fact) for number, (_, fact) in enumerate(batch.facts, row.last + 1)]
        for ended in batch._ended:
            shifted.add_record(ended)
        self.disk.write(shifted)
        row.last = self.disk.written
        return True

    patch.setattr(ClubLog, "_fail", lost)
    patch.setattr(Postgres, "commit", commit)


def charge_a_suspension(patch: pytest.MonkeyPatch) -> None:
    """Run clocks on while the club is suspended."""
    patch.setattr("rumble_server.gateway.gate.Gate._add_lateness", lambda *_: None)


def blame_bots_that_were_closed(patch: pytest.MonkeyPatch) -> None:
    """Resume a club whose bots were closed, and give the bots no time to come back."""
    patch.setattr(Matches, "give_grace", lambda *_: None)


def go_on_without_looking(patch: pytest.MonkeyPatch) -> None:
    """Resume as soon as the lease is renewed, without a look at the database."""

    def renewed(self: Lease, until_ms: int, now_ms: int) -> None:
        was_over, self.until_ms, self.is_suspended = self.is_suspended, until_ms, False
        if was_over:
            self.commands.resume()

    patch.setattr(Lease, "_renewed", renewed)


def hand_over_what_is_not_on_disk(patch: pytest.MonkeyPatch) -> None:
    """Hand a club over as soon as it has stopped, before its facts are on disk."""
    hand_over = LedRun.hand_over

    def changed(self: LedRun, stopped: Callable[[], None]) -> None:
        self.log.durable = self.log.last
        hand_over(self, stopped)

    patch.setattr(LedRun, "hand_over", changed)


def hand_over_once(patch: pytest.MonkeyPatch) -> None:
    """Hand a stopped club over only once, although the node that was ready is gone."""
    add, compare = Lease.add, Lease._compare

    def compared(self: Lease, now_ms: int) -> None:
        def without(self: Lease, statement: Statement, now_ms: int) -> None:
            if not isinstance(statement, HandOver):
                add(self, statement, now_ms)

        with pytest.MonkeyPatch.context() as inside:
            inside.setattr(Lease, "add", without)
            compare(self, now_ms)

    patch.setattr(Lease, "_compare", compared)


def take_any_ready(patch: pytest.MonkeyPatch) -> None:
    """Take a node for ready that was ready at an earlier try."""
    follow = HandOvers.continue_after_look

    def changed(self: HandOvers, now_ms: int) -> None:
        rows = self._state.rows.clubs
        for club, row in rows.items():
            move = self._planned.get(club)
            if move is not None and move.offer is not None and row.ready:
                rows[club] = replace(row, ready=move.offer)
        follow(self, now_ms)

    patch.setattr(HandOvers, "continue_after_look", changed)


BUGS: tuple[tuple[Bug, str, int], ...] = (
    (tell_before_it_is_on_disk, r"was told match_over .* facts were on disk", 0),
    (tell_without_a_lease, r"by who did not lead", 7),
    (write_under_any_epoch, r"which was not open|after its end", 98),
    (retry_a_commit_of_unknown_fate, r"occurs \d+ times|twice", 11),
    (charge_a_suspension, r"excuses 0 ms; it should be", 37),
    (blame_bots_that_were_closed, r"ms to be away, not|before its budget was used up|ms by seat", 665),
    (go_on_without_looking, r"two lead|by who did not lead", 18),
    (hand_over_what_is_not_on_disk, r"had stopped in good order", 7),
    (hand_over_once, r"did not end", 529),
    (take_any_ready, r"is not ready", 7),
)
"""Each bug, a pattern of the checker's complaint, and a seed that shows the bug."""


@pytest.mark.parametrize(
    ("bug", "said", "shown_by"),
    [
        pytest.param(*each, id=each[0].__name__, marks=[pytest.mark.slow] if each[0] is hand_over_once else [])
        for each in BUGS
    ],
)
def test_the_simulation_finds_a_planted_bug(
    bug: Bug, said: str, shown_by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    found = complaints(shown_by, WITHIN, cluster=True)
    assert any(re.search(said, problem) for problem in found), f"not found in {WITHIN} seeds"
