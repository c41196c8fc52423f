"""The strong search has plain minimax's values and moves, with a small part of its nodes."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_bots.search import END, OutOfTime, Plain, Strong, Tally, solve
from rumble_bots.search.strong import is_symmetric
from rumble_engine import State, get_game

from tests.needs import long_or

from .fixtures import CONNECT4, POSITIONS, TICTACTOE, value_of

STARTS = {
    "connect4": CONNECT4.initial(),
    "small connect4": CONNECT4.initial({"columns": 4, "rows": 4}),
    "gomoku": get_game("gomoku").initial({"columns": 5, "rows": 4, "connect": 4}),
    "othello": get_game("othello").initial({"size": 6}),
    "breakthrough": get_game("breakthrough").initial({"columns": 5, "rows": 6}),
    "hex": get_game("hex").initial({"size": 4}),
    "checkers": get_game("checkers").initial(),
    "minichess": get_game("minichess").initial(),
}


def walked(start: State, seed: int) -> State:
    """Return a position of random play from `start`."""
    random, state = Random(seed), start
    for _ in range(random.randrange(20)):
        later = state.after(random.choice(state.codes()))
        state = state if later.outcome is not None else later
    return state


@pytest.mark.parametrize("game", STARTS)
@settings(max_examples=long_or(6, 15), deadline=None)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 3))
def test_the_strong_search_finds_the_move_of_plain_minimax_at_equal_depth(game: str, seed: int, depth: int) -> None:
    """With a new table, and with a table and an order from shallower searches."""
    state = walked(STARTS[game], seed)
    plain = Plain().best(state, depth, Tally())
    found = Strong().best(state, depth, Tally())
    assert (found.code, found.value) == (plain.code, plain.value)
    assert Strong().value(state, depth, Tally()) == plain.value
    search = Strong()
    looks = [search.best(state, shallow, Tally()) for shallow in range(1, depth + 1)]
    assert (looks[-1].code, looks[-1].value) == (plain.code, plain.value)


@settings(max_examples=long_or(5, 10), deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_strong_search_agrees_with_plain_minimax_at_greater_depths(seed: int) -> None:
    state, search = walked(CONNECT4.initial({"columns": 5, "rows": 5}), seed), Strong()
    for depth in range(1, 6):
        found, plain = search.best(state, depth, Tally()), Plain().best(state, depth, Tally())
        assert (found.code, found.value) == (plain.code, plain.value)


def test_one_search_serves_every_position_of_a_game() -> None:
    search = Strong()
    for state in POSITIONS:
        assert search.best(state, END, Tally()).value == value_of(state)


def tree_nodes(start: State, depth: int) -> int:
    """Count the nodes of plain minimax, with equal positions of a ply counted together."""
    layer, nodes = Counter([start]), 1
    for _ in range(depth):
        later: Counter[State] = Counter()
        for state, times in layer.items():
            for code in state.codes():
                later[state.after(code)] += times
        layer, nodes = later, nodes + later.total()
    return nodes


@pytest.mark.slow
def test_the_strong_search_visits_less_than_a_hundredth_of_the_nodes() -> None:
    """Count nodes on connect four's empty board at depth 7, including all shallower searches."""
    start, plain, strong, search = CONNECT4.initial(), Tally(), Tally(), Strong()
    Plain().best(start, 4, plain)
    assert plain.nodes == tree_nodes(start, 4) == 1 + 7 + 49 + 343 + 2401
    for depth in range(1, 8):
        search.best(start, depth, strong)
    assert strong.nodes * 100 < tree_nodes(start, 7) == 960_793


def test_four_by_four_connect_four_is_solved() -> None:
    found, _ = solve(Strong().best, CONNECT4.initial({"columns": 4, "rows": 4}))
    assert (found.value, found.complete) == (0, True)


def test_minichess_is_won_in_three_plies() -> None:
    found, _ = solve(Strong().best, get_game("minichess").initial())
    assert (get_game("minichess").initial().text_of(found.code), found.value) == ("a2b3", 1)


def test_a_small_table_forgets_and_is_right_all_the_same() -> None:
    search = Strong(positions=50)
    assert search.best(TICTACTOE.initial(), END, Tally()).value == 0
    assert 0 < len(search.table) <= 50


def test_where_a_table_may_fold() -> None:
    assert is_symmetric(CONNECT4.initial())
    assert not is_symmetric(CONNECT4.initial().play("a"))


class Interrupted(Strong):
    """Finds a given value for the first move, and is then out of time."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.seen = [value]

    def after(
        self, state: State, code: int, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0
    ) -> float:
        if not self.seen:
            raise OutOfTime
        return self.seen.pop()


def test_a_win_in_hand_is_taken_when_the_time_is_over() -> None:
    """An earlier move in the order may win, too, but no time is left to find it."""
    state, search = CONNECT4.initial(), Interrupted(1.0)
    search.history[0][3] = 1.0  # makes d the first move to be looked at
    assert search.best(state, 5, Tally()).code == 3
    with pytest.raises(OutOfTime):
        Interrupted(0.5).best(state, 5, Tally())
