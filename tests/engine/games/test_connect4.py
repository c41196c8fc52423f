"""Connect four: its published counts, its texts and its errors."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.connect4 import GAME, Connect4State
from rumble_engine.games.mnk import family
from rumble_engine.grid import grid

from tests.engine.games.counting import ended, perft, played

SMALL = {"columns": 5, "rows": 5}


def reachable(state: Connect4State, plies: int) -> list[int]:
    """Return the numbers of different positions after 0, 1, ... plies."""
    layer, counts = {state}, [1]
    for _ in range(plies):
        layer = {later.after(code) for later in layer for code in later.codes()}
        counts.append(len(layer))
    return counts


def test_published_perft() -> None:
    """Counts from the empty 7x6 board; seven plies have 7 to the 7 ways, less the seven that overfill a column."""
    counts = [perft(GAME.initial(), depth) for depth in range(1, 8)]
    assert counts == [7, 49, 343, 2_401, 16_807, 117_649, 823_536]


def test_published_numbers_of_positions() -> None:
    """Positions of the 7x6 board by plies: OEIS A212693."""
    assert reachable(GAME.initial(), 6) == [1, 7, 49, 238, 1_120, 4_263, 16_422]


@pytest.mark.long
def test_the_published_number_of_positions_of_a_small_board() -> None:
    """Positions of the 4x4 board: John Tromp's table (https://tromp.github.io/c4/c4.html)."""
    assert sum(reachable(GAME.initial({"columns": 4, "rows": 4}), 16)) == 161_029


def test_perft_of_five_by_five() -> None:
    """Five to the sixth less the five ways to put six stones in a column."""
    assert perft(GAME.initial(SMALL), 6) == 5**6 - 5


@given(st.sets(st.integers(0, 29)), st.integers(3, 6))
def test_a_line_is_found_where_gomoku_finds_it(cells: set[int], connect: int) -> None:
    shape, rules = grid(6, 5, connect), family(6, 5, connect, exact=False)
    stones = sum(shape.bottoms[cell % 6] << 4 - cell // 6 for cell in cells)
    assert shape.has_line(stones) == rules.has_line(sum(1 << rules.board.cells[cell] for cell in cells))


@given(st.lists(st.sampled_from("abcdefg"), max_size=42))
def test_a_mirrored_match_has_the_same_canonical(moves: list[str]) -> None:
    state = mirror = GAME.initial()
    for move in moves:
        if move not in state.legal_moves:
            continue
        state, mirror = state.play(move), mirror.play("gfedcba"["abcdefg".index(move)])
        assert state.canonical() == mirror.canonical()
        assert state.estimate() == mirror.estimate()
        assert -1 < state.estimate() < 1


def test_canonical_tells_positions_and_shapes_apart() -> None:
    start = GAME.initial()
    assert start.play("a").canonical() == start.play("g").canonical() != start.play("b").canonical()
    assert start.canonical() != GAME.initial({"connect": 5}).canonical()


def test_view() -> None:
    state = GAME.initial({"columns": 4, "rows": 4, "connect": 3}).play("b").play("b").play("d")
    assert (
        state.view() == state.view(1) == {"board": "........" + ".O.." + ".X.X", "columns": 4, "rows": 4, "connect": 3}
    )
    assert state.text() == "..../..../.O../.X.X"
    assert state.diagram() == ". . . .\n. . . .\n. O . .\n. X . X\na b c d"
    assert state.to_move == 1


@pytest.mark.parametrize(
    ("moves", "winner"),
    [("abababa", 0), ("aabbccd", 0), ("gabacada", 1), ("abbccdcddgd", 0), ("gffeededdad", 0)],
    ids=["upright", "level", "upright of O", "rising", "falling"],
)
def test_four_in_a_row_wins(moves: str, winner: int) -> None:
    assert ended(played(GAME.initial(), " ".join(moves))) == (winner, "4 in a row")


def test_a_line_does_not_run_over_the_top() -> None:
    """Three stones at the top of a column and one at the bottom of the next are neighbours in the bit mask."""
    state = GAME.parse("X....../X....../X....../O....../O....../OX.....")
    assert state.outcome is None


def test_a_full_board_is_a_draw() -> None:
    assert ended(GAME.parse("OXOX/XOXO/XOXO/OXOX")) == (None, "board full")


@pytest.mark.parametrize("text", ["", " ", "h", "D", "dd", "d ", " d", "d\n", "3", "ｄ", "\ud800", "x" * 100_000])
def test_only_the_exact_notation_counts(text: str) -> None:
    with pytest.raises(UnreadableMove, match="is not a move: columns are the letters a to g"):
        GAME.initial().play(text)


def test_moves_that_are_not_allowed() -> None:
    state = GAME.initial()
    for _ in range(6):
        state = state.play("c")
    assert "c" not in state.legal_moves
    with pytest.raises(IllegalMove, match="column c is full"):
        state.play("c")
    with pytest.raises(IllegalMove, match=r"a is not allowed: the game is over \(4 in a row\)"):
        GAME.parse("......./......./......./......./OOO..../XXXX...").play("a")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"columns": 3}, "columns must be from 4 to 12, not 3"),
        ({"rows": 13}, "rows must be from 4 to 12, not 13"),
        ({"connect": 2}, "connect must be from 3 to 12, not 2"),
        ({"connect": 8}, "connect must fit on the board: 8 in a row on 7 columns and 6 rows"),
        ({"columns": "7"}, "columns must be an integer"),
        ({"size": 7}, "connect4 has no setting 'size'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadSettings, match=problem):
        GAME.initial(settings)


EMPTY = "/".join(["......."] * 5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{EMPTY}/......", "is not 6 rows of 7 between slashes"),
        (f"{EMPTY}/..x....", "holds other characters"),
        (f"X....../{EMPTY}", "a stone hangs in the air"),
        (f"{EMPTY}/XX.....", "X moves first"),
        (f"{EMPTY}/O......", "X moves first"),
        (f"{EMPTY[8:]}/OOOO.../XXXX...", "play went on after 4 in a row"),
        (f"{EMPTY[8:]}/XXXX.../OOOO...", "play went on after 4 in a row"),
        (f"{EMPTY[16:]}/XXXX.../OOOXOO./XXXXOOO", "play went on after 4 in a row"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text)


def test_the_text_tells_columns_and_rows() -> None:
    assert GAME.parse("...../...../...../...../.....") == GAME.initial(SMALL)
    assert GAME.parse("...../...../...../...../.....", {"connect": 5}) == GAME.initial({**SMALL, "connect": 5})
    assert GAME.parse("...../...../...../...../.....", SMALL) == GAME.initial(SMALL)
    with pytest.raises(BadPosition, match="is not 6 rows of 5 between slashes"):
        GAME.parse("...../...../...../...../.....", {"rows": 6})
    with pytest.raises(BadSettings, match="columns must be from 4 to 12, not 0"):
        GAME.parse("")


def test_shapes_are_shared_also_by_copies() -> None:
    state = GAME.initial(SMALL).play("a")
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), GAME.initial(SMALL).play("a")):
        assert twin == state
        assert twin.grid is state.grid
