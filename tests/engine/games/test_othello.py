"""Othello: published counts, passes, and small boards solved."""

import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.othello import GAME

from .counting import ended, perft, played, random_states, value


def test_published_counts() -> None:
    """Ways to play 1, 2, ... plies; a pass is a ply. Aart Bik, "Strategy Games", http://www.aartbik.com/strategy.php."""
    start = GAME.initial()
    assert [perft(start, depth) for depth in range(1, 8)] == [4, 12, 56, 244, 1_396, 8_200, 55_092]


def test_the_start() -> None:
    start = GAME.initial()
    assert start.diagram().split("\n")[3:5] == ["4 . . . O X . . .", "5 . . . X O . . ."]
    assert list(start.legal_moves) == ["d3", "c4", "f5", "e6"]
    assert start.view() == {"board": "." * 27 + "OX" + "." * 6 + "XO" + "." * 27, "size": 8, "to_move": 0}
    assert len({start.play(move).canonical() for move in start.legal_moves}) == 1


def test_a_side_that_cannot_move_passes() -> None:
    state = played(GAME.initial({"size": 4}), "b1 c1 d3 a1")
    assert state == GAME.parse("OOO./.XX./.XXX/.... X")
    assert list(state.legal_moves) == ["pass"]
    with pytest.raises(IllegalMove, match="d2 turns no disc over"):
        state.play("d2")
    after = state.play("pass")
    assert after.to_move == 1
    assert list(after.legal_moves) == ["a3", "b4", "c4", "d4"]
    with pytest.raises(IllegalMove, match="pass is not allowed: there is a move"):
        after.play("pass")


def test_a_match_without_a_move_for_both_is_over() -> None:
    assert ended(GAME.parse("XXXX/XXXX/XXXX/XXX. O")) == (0, "15 discs to 0")
    assert ended(GAME.parse("XXOO/XXOO/XXOO/XXOO X")) == (None, "8 discs each")


def test_four_by_four_is_won_by_the_second_player() -> None:
    """Search the small board fully; the result is well known (Feinstein got the same for 6x6 in 1993)."""
    assert value(GAME.initial({"size": 4}), {}) == -1


def test_symmetric_matches_have_one_canonical() -> None:
    for state in random_states(GAME, 3, {"size": 6})[:30]:
        x, _, mark = state.text().partition(" ")
        rows = x.split("/")
        turned = "/".join("".join(column[::-1]) for column in zip(*rows, strict=True))
        twin = GAME.parse(f"{turned} {mark}")
        assert twin.canonical() == state.canonical()
        assert twin.estimate() == state.estimate()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("..../.XO./.OX./... X", "is not 4 rows of 4"),
        ("..../.XO./.OX./.... x", "the text must end with the mark to move: X or O"),
        ("..../.XO./.O../.... X", "the four squares in the middle"),
        ("..../.XO./.OZ./.... X", "holds other characters"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text)


def test_refusals() -> None:
    for size, problem in ((7, "size must be even, not 7"), (2, "from 4 to 12, not 2"), (14, "from 4 to 12, not 14")):
        with pytest.raises(BadSettings, match=problem):
            GAME.initial({"size": size})
    with pytest.raises(UnreadableMove, match="'i1' is not a move: squares are a1 to h8, or \"pass\""):
        GAME.initial().play("i1")
    with pytest.raises(IllegalMove, match="d4 is taken"):
        GAME.initial().play("d4")
