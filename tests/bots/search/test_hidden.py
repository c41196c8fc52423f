"""The search for hidden games, by counted rounds."""

from functools import partial
from random import Random

import pytest
from rumble_bots.search import Tally
from rumble_bots.search.hidden import information_set_mcts
from rumble_engine import State, get_game

from .fixtures import Coin, Three

DICE = get_game("liars-dice")


def found(stop: float) -> tuple[str, float]:
    random = Random(1)
    return information_set_mcts(lambda: Coin(stop, random.choice(["heads", "tails"])), 0, 400, Tally(), random)


def test_a_guess_is_worth_half_although_it_is_right_in_each_state_by_itself() -> None:
    """A search of each state alone takes every guess for a certain win, and never stops."""
    move, value = found(0.8)
    assert move == "stop"
    assert value == pytest.approx(0.6)


def test_a_guess_is_better_than_little() -> None:
    move, value = found(0.2)
    assert move == "go"
    assert -0.3 < value < 0.3


def test_equal_seeds_and_rounds_give_equal_results_and_each_round_has_one_state() -> None:
    drawn: list[State] = []

    def sample() -> State:
        drawn.append(Coin(0.5, "tails"))
        return drawn[-1]

    results = [information_set_mcts(sample, 0, 50, Tally(), Random(3)) for _ in range(2)]
    assert results[0] == results[1]
    assert len(drawn) == 100


def test_seats_at_a_table_are_each_after_their_own_score() -> None:
    for mover in range(3):
        assert information_set_mcts(partial(Three, 2, mover), mover, 300, Tally(), Random(1)) == ("2", 1.0)


def test_the_answer_with_one_die_each() -> None:
    assert answer("4 2", "2x6") == "liar", "the own die shows neither a six nor a one"
    assert answer("3 2", "1x2") != "liar", "the own die shows that the bid is true"


def answer(roll: str, bid: str) -> str:
    state, random = DICE.initial({"dice_each": 1}).play(roll).play(bid), Random(1)
    return information_set_mcts(partial(DICE.sample, state.view(1), random), 1, 300, Tally(), random)[0]
