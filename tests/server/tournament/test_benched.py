"""Bots that fail too often in a row: the bench, and the way back into play."""

from rumble_engine import Termination
from rumble_protocol.codes import ErrorCode
from rumble_server.match.facts import MatchStarted
from rumble_server.tournament import commands

from tests.server.tournament.leader import Leader, no_shows
from tests.server.tournament.refusals import refused


def faulty(leader: Leader, times: int) -> None:
    """Let seat 0 of each match lose by its own fault."""
    for _ in range(times):
        (started,) = leader.due()
        leader.finish(started.match, (0.0, 1.0), Termination.TIMEOUT, (0,))


def test_a_bot_that_fails_too_often_in_a_row_is_benched_once() -> None:
    leader = Leader.started("ann", "ben", cycles=3, legs=1, bench_after=2)
    faulty(leader, 1)
    assert commands.bench(leader.tournament, "ann", 0) is None
    faulty(leader, 1)
    assert [commands.bench(leader.tournament, bot, 0) for bot in ("ann", "ben")] == [None, None], "one fault each"
    leader = Leader.started("ann", "ben", legs=3, bench_after=1)
    faulty(leader, 1)
    fact = commands.bench(leader.tournament, "ann", 0)
    assert fact is not None
    leader.record(fact)
    assert commands.bench(leader.tournament, "ann", 0) is None
    assert [scores for _, scores, _ in no_shows(leader)] == [(1.0, 0.0), (0.0, 1.0)]
    assert leader.tournament.results["friday.1.1.1.2"].reason == "ann is benched"


def test_a_clean_match_resets_the_count_of_faults() -> None:
    leader = Leader.started("ann", "ben", cycles=4, legs=1, bench_after=2)
    leader.due()
    leader.finish("1.1.1.1", (0.0, 1.0), Termination.TIMEOUT, (0,))
    leader.due()
    leader.finish("2.1.1.1")
    leader.due()
    leader.finish("3.1.1.1", (0.0, 1.0), Termination.TIMEOUT, (0,))
    assert commands.bench(leader.tournament, "ann", 0) is None


def test_a_bot_that_has_left_is_not_benched_as_well() -> None:
    leader = Leader.started("ann", "ben", legs=3, bench_after=1)
    leader.record(commands.leave(leader.tournament, "ann", 0))
    leader.due()
    assert commands.bench(leader.tournament, "ann", 0) is None


def test_without_a_limit_nobody_is_benched() -> None:
    leader = Leader.started("ann", "ben", legs=5, bench_after=0)
    leader.due()
    leader.finish("1.1.1.1", (0.0, 1.0), Termination.TIMEOUT, (0,))
    assert commands.bench(leader.tournament, "ann", 0) is None


def test_the_host_lets_a_benched_bot_play_again() -> None:
    leader = Leader.started("ann", "ben", legs=3, bench_after=1)
    faulty(leader, 1)
    leader.record(commands.bench(leader.tournament, "ann", 0))
    leader.record(commands.unbench(leader.tournament, "ann", 0))
    assert isinstance(leader.due()[0], MatchStarted)
    refused(ErrorCode.UNAVAILABLE, lambda: commands.unbench(leader.tournament, "ann", 0))
    refused(ErrorCode.UNKNOWN_BOT, lambda: commands.unbench(leader.tournament, "zoe", 0))
