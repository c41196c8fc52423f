"""Rectangular boards as bit masks and as text, for the games on squares.

Each cell is a bit, row by row from the top left. A sentinel that is always 0 follows the bits of each row. A step in
any of the eight directions is a shift by a constant. The sentinel catches a step over the edge, which would otherwise
enter the next row.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import compress
from string import ascii_lowercase

from rumble_engine.drawing import Colour, Drawing, Path, Piece, Surface, shown_at
from rumble_engine.errors import BadPosition
from rumble_engine.texts import shown

NAME = re.compile("[a-z][0-9]+")
"""Pattern of a cell's name in a move: a letter and a number."""
BITS = bytes.maketrans(b"01", b"\0\1")


class Squares:
    """A shape of rectangular board, with the names of its cells.

    Call the function `squares` instead of this class. Equal shapes then give the same object, even after pickling, for
    fast comparisons.
    """

    def __init__(self, columns: int, rows: int, from_top: bool) -> None:
        self.columns, self.rows, self.from_top = columns, rows, from_top
        self.stride = stride = columns + 1
        self.size = rows * stride
        self.letters = ascii_lowercase[:columns]
        self.row_labels = tuple(str(row + 1 if from_top else rows - row) for row in range(rows))
        names = [""] * self.size
        for row, label in enumerate(self.row_labels):
            for column, letter in enumerate(self.letters):
                names[row * stride + column] = letter + label
        self.names = tuple(names)
        """Name of each cell: a letter for the column, and the number of the row from the top or the bottom."""
        self.index = {name: cell for cell, name in enumerate(names) if name}
        self.cells = tuple(self.index.values())
        self.places = {name: place for place, name in enumerate(self.index)}
        """The index of each cell in the board's text, by the cell's name."""
        self.full = sum(1 << cell for cell in self.cells)
        self.steps = (1, stride - 1, stride, stride + 1)
        """Shifts, in bits, that move the cells of a mask in four directions: right, down-left, down, and down-right.

        The same shifts in the other direction move the cells to the other four neighbours.
        """

    def __reduce__(self) -> tuple[object, tuple[int, int, bool]]:
        return _squares, (self.columns, self.rows, self.from_top)

    def row(self, number: int) -> int:
        """Return the mask of a row, counted from 0 at the top; -1 is the bottom row."""
        return ((1 << self.columns) - 1) << number % self.rows * self.stride

    def column(self, number: int) -> int:
        """Return the mask of a column, counted from 0 at the left; -1 is the right column."""
        return sum(1 << row * self.stride for row in range(self.rows)) << number % self.columns

    def cells_in(self, mask: int) -> list[int]:
        """Return the cells in a mask, row by row."""
        return list(compress(range(self.size), self._bits(mask)))

    def names_in(self, mask: int) -> list[str]:
        """Return the names of the cells in a mask, row by row."""
        return list(compress(self.names, self._bits(mask)))

    def draw(self, marks: str, *masks: int) -> str:
        """Return the board as text, row by row from the top.

        An empty cell is `marks[0]`. A cell of the nth mask, counted from 1, is `marks[n]`.
        """
        # Reading a mask's binary digits as hexadecimal digits gives a digit for each cell. The masks share no cell, so
        # each digit of the weighted sum is the number of the mask that has the cell.
        digits = sum(number * int(f"{mask:b}", 16) for number, mask in enumerate(masks, 1))
        cells = f"{digits:0{self.size}x}"[::-1].translate(_drawn(marks))
        columns, stride = self.columns, self.stride
        return "".join([cells[start : start + columns] for start in range(0, self.size, stride)])

    def split(self, board: str) -> list[str]:
        return [board[start : start + self.columns] for start in range(0, len(board), self.columns)]

    def read(self, marks: str, board: str) -> list[int]:
        """Read a board's text, as `draw` writes it. Raises BadPosition.

        Return a mask for each mark after `marks[0]`, which is the mark of empty cells.
        """
        if len(board) != len(self.cells):
            raise BadPosition(f"{shown(board)} is not {self.rows} rows of {self.columns} characters")
        if board.strip(marks):
            raise BadPosition(f"{shown(board)} holds other characters than {' '.join(marks)}")
        return [
            sum(1 << cell for cell, found in zip(self.cells, board, strict=True) if found == mark) for mark in marks[1:]
        ]

    def diagram(self, board: str) -> str:
        """Return a board's text as lines for people, with spaces, row numbers and column letters."""
        width = len(str(self.rows))
        rows = zip(self.row_labels, self.split(board), strict=True)
        lines = [f"{label:>{width}} {' '.join(row)}" for label, row in rows]
        return "\n".join([*lines, f"{'':{width}} {' '.join(self.letters)}"])

    def drawing(
        self,
        surface: Surface,
        board: str,
        pieces: Mapping[str, Piece],
        last: str | None,
        *,
        facing: bool = False,
        edges: tuple[Colour, ...] = (),
    ) -> Drawing:
        marked = shown_at(self.path(last or ""))
        labels = tuple(self.letters), self.row_labels
        return Drawing(surface, self.columns, board, pieces, *labels, last=marked, edges=edges, facing=facing)

    def path(self, move: str) -> Path:
        """Return the clicks that make a move: a click on each cell that the move names."""
        return tuple((self.places[name],) for name in NAME.findall(move) if name in self.places)

    def _bits(self, mask: int) -> bytes:
        return f"{mask:0{self.size}b}"[::-1].encode().translate(BITS)


def squares(columns: int, rows: int, *, from_top: bool) -> Squares:
    """Return the board of this shape. Equal shapes give the same object.

    If `from_top`, the rows are numbered from the top, otherwise from the bottom.
    """
    return _squares(columns, rows, from_top)


@cache
def _squares(columns: int, rows: int, from_top: bool) -> Squares:
    return Squares(columns, rows, from_top)


@cache
def _drawn(marks: str) -> dict[int, int]:
    return str.maketrans("0123456789"[: len(marks)], marks)


def turned(rows: Sequence[str]) -> Iterator[str]:
    """Yield the text of a board after each rotation and reflection that keeps the shape.

    A square board gives eight texts, and any other board gives four.
    """
    across = ["".join(column) for column in zip(*rows, strict=True)] if len(rows) == len(rows[0]) else None
    for lines in (rows, across) if across else (rows,):
        upright = "".join(lines)
        mirrored = "".join([line[::-1] for line in lines])
        yield from (upright, mirrored, upright[::-1], mirrored[::-1])
