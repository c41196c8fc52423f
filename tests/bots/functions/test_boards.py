from typing import Any

import pytest
from rumble_bots.functions.boards import BOARD_GAMES

TICTACTOE = {"board": "XO..O.X.."}
CONNECT4 = {"board": "......X.....OX..X.", "columns": 6, "rows": 3, "connect": 4}


def test_tictactoe_is_three_rows_of_marks_and_none() -> None:
    board = BOARD_GAMES["tictactoe"].board(TICTACTOE)
    assert board == [["X", "O", None], [None, "O", None], ["X", None, None]]


def test_connect4_is_rows_from_the_top() -> None:
    board = BOARD_GAMES["connect4"].board(CONNECT4)
    assert len(board) == 3
    assert board[1] == ["X", None, None, None, None, None]
    assert board[2] == ["O", "X", None, None, "X", None]


class Number:
    """An integer that is no `int`, like numpy's."""

    def __index__(self) -> int:
        return 2


@pytest.mark.parametrize(
    ("game", "answer", "move"),
    [
        ("tictactoe", (1, 0), "3"),
        ("tictactoe", [2, 1], "7"),
        ("tictactoe", (Number(), Number()), "8"),
        ("tictactoe", 5, "5"),
        ("tictactoe", "7", "7"),
        ("connect4", (2, 3), "d"),
        ("connect4", (0, 5), "f"),
        ("connect4", 0, "a"),
        ("connect4", Number(), "c"),
        ("connect4", "e", "e"),
    ],
)
def test_answers_are_moves(game: str, answer: Any, move: str) -> None:
    assert BOARD_GAMES[game].move(answer, TICTACTOE if game == "tictactoe" else CONNECT4) == move


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
@pytest.mark.parametrize(
    "answer", [None, (), (1,), (1, 2, 3), (3, 9), (-1, 0), (0, -1), -1, 99, 1.5, (0.0, 1), True, {}]
)
def test_other_answers_are_passed_on_for_the_referee_to_name(game: str, answer: Any) -> None:
    assert BOARD_GAMES[game].move(answer, TICTACTOE if game == "tictactoe" else CONNECT4) == repr(answer)
