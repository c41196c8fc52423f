"""How a position is drawn on a board, as plain data of which pages make pictures. No bot and no search needs it.

A `Drawing` has a character for each cell, as most views have it, and a legend of what each character looks like. Cells
are counted from 0, row by row from the top left. Within a match, drawings differ in `board` and `last` only.

A legal move is pointed at by a `Path`: for each click, the cells that will do, of which the first is where the move
will show. Putting a stone is one click on one cell, a step is two, and a stone that falls down a column is one click
anywhere in it. Moves of the same path (promotions), and those of none (a pass), are chosen by their text; no path
begins a longer one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

EMPTY = "."
"""In `Drawing.board`: nothing on this cell."""

Surface = Literal["grid", "chequered", "lines", "felt", "holes", "hexagons"]
"""Squares with lines between them; light and dark squares (the top left is light); stones on the crossings of lines;
green squares; a plate with holes; hexagons, each row half a cell further right than the row above."""

Shape = Literal["disc", "crowned", "cross", "nought", "pawn", "knight", "bishop", "rook", "queen", "king"]
"""The picture of a piece; `crowned` is a disc with a crown."""

Colour = Literal["dark", "light", "first", "second"]
"""Black and white, or the colours of the first and of the second seat."""

Path = tuple[tuple[int, ...], ...]
"""For each click: the cells that will do, the one where the move will show first. Empty: chosen by its text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one character of the board looks like; `name` is for people: `white king`. `seat` None: nobody's."""

    name: str
    seat: int | None
    shape: Shape
    colour: Colour


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position, drawn. JSON-able by its fields."""

    surface: Surface
    columns: int
    board: str
    """A character for each cell, row by row from the top: `.`, or one of `pieces`."""
    pieces: Mapping[str, Piece]
    column_labels: tuple[str, ...] = ()
    """Written along the board, from the left; none, or one for each column."""
    row_labels: tuple[str, ...] = ()
    """The same from the top. A cell is called by both its labels, the column's first."""
    names: tuple[str, ...] = ()
    """Where cells are called otherwise: what is written in each; empty for a cell that no move touches."""
    last: tuple[int, ...] = ()
    """The cells of the last move; where it made a row that wins, the cells of the row."""
    edges: tuple[Colour, ...] = ()
    """Whose the edges are: top, right, bottom and left; or none."""
    facing: bool = False
    """The seats sit face to face: seat 0 at the bottom of what is drawn, and the second sees it from its own side."""

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.board) // self.columns

    def name_of(self, cell: int) -> str:
        """How people call a cell; empty for one that no move touches."""
        if self.names:
            return self.names[cell]
        row, column = divmod(cell, self.columns)
        return (self.column_labels[column] if self.column_labels else "") + (
            self.row_labels[row] if self.row_labels else ""
        )


def marked_row(board: str, columns: int, cell: int, connect: int, exact: bool = False) -> tuple[int, ...]:
    """The cells to mark for a stone put on `cell`: every row of at least `connect` (`exact`: of just so many) equal
    marks through it; else the stone alone.
    """
    marked = {cell}
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row = [*_run(board, columns, cell, -down, -right), cell, *_run(board, columns, cell, down, right)]
        if len(row) == connect or (len(row) > connect and not exact):
            marked.update(row)
    return tuple(sorted(marked))


def _run(board: str, columns: int, cell: int, down: int, right: int) -> list[int]:
    """The cells beyond `cell`, in one direction, that hold what it holds."""
    found: list[int] = []
    row, column = divmod(cell, columns)
    while True:
        row, column = row + down, column + right
        place = row * columns + column
        if not (0 <= column < columns and 0 <= place < len(board)) or board[place] != board[cell]:
            return found
        found.append(place)


def shown_at(path: Path) -> tuple[int, ...]:
    """The cells where a move of this path shows."""
    return tuple(cells[0] for cells in path)
