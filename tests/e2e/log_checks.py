"""Checks of a server's log after a tournament."""

from collections.abc import Iterable
from itertools import accumulate

from tests.e2e.recording_bot import Frame
from tests.simulation.checks.case import Case, Fact
from tests.simulation.checks.results import check_results


def numbered(facts: list[Fact]) -> list[Fact]:
    """Number some of a log's facts from 1 on. A turn asked together with a move has the move's number."""
    numbers = accumulate(not fact.get("with_move") for fact in facts)
    return [{**fact, "number": int(number)} for number, fact in zip(numbers, facts, strict=True)]


def assert_all_played(facts: list[Fact], bots: Iterable[str], max_matches: int = 1) -> None:
    """Assert that the simulation's checker finds no problem with the results and their moves."""
    plan = {"max_matches": max_matches, "workers": 0, "fault": None}
    case = Case(facts, [], {bot.casefold(): plan for bot in bots})
    assert list(check_results(case)) == []


def assert_told_as_logged(frames: Iterable[Frame], facts: list[Fact]) -> int:
    """Assert that the log has every told result with the same scores. Return the number of results."""
    logged = {(fact["match"], fact["attempt"]): fact for fact in facts if fact["fact"] == "match_over"}
    count = 0
    for frame in frames:
        if frame["type"] == "match_over":
            count += 1
            fact = logged.get((frame["match"], frame["attempt"]))
            assert fact is not None, f"told, but not in the log: {frame}"
            for name in ("scores", "termination", "moves"):
                assert frame[name] == fact[name], f"told {frame}, and the log has {fact}"
    return count
