"""Boards with either side to move."""

from itertools import product

import pytest
from rumble_bots.functions.any_board import AnyBoard
from rumble_engine import BadPosition, IllegalMove


def test_two_x_and_three_o_with_either_side_to_move() -> None:
    for seat, after in ((0, "XOOXO.X.."), (1, "XOOOO.X..")):
        board = AnyBoard.read("XOO.O.X..", seat)
        assert board.to_move == seat
        assert board.play("3").text() == after
        assert board.play("3").to_move == 1 - seat
    with pytest.raises(IllegalMove, match="square 0 is taken"):
        board.play("0")


def test_a_key_is_the_same_for_turned_boards_and_differs_by_the_side() -> None:
    keys = {AnyBoard.read(text, 0).canonical() for text in ("X........", "..X......", "......X..", "........X")}
    assert keys == {AnyBoard.read("X........", 0).canonical()} != {AnyBoard.read("X........", 1).canonical()}
    assert AnyBoard.read("X........", 0) != AnyBoard.read("X........", 1)


@pytest.mark.parametrize("text", ["", "X", "X" * 10, "xo.......", "XO.......\n"])
def test_a_text_that_is_no_board_of_nine_cells_is_refused(text: str) -> None:
    with pytest.raises(BadPosition, match="is not nine of X, O and"):
        AnyBoard.read(text, 0)


def test_every_board_is_read() -> None:
    texts = ["".join(cells) for cells in product("XO.", repeat=9)]
    assert [AnyBoard.read(text, 1).text() for text in texts] == texts
