"""Rectangular boards: names, masks and texts agree."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import BadPosition
from rumble_engine.squares import squares, turned

shapes = st.tuples(st.integers(1, 19), st.integers(1, 19), st.booleans())


@given(shapes, st.data())
def test_a_drawn_board_is_read_back(shape: tuple[int, int, bool], data: st.DataObject) -> None:
    columns, rows, from_top = shape
    board = squares(columns, rows, from_top=from_top)
    text = data.draw(st.text("XO.", min_size=columns * rows, max_size=columns * rows))
    masks = board.read(".XO", text)
    assert board.draw(".XO", *masks) == text
    assert "".join(board.split(text)) == text
    for mark, mask in zip("XO", masks, strict=True):
        names = [board.names[cell] for cell in board.cells_in(mask)]
        assert names == board.names_in(mask)
        assert len(names) == text.count(mark) == mask.bit_count()


def test_names_count_rows_from_either_edge() -> None:
    assert squares(2, 3, from_top=True).names_in(squares(2, 3, from_top=True).full) == [
        "a1",
        "b1",
        "a2",
        "b2",
        "a3",
        "b3",
    ]
    board = squares(2, 3, from_top=False)
    assert board.names_in(board.full) == ["a3", "b3", "a2", "b2", "a1", "b1"]
    assert board.names_in(board.row(-1) & board.column(0)) == ["a1"]
    assert board.diagram("XO.X..") == "3 X O\n2 . X\n1 . .\n  a b"


def test_a_step_runs_off_the_board_not_around_it() -> None:
    board = squares(3, 3, from_top=True)
    for step in board.steps:
        for cell in board.cells:
            for end in (1 << cell << step, 1 << cell >> step):
                if end & board.full:
                    row, column = divmod(cell, board.stride)
                    down, across = divmod(end.bit_length() - 1, board.stride)
                    assert max(abs(row - down), abs(column - across)) == 1


def test_shapes_are_shared_also_by_copies() -> None:
    board = squares(5, 4, from_top=True)
    assert copy.deepcopy(board) is board is squares(5, 4, from_top=True)
    assert board is not squares(5, 4, from_top=False)


@pytest.mark.parametrize(("text", "problem"), [("XO", "is not 2 rows of 2"), ("XO.?", "other characters than . X O")])
def test_a_text_that_is_no_drawn_board_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        squares(2, 2, from_top=True).read(".XO", text)


def test_turns_of_a_square_and_of_a_rectangle() -> None:
    assert set(turned(["ab", "cd"])) == {"abcd", "badc", "dcba", "cdab", "acbd", "cadb", "dbca", "bdac"}
    assert set(turned(["abc", "def"])) == {"abcdef", "cbafed", "fedcba", "defabc"}
