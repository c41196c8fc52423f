"""No seed of the simulation breaks a promise. More seeds: `python -m tests.simulation.run --seeds 20000`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.hidden.tokens import installed
from tests.needs import long_or
from tests.simulation.checks.case import read_rows
from tests.simulation.run import run_seeds, show
from tests.simulation.scenario import scenario
from tests.simulation.world import Evidence, simulate

PARTS = 8
SEEDS = long_or(PARTS * 25, 2000)
"""Number of seeds in all parts together; usually only the first part runs."""
VARIED = (195, 148, 136, 309, 315, 149, 127, 78)
"""Seeds that together show every event. Further seeds are tried when a change of the server makes an event missing."""
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


@pytest.mark.slow
def test_a_seed_replays_exactly_in_any_process() -> None:
    """A seed replays the same in processes whose sets iterate in another order."""
    first, count = 40, 12
    command = [sys.executable, "-m", "tests.simulation.run", "--seeds", str(count), "--from", str(first), "--show"]
    other = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": other}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=True)
    *lines, _summary = done.stdout.decode().splitlines()
    with installed():
        here = "\n".join(line for seed in range(first, first + count) for line in show(simulate(scenario(seed))))
    assert lines == here.splitlines()
    assert len(lines) > 1000


@pytest.mark.slow
def test_everything_happens_in_some_seed() -> None:
    """Each fact, each termination and each trouble occurs in some seed: an event of no seed is not tested."""
    missing = {
        *("match_started", "turn_asked", "turns_asked", "move_made", "chance_drawn", "seat_fell", "move_refused"),
        *("seat_away", "seat_back", "match_over"),
        *("frame_seen", "tournament_created", "bot_joined", "bot_left", "bot_absent", "moved", "bot_benched"),
        *("tournament_started", "tournament_paused", "tournament_resumed", "tournament_ended"),
        *("result_voided", "name_used", "paused by host", "paused by disk"),
        *("normal", "resignation", "crashed", "illegal_move", "timeout", "disconnect"),
        *("no_show", "flood", "adjudication", "aborted"),
        *("stalled", "given up", "move_made excused", "seat_away excused", "start_told excused"),
        *("taken over", "kill", "stop", "stall", "clean", "closing", "lost", "ordered"),
    }
    with installed():
        for seed in (*VARIED, *range(400)):
            missing -= set(_happenings(simulate(scenario(seed))))
            if not missing:
                return
    pytest.fail(f"never: {sorted(missing)}")


def _happenings(evidence: Evidence) -> Iterator[str]:
    """Name the events of a world: facts, terminations, troubles."""
    yield from (entry.kind for entry in evidence.trace)
    if _taken_over(evidence):
        yield "taken over"
    for fact in read_rows(evidence.rows):
        yield fact["fact"]
        match fact["fact"]:
            case "tournament_created" if fact["follows"]:
                yield "moved"
            case "match_over":
                yield fact["termination"]
                if fact["stalled"]:
                    yield "stalled"
            case "move_made" | "seat_away" | "start_told" as kind if fact["excused_ms"] > 0:
                yield f"{kind} excused"
            case "tournament_paused":
                yield f"paused by {fact['by']}"
                if "was void" in fact["reason"]:
                    yield "given up"


def _taken_over(evidence: Evidence) -> bool:
    """Return whether a session took up a match of a dropped worker after its own login."""
    at_login: dict[int, list[str]] = {}
    for entry in evidence.trace:
        if entry.kind == "told":
            frame = orjson.loads(entry.text)
            if frame["type"] == "session":
                at_login[entry.wire] = frame["matches"]
            elif frame["type"] == "match_start" and frame["resumed"] and frame["match"] not in at_login[entry.wire]:
                return True
    return False
