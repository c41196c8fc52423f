from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.pairs.knockout import Knockout
from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.schedule import PairScores

from tests.server.tournament.rounds import LOSS, WIN, play, pull


def first(places: dict[int, int]) -> list[int]:
    return [bot for bot, place in places.items() if place == 1]


@given(st.integers(2, 33), st.integers(1, 3), st.integers(0, 2), st.integers(0, 1000))
def test_knockout(bots: int, legs: int, replays: int, seed: int) -> None:
    plan = Plan(bots, legs=legs, replays=replays)
    rounds, schedule, results = play(Knockout(plan), seed)
    assert isinstance(schedule, Knockout)
    pairings = [pairing for played in rounds for pairing in played.pairings]
    assert len({(p.cycle, p.round, p.board) for p in pairings}) == len(pairings)
    assert len([p for p in pairings if p.cycle == 1]) == bots - 1
    assert max(p.cycle for p in pairings) <= 1 + replays
    losers = Counter[int]()
    (champion,) = first(schedule.places(results))
    final = (schedule.number_of_rounds, 1)
    for place, winner in {**schedule.advanced, final: champion}.items():
        for bot in schedule.bots_at(place, schedule.advanced):
            losers[bot] += bot != winner
    assert losers == {bot: int(bot != champion) for bot in range(bots)}
    places = Counter(schedule.places(results).values())
    assert places[1] == places[2] == 1
    assert sum(places.values()) == bots
    byes = (1 << schedule.number_of_rounds) - bots
    first_round = {bot for p in pairings if p.round == 1 for bot in (p.first, p.second)}
    assert first_round == set(range(byes, bots))
    # A different order of finishing, and a restart after every pull, make no difference.
    other, again, results_again = play(Knockout(plan), seed + 1, restarts=True)
    assert {p for played in other for p in played.pairings} == set(pairings)
    assert isinstance(again, Knockout)
    assert again.advanced == schedule.advanced
    assert first(again.places(results_again)) == [champion]


@pytest.mark.parametrize("replays", [0, 1, 2])
def test_the_better_seed_goes_on_when_all_is_drawn(replays: int) -> None:
    rounds, schedule, results = play(Knockout(Plan(16, replays=replays)), 1, draws=1.0)
    assert isinstance(schedule, Knockout)
    assert first(schedule.places(results)) == [0]
    assert schedule.places(results)[1] == 2
    assert Counter(p.cycle for played in rounds for p in played.pairings) == dict.fromkeys(range(1, replays + 2), 15)
    final = [p for played in rounds for p in played.pairings if p.round == 4]
    assert [(p.first, p.second) for p in final] == [(0, 1), (1, 0), (0, 1)][: replays + 1]


def test_a_knockout_pairing_is_open_as_soon_as_both_its_bots_are_known() -> None:
    schedule = Knockout(Plan(8, legs=1))
    pulled = pull(schedule, {})
    assert pulled is not None
    assert [(p.board, p.first, p.second) for p in pulled.pairings] == [(1, 0, 7), (2, 3, 4), (3, 1, 6), (4, 2, 5)]
    assert pull(schedule, {(1, 1, 1, 1): PairScores(WIN)}) is None
    done = {(1, 1, 1, 1): PairScores(WIN), (1, 1, 2, 1): PairScores(LOSS)}
    # Bot 0 was first and bot 4 second, so the seats are swapped now.
    assert pull(schedule, done) == Round((Pairing(1, 2, 1, 4, 0),))
    with pytest.raises(ValueError, match="not to be played yet"):
        Knockout(Plan(8)).add(Round((Pairing(1, 3, 1, 0, 1),)))
