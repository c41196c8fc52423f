"""Breakthrough: known counts, the two ways to win, texts and errors."""

import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.breakthrough import GAME

from .counting import ended, perft, played, random_states, value


@pytest.mark.parametrize(
    ("columns", "rows", "counts"),
    [
        (8, 8, [22, 484, 11_132]),
        (5, 5, [13, 156, 1_924, 23_084]),
        (3, 4, [4, 20, 112, 500, 2_422, 9_526]),
        (2, 6, [4, 16, 72, 308, 1_376, 5_676, 24_204]),
    ],
)
def test_counts(columns: int, rows: int, counts: list[int]) -> None:
    """The counts of OpenSpiel 2.0 on 8x8, and elsewhere of a plain second implementation of the rules."""
    start = GAME.initial({"columns": columns, "rows": rows})
    assert [perft(start, depth) for depth in range(1, len(counts) + 1)] == counts


def test_reaching_the_last_row_wins() -> None:
    state = played(GAME.initial({"columns": 3, "rows": 5}), "a2a3 c4c3 a3b4 c5b4 b2c3 b4a3 c3c4 a4b3 c4b5")
    assert ended(state) == (0, "reached the last row")
    state = played(GAME.initial({"columns": 3, "rows": 5}), "a2b3 a4b3 a1a2 b3c2 a2a3 c2b1")
    assert ended(state) == (1, "reached the last row")


def test_taking_the_last_piece_wins() -> None:
    assert ended(GAME.parse("..../.B../W.../.... W").play("a2b3")) == (0, "took the last piece")
    assert ended(GAME.parse("..../.B../W.../.... B").play("b3a2")) == (1, "took the last piece")


def test_symmetry_and_colours() -> None:
    for state in random_states(GAME, 5, {"columns": 5, "rows": 6}):
        board, _, mark = state.text().partition(" ")
        mirrored = GAME.parse(f"{'/'.join(row[::-1] for row in board.split('/'))} {mark}")
        swapped = GAME.parse(f"{board[::-1].translate(str.maketrans('WB', 'BW'))} {'BW'['WB'.index(mark)]}")
        assert mirrored.canonical() == swapped.canonical() == state.canonical()
        assert mirrored.estimate() == pytest.approx(swapped.estimate()) == pytest.approx(state.estimate())


@pytest.mark.parametrize(("columns", "rows", "best"), [(2, 4, -1), (2, 5, -1), (2, 6, 1), (3, 4, -1)])
def test_the_smallest_boards_by_full_search(columns: int, rows: int, best: int) -> None:
    assert value(GAME.initial({"columns": columns, "rows": rows}), {}) == best


def test_texts() -> None:
    state = GAME.initial({"columns": 3, "rows": 5}).play("b2b3")
    assert state.text() == "BBB/BBB/.W./W.W/WWW B"
    assert state.diagram() == "5 B B B\n4 B B B\n3 . W .\n2 W . W\n1 W W W\n  a b c"
    assert state.view() == {"board": "BBBBBB.W.W.WWWW", "columns": 3, "rows": 5, "to_move": 1}
    assert GAME.initial().legal_moves[:4] == ["a2a3", "a2b3", "b2a3", "b2b3"]


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        ("a3a4", "no piece of yours is on a3"),
        ("a7a6", "no piece of yours is on a7"),
        ("b1b2", "b2 is taken"),
        ("b1c2", "c2 is taken"),
    ],
)
def test_moves_that_are_not_allowed(move: str, problem: str) -> None:
    with pytest.raises(IllegalMove, match=problem):
        GAME.initial().play(move)


def test_pieces_never_step_back_or_take_straight_ahead() -> None:
    state = GAME.parse("B.../.B../.W../...W W")
    with pytest.raises(IllegalMove, match="pieces step forward"):
        state.play("b2b1")
    with pytest.raises(IllegalMove, match="b3 is taken"):
        state.play("b2b3")
    for text in ("b2b4", "b2", "b2-b3", "b2e3", "b2b2"):
        with pytest.raises(UnreadableMove):
            state.play(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("W.../..../..../B... W", "play went on"),
        ("..../..../..../.... W", "play went on"),
        ("BBBB/BBBB/B.../WWWW W", "at most 8 pieces"),
        ("WW../..../..../BBBB B", "play went on"),
        ("..../B.../..../W... X", "the text must end with the mark to move: W or B"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text)


def test_settings_and_text_agree() -> None:
    with pytest.raises(BadPosition, match="is not 8 rows of 4"):
        GAME.parse("B.../..../..../W... W", {"rows": 8})
    with pytest.raises(BadSettings):
        GAME.initial({"columns": 1})
