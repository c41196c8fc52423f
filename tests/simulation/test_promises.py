"""DESIGN.md section 6 holds in simulated worlds. More seeds: `python -m tests.simulation.run --seeds 20000`."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import orjson
import pytest

from tests.simulation.checks.case import read_rows
from tests.simulation.run import run_seeds, show
from tests.simulation.scenario import scenario
from tests.simulation.world import Evidence, simulate

SEEDS, PARTS = 2000, 8
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.long] if part else []) for part in range(PARTS)]
)
def test_no_seed_breaks_a_promise(part: int) -> None:
    failures = run_seeds(range(part, SEEDS, PARTS))
    assert not failures, "\n".join(map(str, failures))


@pytest.mark.parametrize("seed", [13, 43, 245])
def test_a_seed_replays_exactly(seed: int) -> None:
    assert list(show(simulate(scenario(seed)))) == list(show(simulate(scenario(seed))))


def test_a_seed_replays_exactly_in_any_process() -> None:
    """Nothing depends on the order of a set, which differs from process to process."""
    command = [sys.executable, "-m", "tests.simulation.run", "--seeds", "12", "--from", "40", "--show"]
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=True)
        *lines, _summary = done.stdout.splitlines()
        assert len(lines) > 1000
        digests.add(hashlib.sha256(b"\n".join(lines)).hexdigest())
    assert len(digests) == 1


def test_everything_happens_in_some_seed() -> None:
    """What no seed does is not tested: each fact, each termination, each trouble comes up."""
    seen: Counter[str] = Counter()
    for seed in range(400):
        evidence = simulate(scenario(seed))
        seen.update(entry.kind for entry in evidence.trace)
        seen["taken over"] += _taken_over(evidence)
        for fact in read_rows(evidence.rows):
            seen[fact["fact"]] += 1
            if fact["fact"] == "match_over":
                seen[fact["termination"]] += 1
                seen["stalled"] += fact["stalled"]
            elif fact["fact"] in ("move_made", "seat_away", "start_told"):
                seen[f"{fact['fact']} excused"] += fact["excused_ms"] > 0
            elif fact["fact"] == "tournament_paused":
                seen[f"paused by {fact['by']}"] += 1
                seen["given up"] += "was void" in fact["reason"]
    facts = (
        *("match_started", "turn_asked", "move_made", "move_refused", "seat_away", "seat_back", "match_over"),
        *("frame_seen", "tournament_created", "bot_joined", "bot_left", "bot_absent", "bot_benched"),
        *("tournament_started", "tournament_paused", "tournament_resumed", "tournament_ended"),
        *("result_voided", "name_used", "paused by host", "paused by disk"),
    )
    terminations = (
        *("normal", "resignation", "illegal_move", "timeout", "disconnect"),
        *("no_show", "flood", "adjudication", "aborted"),
    )
    late = ("stalled", "given up", "move_made excused", "seat_away excused", "start_told excused")
    happenings = ("taken over", "kill", "stop", "stall", "clean", "closing", "lost", "ordered")
    never = [what for what in (*facts, *terminations, *late, *happenings) if not seen[what]]
    assert not never


def _taken_over(evidence: Evidence) -> int:
    """How often a session was told to go on with a match that its login did not find: its worker had dropped."""
    at_login: dict[int, list[str]] = {}
    count = 0
    for entry in evidence.trace:
        if entry.kind == "told":
            frame = orjson.loads(entry.text)
            if frame["type"] == "session":
                at_login[entry.wire] = frame["matches"]
            elif frame["type"] == "match_start" and frame["resumed"]:
                count += frame["match"] not in at_login[entry.wire]
    return count
