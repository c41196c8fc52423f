"""What spectators see of a running match: absences, and nothing that tells who has answered."""

import pytest
from rumble_server.match.public_view import absences, clocks, is_ticking, movers, position

from tests.server.match.driven import DrivenReferee
from tests.server.match.kinds import seated


def test_a_match_tells_since_when_a_bot_is_away_and_until_when_it_is_waited_for() -> None:
    driven = DrivenReferee.seated()
    assert absences(driven.progress) == (None, None)
    driven.disconnect(1)
    gone_ms = driven.now_ms
    driven.pass_ms(500)
    assert absences(driven.progress) == (None, (gone_ms, gone_ms + 5000))
    driven.connect(1)
    driven.disconnect(1)
    assert absences(driven.progress) == (None, (driven.now_ms, driven.now_ms + 4500))


def test_a_match_waits_no_longer_than_a_clock_that_runs_while_its_bot_is_away() -> None:
    driven = DrivenReferee.seated(away_clock="runs")
    driven.pass_ms(400)
    driven.disconnect(0)
    assert absences(driven.progress) == ((driven.now_ms, driven.now_ms + 600), None)


@pytest.mark.parametrize("away_clock", ["stands", "runs"])
def test_spectators_cannot_tell_who_has_answered_or_fallen_before_the_ply_is_made(away_clock: str) -> None:
    def shown(driven: DrivenReferee) -> object:
        progress, now_ms = driven.progress, driven.now_ms
        clock = clocks(progress, position(progress, now_ms), now_ms)
        return movers(progress), is_ticking(progress), absences(progress), clock

    seen, seen_later = [], []
    for what in ("nothing", "answer", "fall"):
        driven = seated("four snakes", away_clock=away_clock)
        driven.pass_ms(100)
        if what == "answer":
            driven.move(1, "up")
        elif what == "fall":
            driven.resign(1)
        driven.disconnect(1)
        driven.pass_ms(100)
        seen.append(shown(driven))
        driven.connect(1)
        driven.disconnect(0)
        driven.connect(0)
        seen_later.append((shown(driven), driven.seats[0].last("turn")["clock"]))
    assert seen[0] == seen[1] == seen[2]
    assert seen_later[0] == seen_later[1] == seen_later[2]
