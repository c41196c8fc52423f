import pytest
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import commands

from tests.server.tournament.leader import START_MS, Leader


def test_terms_are_those_of_the_tournament_and_each_opening_is_played_from_both_seats() -> None:
    leader = Leader.started("ann", "ben", seed=7, illegal_retries=3, away_ms=123, cycles=2)
    openings = []
    while found := leader.due():
        (started,) = found
        assert isinstance(started, MatchStarted)
        assert (started.illegal_retries, started.away_ms, started.attempt) == (3, 123, 1)
        assert (started.game, started.seed, started.at_ms) == ("tictactoe", 7, START_MS)
        openings.append(started.moves)
        leader.finish(started.match)
    assert openings == [(), (), *[leader.tournament.openings[1]] * 2]
    assert len(openings[2]) == 3


def test_a_match_lost_unplayed_has_the_terms_it_would_have_had() -> None:
    leader, other = Leader.started("ann", "ben", seed=5), Leader.started("ann", "ben", seed=5)
    leader.record(commands.leave(leader.tournament, "ann", 0))
    (over, *_) = leader.due()
    (started, *_) = other.due()
    assert isinstance(over, MatchOver)
    assert leader.tournament.terms_of(over) == started


@pytest.mark.parametrize("seats", [2, 3])
def test_a_lost_match_has_payoffs_wherever_payoffs_are_the_points(seats: int) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    leader = Leader("ann", "ben", "cid", game="poker", seats=seats, points="payoffs")
    leader.start()
    task = leader.tournament.pairing_task()
    leader.record(None if task is None else leader.tournament.round_fact(task(), leader.now_ms))
    for bot in ("ann", "ben"):
        leader.record(commands.leave(leader.tournament, bot, leader.now_ms))
    leader.due()
    overs = list(leader.tournament.results.values())
    assert overs
    assert {over.placement.payoffs for over in overs if over.placement} == {(0.0,) * seats}
    assert {line.points for line in leader.tournament.standings.lines()} == {0.0}
