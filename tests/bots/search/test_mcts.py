"""Monte Carlo tree search finds short wins, by counted rounds."""

from random import Random

import pytest
from rumble_bots.search import Tally
from rumble_bots.search.mcts import uct
from rumble_engine import State, get_game

from .fixtures import CONNECT4, TICTACTOE, Again, value_of, values_of


def move(state: State, rounds: int = 1_000) -> str:
    return state.text_of(uct(state, rounds, Tally(), Random(1)).code)


@pytest.mark.parametrize(("position", "answer"), [("XOXX.O..O", "6"), ("X....O.XO", "2"), ("X....OOX.", "14")])
def test_the_classic_positions(position: str, answer: str) -> None:
    """Two moves, 1 and 4, win in the last position."""
    assert move(TICTACTOE.parse(position)) in answer


def test_mcts_blocks_a_line_of_the_opponent() -> None:
    assert move(CONNECT4.parse("......./......./......./......./X....../XOOO..X")) == "e"


def test_on_a_great_board_few_rounds_are_enough_to_block() -> None:
    """X threatens five in a row at one end; O has 218 moves, and 200 rounds."""
    state = get_game("gomoku").initial()
    for played in ["h8", "g8", "i8", "a1", "j8", "a3", "k8"]:
        state = state.play(played)
    assert move(state, 200) == "l8"


def test_the_value_is_from_the_movers_view() -> None:
    for position, sign in (("XX.OO....", 1), ("XX.OO...X", 1), ("X.X.O.X.O", -1)):
        assert uct(TICTACTOE.parse(position), 300, Tally(), Random(2)).value * sign > 0.8


def test_a_seat_may_move_twice_and_a_game_need_not_estimate() -> None:
    for pile in range(2, 10):
        state = Again(pile)
        found = uct(state, 2_000, Tally(), Random(3))
        assert values_of(state)[found.code] == value_of(state), pile
        assert not found.complete
