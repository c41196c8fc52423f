"""Rules of thumb for backgammon: textbook openings, hits, blots and races."""

from random import Random

import pytest
from rumble_bots.knowledge.backgammon import best, judge, pips, tries, worth
from rumble_bots.reference.battle import battle
from rumble_bots.search.plies import random_ply
from rumble_engine import State
from rumble_engine.games.backgammon import GAME, START, BackgammonState


def moved(roll: str, position: str = "-b----E-C---eE---c-e----B-") -> str:
    state = GAME.parse(f"{position} X {roll} 5")
    return state.text_of(best(state, 0)[0])


@pytest.mark.parametrize("opening", ["31 8/5 6/5", "42 8/4 6/4", "61 13/7 8/7", "53 8/3 6/3"])
def test_openings_of_the_textbook(opening: str) -> None:
    roll, _, move = opening.partition(" ")
    assert moved(roll) == move


def test_a_blot_is_hit_and_the_last_checkers_leave_the_board() -> None:
    assert "*" in moved("41", "-b----E-C---eE---c-da---B-")
    assert moved("65", "-----AA-----------------b-") == "6/off 5/off"


def test_a_blot_far_from_the_others_is_no_danger() -> None:
    other = START
    near = tuple({6: 5, 8: 3, 13: 5, 24: 1, 20: 1}.get(point, 0) for point in range(26))
    safe = tuple({6: 5, 8: 3, 13: 5, 22: 2}.get(point, 0) for point in range(26))
    assert pips(near) == pips(safe)
    assert worth(near, other) < worth(safe, other)


def test_the_trial_begins_with_the_best_and_has_every_move() -> None:
    state = GAME.parse("-b----E-C---eE---c-e----B- X 64 5")
    order = tries(state, 0)
    assert sorted(order) == list(state.codes())
    values = [worth(later.sides[0], later.sides[1]) for later in map(state.after, order)]
    assert values == sorted(values, reverse=True)


def test_the_seats_share_the_probability_and_the_sides_are_alike() -> None:
    random = Random(2)
    state: State = GAME.initial()
    for _ in range(60):
        state = random_ply(state, random)
        if isinstance(state, BackgammonState) and state.is_chance:
            first, second = judge(state)
            assert 0 < first < 1
            assert first + second == pytest.approx(1)
            turned = BackgammonState(state.sides[::-1], 1 - state.to_move, 0, state.turn, state.turns)
            assert judge(turned) == pytest.approx((second, first))


def test_the_seat_ahead_in_the_race_is_judged_the_winner() -> None:
    ahead = GAME.parse("-----BB----------dd------- X - 9")
    assert judge(ahead)[0] > 0.9


def test_the_rules_of_thumb_beat_random() -> None:
    result = battle("heuristic", "random", GAME, 12, seed=2)
    assert result.wins >= 11
