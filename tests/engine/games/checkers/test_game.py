"""Checkers: published counts, jumps and crowning, both draws, texts and errors."""

import pytest
from rumble_engine import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.games.checkers.game import CELLS, GAME, CheckersState

from tests.engine.games.counting import ended, perft, played, random_states


def placed(mover: str = "b", **pieces: list[int]) -> CheckersState:
    """Return the position with these pieces: `b`, `B`, `w`, `W` and the squares of each."""
    cells = ["."] * 72
    for mark, squares in pieces.items():
        for square in squares:
            cells[CELLS[square - 1]] = mark
    return GAME.parse(f"{'/'.join(''.join(cells[row : row + 8]) for row in range(0, 72, 9))} {mover}")


def test_published_counts() -> None:
    """Aart Bik, "perft for 8x8 checkers" (http://www.talkchess.com/forum3/viewtopic.php?t=27814)."""
    start = GAME.initial()
    assert [perft(start, depth) for depth in range(1, 7)] == [7, 49, 302, 1_469, 7_361, 36_768]


def test_the_start() -> None:
    start = GAME.initial()
    assert start.text() == ".b.b.b.b/b.b.b.b./.b.b.b.b/......../......../w.w.w.w./.w.w.w.w/w.w.w.w. b"
    assert list(start.legal_moves) == ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]
    assert start.diagram().split("\n")[3] == " 13    14    15    16   "


def test_a_jump_must_be_made_and_to_its_end() -> None:
    state = placed(b=[11, 1], w=[15, 22, 32])
    assert list(state.legal_moves) == ["11x18x25"]
    for text, problem in (
        ("1-6", "a jump is compulsory, with all its further jumps"),
        ("11x18", "a jump is compulsory, with all its further jumps"),
        ("11x25", "write each square it touches, as 11x18x25"),
        ("32-28", "no piece of yours is on 32"),
    ):
        with pytest.raises(IllegalMove, match=problem):
            state.play(text)
    after = state.play("11x18x25")
    assert after.text().split(" ")[0].count("w") == 1
    assert after.to_move == 1


def test_any_jump_may_be_chosen() -> None:
    state = placed(b=[10], w=[14, 15, 22, 32])
    assert set(state.legal_moves) == {"10x17x26", "10x19"}


def test_a_crowned_man_stops() -> None:
    """The man jumps from 22 over 26 to 31. As a king it could jump back over 27, but crowning ends the move."""
    state = placed(b=[22], w=[26, 27, 12])
    assert list(state.legal_moves) == ["22x31"]
    after = state.play("22x31")
    assert after.text().split(" ")[0].count("B") == 1


def test_a_king_may_jump_in_a_circle() -> None:
    state = placed(B=[15], w=[18, 26, 27, 19, 12])
    assert {move for move in state.legal_moves if move.endswith("x15")} == {"15x22x31x24x15", "15x24x31x22x15"}
    assert state.play("15x22x31x24x15").text().split(" ")[0].count("w") == 1


def test_a_seat_that_cannot_move_loses() -> None:
    state = placed(mover="b", b=[9, 1], w=[14, 32])
    assert ended(played(placed(b=[27], w=[32], mover="w"), "32x23")) == (1, "no move left")
    assert state.outcome is None
    assert ended(placed(mover="w", w=[29, 30], b=[25, 22, 21, 26, 23])) == (0, "no move left")


def test_the_third_appearance_is_a_draw() -> None:
    state = placed(B=[1], W=[32])
    there_and_back = "1-5 32-28 5-1 28-32"
    state = played(state, f"{there_and_back} {there_and_back}")
    assert ended(state) == (None, "position repeated")
    never = GAME.parse(placed(B=[1], W=[32]).text(), {"repetitions": 0})
    assert played(never, " ".join([there_and_back] * 4)).outcome is None


def test_quiet_moves_are_a_draw() -> None:
    state = GAME.parse(placed(B=[1], W=[32], b=[2]).text(), {"repetitions": 0, "quiet_moves": 3})
    assert ended(played(state, "1-5 32-28 5-1 28-32 1-5 32-28")) == (None, "no capture and no man moved for long")
    assert played(state, "1-5 32-28 5-1 28-32 2-6 32-28").outcome is None


def test_history_comes_back_from_view_and_text() -> None:
    state = played(placed(B=[1], W=[32]), "1-5 32-28 5-1 28-32 1-5")
    assert state.view()["since"] == ["1-5", "32-28", "5-1", "28-32", "1-5"]
    assert state.text().endswith(" w 1-5 32-28 5-1 28-32 1-5")
    for twin in (GAME.load(state.view()), GAME.parse(state.text())):
        assert twin == state
        assert ended(played(twin, "32-28 5-1 28-32")) == (None, "position repeated")


@pytest.mark.parametrize("since", [["1-5"], ["28-32"], ["32x28"], ["5-1", "28-24"], ["5-1", "9-14"], ["9-14"], ["?"]])
def test_a_history_that_cannot_be_is_refused(since: list[str]) -> None:
    view = placed(B=[1], W=[28], b=[14]).view()
    with pytest.raises(BadPosition, match="`since`"):
        GAME.load({**view, "since": since})


def test_both_sides_see_one_canonical() -> None:
    swap = str.maketrans("bBwW", "wWbB")
    for state in random_states(GAME, 4):
        rows, mark, *since = state.text().split(" ")
        turned = [f"{'x' if 'x' in move else '-'}".join(str(33 - int(s)) for s in move.split("-")) for move in since]
        twin = GAME.parse(" ".join([rows[::-1].translate(swap), mark.translate(swap), *turned]))
        assert twin.canonical() == state.canonical()
        assert twin.estimate() == state.estimate()


@pytest.mark.parametrize(
    "text", ["11", "11-", "11-33", "0-4", "011-15", "11-15-18", "11x15", "11-18", "11 15", "11–15"]
)
def test_only_the_exact_notation_counts(text: str) -> None:
    with pytest.raises((UnreadableMove, IllegalMove)):
        GAME.initial().play(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("b......./......../......../......../......../......../......../......W. b", "dark squares only"),
        (".b.b.b.b/b.b.b.b./.b.b.b.b/b......./......../......../......../......W. b", "at most 12"),
        ("......../......../......../......../......../......../......../......b. b", "must be a king"),
        ("......../......../......../......../......../......../......../........ b", "one side has some"),
        ("......../......../......../......../......../......../......../......w. x", "the mark to move"),
        ("......../......../......../......../......../......../........ b", "is not 8 rows"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text)
