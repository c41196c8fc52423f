import time

import pytest
from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.plan import Plan
from rumble_server.tournament.pairs.schedule import PairScores

from tests.server.tournament.rounds import WIN, pull


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "knockout"])
def test_a_thousand_bots_are_scheduled_lazily(name: str) -> None:
    """The budget is 20 ms a pull; the test fails only if the budget is exceeded by far."""
    results: dict[MatchKey, PairScores] = {}
    began = time.thread_time()
    schedule = FORMATS[name].schedule(Plan(1000, cycles=10, legs=1, challengers=10))
    for _ in range(5):
        if pulled := pull(schedule, results):
            results |= {pairing.match_key(1): PairScores(WIN) for pairing in pulled.pairings}
    assert time.thread_time() - began < 1


def test_the_log_must_agree_with_a_fixed_schedule() -> None:
    played = pull(FORMATS["round-robin"].schedule(Plan(4)), {})
    assert played is not None
    FORMATS["round-robin"].schedule(Plan(4)).add(played)
    with pytest.raises(ValueError, match="another round"):
        FORMATS["round-robin"].schedule(Plan(6)).add(played)


def test_bad_plans() -> None:
    for plan in (Plan(1), Plan(4, cycles=0), Plan(4, legs=0)):
        with pytest.raises(ValueError, match="needs two bots"):
            FORMATS["round-robin"].schedule(plan)
    with pytest.raises(ValueError, match="one round"):
        FORMATS["swiss"].schedule(Plan(4, rounds=0))


@pytest.mark.parametrize("name", FORMATS)
def test_planning_changes_nothing(name: str) -> None:
    schedule = FORMATS[name].schedule(Plan(6, legs=1))
    first, again = schedule.prepare({}), schedule.prepare({})
    assert first is not None
    assert again is not None
    assert first() == again() == pull(schedule, {})
