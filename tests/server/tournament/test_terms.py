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


def test_what_was_lost_unplayed_would_have_had_these_terms() -> None:
    leader, other = Leader.started("ann", "ben", seed=5), Leader.started("ann", "ben", seed=5)
    leader.record(commands.leave(leader.tournament, "ann", 0))
    (over, *_) = leader.due()
    (started, *_) = other.due()
    assert isinstance(over, MatchOver)
    assert leader.tournament.terms_of(over) == started
