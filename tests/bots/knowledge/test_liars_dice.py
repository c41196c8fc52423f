"""Rules of thumb for liar's dice: probabilities, calls, and the value of a position."""

from itertools import product
from random import Random

import pytest
from rumble_bots.knowledge.liars_dice import TRUST, best, judge, tries, truth
from rumble_bots.search.plies import random_ply
from rumble_engine import State
from rumble_engine.games.liars_dice import GAME, LiarsDiceState, quantity_and_face, showing
from rumble_engine.games.liars_dice_drawing import FACES

NOBODY = (0,) * 6


def chosen(*plies: str, seats: int = 2, dice: int = 5) -> str:
    state = GAME.initial_for(seats, {"dice_each": dice})
    for ply in plies:
        state = state.play(ply)
    (code,) = best(state, state.to_move)
    return state.text_of(code)


@pytest.mark.parametrize("ones_wild", [True, False])
def test_the_probability_is_that_of_all_rolls_counted(ones_wild: bool) -> None:
    rolls = ["".join(roll) for roll in product(FACES, repeat=3)]
    for bid in range(1, 25):
        quantity, face = quantity_and_face(bid)
        true = sum(showing(f"3{roll}", face, ones_wild) >= quantity for roll in rolls)
        assert truth(bid, "3", NOBODY, 4, ones_wild) == pytest.approx(true / len(rolls))


def test_dice_of_a_seat_that_bid_the_face_show_it_more_often() -> None:
    assert truth(6, "2", NOBODY, 2, ones_wild=True) == pytest.approx(1 / 3)
    assert truth(6, "2", (0, 0, 0, 0, 0, 1), 2, ones_wild=True) == pytest.approx(TRUST / 3)


def test_knowledge_calls_the_impossible_and_bids_the_certain() -> None:
    assert chosen("22345 23456", "9x4") == "liar"
    assert chosen("33333 12456", "1x2") != "liar"
    state = GAME.initial_for(2).play("33333 12456")
    assert truth(best(state, 0)[0], "33333", NOBODY, 10, ones_wild=True) == 1


def test_all_moves_are_tried_and_follow_from_the_view_alone() -> None:
    state = GAME.initial_for(3).play("51366 41232 44451").play("3x5")
    order = tries(state, 1)
    assert sorted(order) == sorted(state.codes())
    other = GAME.sample(state.view(1), Random(2))
    assert other != state
    assert tries(other, 1) == order


def test_scores_are_shared_and_dice_and_a_false_bid_count() -> None:
    random = Random(2)
    state: State = GAME.initial_for(4, {"dice_each": 2})
    while not state.outcome:
        assert isinstance(state, LiarsDiceState)
        scores = judge(state)
        assert sum(scores) == pytest.approx(2)
        assert all(0 <= score <= 1 for score in scores)
        for early, late in zip(state.out, state.out[1:], strict=False):
            assert scores[early] < scores[late]
        state = random_ply(state, random)
    rolled = GAME.initial_for(2).play("22345 23456")
    assert judge(rolled) == [0.5, 0.5]
    assert judge(rolled.play("9x4"))[0] < 0.5 < judge(rolled.play("1x4"))[0]
