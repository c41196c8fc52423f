"""The drawing of a position on a board, as plain data from which pages make pictures. No bot and no search needs it.

A `Drawing` has a character for each cell, as in most views, and a legend of the characters' looks. Cells are counted
from 0, row by row from the top left. Within a match, drawings differ in `board` and `last` only.

A `Path` is the way to click a legal move: for each click, the cells that are accepted, the first of which is where the
move will show. Putting a stone is one click on one cell, a step is two, and a stone that falls down a column is one
click anywhere in it. Moves with the same path (promotions) or with none (a pass) are chosen by their text; no path is
the beginning of a longer one.
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
"""For each click: the accepted cells, first the one where the move will show. Empty: the move is chosen by its text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The look of one character of the board."""

    name: str
    """Its name for people: `white king`."""
    seat: int | None
    """The seat whose piece it is; None: nobody's."""
    shape: Shape
    """Its picture: `disc`, `crowned` (a disc with a crown), `cross`, `nought`, or a chess man such as `pawn`."""
    colour: Colour
    """`dark` and `light`, or `first` and `second`, the colours of the seats."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position as a drawing, whose fields are JSON data."""

    surface: Surface
    """What it is drawn on: `grid`, `chequered`, `lines`, `felt`, `holes` or `hexagons`."""
    columns: int
    """The number of columns."""
    board: str
    """A character for each cell, row by row from the top: `.`, or one of `pieces`."""
    pieces: Mapping[str, Piece]
    """By character: its look."""
    column_labels: tuple[str, ...] = ()
    """Labels along the board, from the left: none, or one for each column."""
    row_labels: tuple[str, ...] = ()
    """Labels along the board, from the top. The name of a cell is the column's label and the row's."""
    names: tuple[str, ...] = ()
    """Names written in the cells, in place of labels; empty for a cell that no move touches."""
    last: tuple[int, ...] = ()
    """The cells of the last move; if it completed a row that wins, the cells of the row."""
    edges: tuple[Colour, ...] = ()
    """The colours of the seats that own the edges: top, right, bottom and left; or none."""
    facing: bool = False
    """Whether the seats face each other: seat 0 at the bottom of the drawing, seat 1 at the top."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.board) // self.columns

    def name_of(self, cell: int) -> str:
        """Return the name of a cell for people; empty for one that no move touches."""
        if self.names:
            return self.names[cell]
        row, column = divmod(cell, self.columns)
        return (self.column_labels[column] if self.column_labels else "") + (
            self.row_labels[row] if self.row_labels else ""
        )


def marked_row(board: str, columns: int, cell: int, connect: int, exact: bool = False) -> tuple[int, ...]:
    """Return the cells to mark for a stone put on `cell`: every row of equal marks through it with at least `connect`
    (`exact`: with exactly `connect`) cells; if there is none, the stone alone.
    """
    marked = {cell}
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row = [*_run(board, columns, cell, -down, -right), cell, *_run(board, columns, cell, down, right)]
        if len(row) == connect or (len(row) > connect and not exact):
            marked.update(row)
    return tuple(sorted(marked))


def _run(board: str, columns: int, cell: int, down: int, right: int) -> list[int]:
    """Return the cells next to `cell`, in one direction, with the same character."""
    found: list[int] = []
    row, column = divmod(cell, columns)
    while True:
        row, column = row + down, column + right
        place = row * columns + column
        if not (0 <= column < columns and 0 <= place < len(board)) or board[place] != board[cell]:
            return found
        found.append(place)


def shown_at(path: Path) -> tuple[int, ...]:
    """Return the cells where a move with this path shows."""
    return tuple(cells[0] for cells in path)
