"""Gomoku and its family: equal to tic-tac-toe at 3,3,3, both rules for long rows, texts and errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games import tictactoe
from rumble_engine.games.mnk import GAME, MnkState

from .counting import ended, played

THREE = {"columns": 3, "rows": 3, "connect": 3}
NUMBERS = {name: str(number) for number, name in enumerate(("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"))}


def test_three_by_three_is_tictactoe() -> None:
    """Compare all positions: both games have 5,478 positions, 765 up to symmetry."""
    found = edge = {(GAME.initial(THREE), tictactoe.GAME.initial())}
    while edge:
        later = set()
        for state, plain in edge:
            assert state.view()["board"] == plain.text()
            assert (state.outcome is None) == (plain.outcome is None)
            if state.outcome and plain.outcome:
                assert state.outcome.winner == plain.outcome.winner
            assert [NUMBERS[move] for move in state.legal_moves] == list(plain.legal_moves)
            later |= {(state.play(move), plain.play(NUMBERS[move])) for move in state.legal_moves}
        edge = later
        found = found | edge
    assert len(found) == 5_478
    assert len({state.canonical() for state, _ in found}) == 765


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("h8 a1 i8 b1 j8 c1 k8 d1 l8", "level"),
        ("h8 a1 h9 b1 h10 c1 h11 d1 h12", "upright"),
        ("a1 a3 b2 a4 c3 a5 d4 a6 e5", "rising"),
        ("k15 a3 l14 a4 m13 a5 n12 a6 o11", "falling, in the corner"),
    ],
)
def test_five_in_a_row_wins(moves: str, reason: str) -> None:
    assert ended(played(GAME.initial(), moves)) == (0, "5 in a row")
    assert ended(played(GAME.initial({"line": "exact"}), moves)) == (0, "5 in a row")


def test_six_in_a_row_wins_only_freestyle() -> None:
    moves = "a8 a1 b8 b1 c8 c1 e8 a3 f8 b3"
    assert ended(played(GAME.initial(), f"{moves} d8"))[0] == 0
    exact = played(GAME.initial({"line": "exact"}), f"{moves} d8")
    assert exact.outcome is None
    assert exact.play("o15").play("k1").outcome is None


def test_a_row_does_not_run_around_the_edge() -> None:
    assert played(GAME.initial(), "m8 a1 n8 b1 o8 c1 a7 d1 b7").outcome is None


def test_a_full_board_is_a_draw() -> None:
    state = GAME.parse("XOX/XOO/OXX", {"connect": 3})
    assert ended(state) == (None, "board full")


@given(st.sets(st.integers(0, 29)), st.booleans(), st.integers(3, 6))
def test_a_line_is_found_wherever_it_is(cells: set[int], exact: bool, connect: int) -> None:
    settings = {"columns": 6, "rows": 5, "connect": connect, "line": "exact" if exact else "freestyle"}
    rules = GAME.initial(settings).rules
    stones = sum(1 << rules.board.cells[cell] for cell in cells)
    assert rules.has_line(stones) == any(stones & line == line and not stones & ends for line, ends in rules.lines)


@given(st.permutations(range(30)), st.integers(0, 30), st.integers(3, 6))
def test_promise_is_the_sum_over_lines(cells: list[int], stones: int, connect: int) -> None:
    rules = GAME.initial({"columns": 6, "rows": 5, "connect": connect}).rules
    taken = [1 << rules.board.cells[cell] for cell in cells[:stones]]
    mine, theirs = sum(taken[::2]), sum(taken[1::2])
    assert rules.promise(mine, theirs) == sum(
        (line & mine).bit_count() ** 2 for line, _ in rules.lines if not line & theirs
    )


@given(st.permutations([f"{column}{row}" for column in "abcd" for row in range(1, 5)]))
def test_rotations_and_reflections_have_one_canonical(moves: list[str]) -> None:
    def turned(move: str) -> str:
        return f"{'abcd'[int(move[1]) - 1]}{4 - 'abcd'.index(move[0])}"

    def mirrored(move: str) -> str:
        return f"{'dcba'['abcd'.index(move[0])]}{move[1]}"

    state = turn = mirror = GAME.initial({"columns": 4, "rows": 4, "connect": 4})
    for move in moves[:9]:
        state, turn, mirror = state.play(move), turn.play(turned(move)), mirror.play(mirrored(move))
        assert state.canonical() == turn.canonical() == mirror.canonical()
        assert state.estimate() == turn.estimate() == mirror.estimate()
        if state.outcome:
            break


def test_texts() -> None:
    state = GAME.initial({"columns": 4, "rows": 3, "connect": 3}).play("a3").play("d1")
    assert state.text() == "X.../..../...O"
    assert state.diagram() == "3 X . . .\n2 . . . .\n1 . . . O\n  a b c d"
    assert state.view() == {"board": "X..........O", "columns": 4, "rows": 3, "connect": 3, "line": "freestyle"}


def test_refusals() -> None:
    state = GAME.initial().play("h8")
    with pytest.raises(UnreadableMove, match="'p1' is not a move: squares are a1 to o15"):
        state.play("p1")
    with pytest.raises(UnreadableMove):
        state.play("H8")
    with pytest.raises(IllegalMove, match="h8 is taken"):
        state.play("h8")
    with pytest.raises(BadSettings, match="connect must fit on the board: 5 in a row on 4 columns and 3 rows"):
        GAME.initial({"columns": 4, "rows": 3})
    with pytest.raises(BadSettings, match="line must be one of freestyle, exact, not 'renju'"):
        GAME.initial({"line": "renju"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("X../X./...", "is not 3 rows of 3"),
        ("X../X../...", "X moves first"),
        ("XXX/OOO/...", "play went on after 3 in a row"),
        ("XXX/OO./O..", "play went on after 3 in a row"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises((BadPosition, BadSettings), match=problem):
        GAME.parse(text, {"connect": 3})


def test_a_last_stone_may_complete_two_rows() -> None:
    state: MnkState = GAME.parse("XXX/XOO/XOO", {"connect": 3})
    assert ended(state) == (0, "3 in a row")
