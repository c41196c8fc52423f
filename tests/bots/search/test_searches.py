"""The searches: equal values and moves, and the published numbers of nodes."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_bots.search import END, SEARCHES, AlphaBeta, Cached, CachedAlphaBeta, Found, Plain, Search, Tally
from rumble_bots.search import alphabeta as alphabeta_module
from rumble_bots.search import cached as cached_module
from rumble_engine import State

from .fixtures import CONNECT4, POSITIONS, TICTACTOE, Again, value_of, values_of

each_search = pytest.mark.parametrize("kind", SEARCHES.values(), ids=SEARCHES)


class Recording(Plain):
    """Plain minimax that records every value."""

    def __init__(self) -> None:
        self.values: dict[State, float] = {}

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        value = self.values[state] = super().value(state, depth, tally, alpha, beta)
        return value


def first_best(state: State) -> int:
    values = values_of(state)
    return max(values, key=values.__getitem__)  # the first of the highest


@pytest.mark.slow
def test_plain_minimax_visits_549946_nodes_and_is_right_at_each() -> None:
    search, tally = Recording(), Tally()
    found = search.best(TICTACTOE.initial(), END, tally)
    assert tally.nodes == 549_946
    assert (found.code, found.value, found.complete) == (0, 0, True)
    assert len(search.values) == 5_477  # all positions but the empty board
    assert all(value == value_of(state) for state, value in search.values.items())


@pytest.mark.parametrize("kind", [Cached, AlphaBeta, CachedAlphaBeta])
@pytest.mark.slow
def test_the_faster_searches_agree_on_every_position(kind: type[Search]) -> None:
    search = kind()
    for state in POSITIONS:
        found = search.best(state, END, Tally())
        assert (found.code, found.value) == (first_best(state), value_of(state)), state.text()
        assert search.value(state, END, Tally()) == value_of(state)


def test_nodes_from_the_empty_board() -> None:
    """A search with a table visits a node for each of the 765 positions up to symmetry."""
    nodes = {}
    for name in ("cached", "alphabeta", "cached-alphabeta"):
        tally = Tally()
        SEARCHES[name]().best(TICTACTOE.initial(), END, tally)
        nodes[name] = tally.nodes
    assert nodes["cached"] == 765
    assert nodes["cached-alphabeta"] < nodes["cached"] < nodes["alphabeta"] < 20_000


@each_search
def test_a_draw_is_not_minus_zero(kind: type[Search]) -> None:
    found = kind().best(TICTACTOE.parse("XOXOXXO.O"), END, Tally())
    assert str(found.value) == "0.0"


@each_search
def test_a_seat_may_move_twice(kind: type[Search]) -> None:
    for pile in range(1, 13):
        found = kind().best(Again(pile), END, Tally())
        assert (found.code, found.value) == (first_best(Again(pile)), value_of(Again(pile)))


@each_search
def test_four_by_four_connect_four_ends_in_a_draw(kind: type[Search]) -> None:
    """Published for the empty board (https://tromp.github.io/c4/c4.html); here from eight plies on, for speed."""
    state = CONNECT4.initial({"columns": 4, "rows": 4})
    for move in "abcdabcd":
        state = state.play(move)
    found = kind().best(state, END, Tally())
    assert (found.value, found.complete) == (value_of(state), True)


opening = st.lists(st.integers(0, 6), max_size=30)


def reach(choices: Sequence[int]) -> State:
    state = CONNECT4.initial()
    for choice in choices:
        if codes := state.codes():
            state = state.after(codes[choice % len(codes)])
    return state


@settings(max_examples=20, deadline=None)
@given(opening, st.integers(1, 3))
def test_at_a_limited_depth_the_searches_agree_with_plain_minimax(choices: list[int], depth: int) -> None:
    """Searches with a table do so while it is new."""
    state = reach(choices)
    if state.codes():
        pruned, plain = AlphaBeta().best(state, depth, Tally()), Plain().best(state, depth, Tally())
        assert (pruned.code, pruned.value) == (plain.code, plain.value)
        for search in (Cached(), CachedAlphaBeta()):
            assert search.value(state, depth, Tally()) == plain.value


@each_search
def test_where_a_search_stops_early_the_estimate_counts_and_is_told(kind: type[Search]) -> None:
    search, state = kind(), TICTACTOE.parse("X...O....")
    guesses = [-state.after(code).estimate() for code in state.codes()]
    found = search.best(state, 1, Tally())
    assert found == Found(state.codes()[guesses.index(max(guesses))], max(guesses), complete=False)
    assert search.best(state, 1, Tally()) == found  # now from the table, if the search has a table
    assert search.best(state, END, Tally()).complete


@pytest.mark.parametrize("kind", [Cached, CachedAlphaBeta])
def test_a_table_answers_without_a_node(kind: type[Search]) -> None:
    search, tally = kind(), Tally()
    search.best(TICTACTOE.initial(), END, Tally())
    search.best(TICTACTOE.initial(), END, tally)
    assert tally.nodes == 1  # the root


@pytest.mark.parametrize("kind", [Cached, CachedAlphaBeta])
def test_a_full_table_is_emptied(kind: type[Search], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cached_module, alphabeta_module):
        monkeypatch.setattr(module, "LIMIT", 50)
    search = kind()
    assert search.best(TICTACTOE.parse("X...O...."), END, Tally()).value == 0
    assert isinstance(search, Cached | CachedAlphaBeta)
    assert 0 < len(search.table) <= 50


def test_a_shallow_look_does_not_replace_a_deep_one() -> None:
    search, state = CachedAlphaBeta(), TICTACTOE.initial().play("0")
    search.value(state, END, Tally(), -1.0, -0.5)  # at least a draw, and no more is known
    search.value(state, 2, Tally(), 0.0, 1.0)
    assert search.table[state.canonical()] == (END, 0.0, 1.0)
