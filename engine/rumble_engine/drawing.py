"""The drawing of a position on a board, as plain data for the pictures of pages. Bots and searches need no drawing.

A `Drawing` has a character for each cell, as most views have, and a legend with the look of each character. Cells are
counted from 0, row by row from the top left. Within a match, drawings differ in `board` and `last` only.

A `Path` is the sequence of clicks that enters a legal move. A click is a tuple of the cells that accept the click.
After the move, the first cell of each click is marked. Putting a stone is one click on one cell. A step is two
clicks. Dropping a stone down a column is one click on any cell of the column. Moves with equal paths (promotions) and
moves without a path (a pass) are chosen by their text. A path is never the beginning of a longer path, so a page knows
when a move is complete.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

EMPTY = "."
"""The character of an empty cell in `Drawing.board`."""
Surface = Literal["grid", "chequered", "lines", "felt", "holes", "hexagons", "points"]
"""The surface under the pieces.

- `grid`: squares with lines between them;
- `chequered`: light and dark squares; the top left square is light;
- `lines`: stones stand on the crossings of lines;
- `felt`: green squares;
- `holes`: a plate with holes;
- `hexagons`: hexagons, each row half a cell further right than the row above;
- `points`: a backgammon board of 14 columns: the seventh is the bar, and the last is for checkers borne off.
"""
Shape = Literal[
    "disc", "crowned", "berry", "tile", "cross", "nought", "pawn", "knight", "bishop", "rook", "queen", "king",
    "die1", "die2", "die3", "die4", "die5", "die6", "cup", "card", "back",
]  # fmt: skip
"""The picture of a piece: `crowned` is a disc with a crown, `berry` a small disc, `tile` a square.

`die1` to `die6` are the faces of a die, and `cup` is a cup with dice under it. A `card` has its rank and suit as label,
in the piece's colour, and `back` is a card face down.
"""
Colour = Literal["dark", "light", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
"""The colour of a piece: `dark`, `light`, or the colour of a seat, from `first` for seat 0 to `eighth` for seat 7."""
SEAT_COLOURS: tuple[Colour, ...] = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
Path = tuple[tuple[int, ...], ...]
"""The clicks that enter a move. A click is a tuple of the cells that accept the click.

After the move, the first cell of each click is marked. If the path is empty, the move is entered as text.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """The look of a piece, which is one character in `Drawing.board`."""

    name: str
    """The piece's name for people: `white king`."""
    seat: int | None
    """The seat that owns the piece, or None if no seat does."""
    shape: Shape
    """The picture of the piece."""
    colour: Colour
    """`dark` or `light`, or `first` to `eighth` for the colours of the seats."""
    label: str = ""
    """The text on the piece, at most two characters, such as the number of stacked checkers or the mark of a seat.

    Terminals show the label in place of the piece's character.
    """


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position as a picture for a page. All fields are JSON data."""

    surface: Surface
    """The surface: `grid`, `chequered`, `lines`, `felt`, `holes`, `hexagons` or `points`."""
    columns: int
    """The number of columns."""
    board: str
    """A character for each cell, row by row from the top: `.` or a key of `pieces`."""
    pieces: Mapping[str, Piece]
    """The look of each character of `board`."""
    column_labels: tuple[str, ...] = ()
    """Labels below the board, a label for each column from the left; empty for a board without labels."""
    row_labels: tuple[str, ...] = ()
    """Labels at the side of the board, from the top. The name of a cell is the column's label, then the row's label.

    If both labels are numbers, the name has a comma between them.
    """
    names: tuple[str, ...] = ()
    """Names written in the cells, for boards without labels. The name is empty for a cell that no move uses."""
    last: tuple[int, ...] = ()
    """Cells to mark: the cells of the last move, or the completed winning row."""
    edges: tuple[Colour, ...] = ()
    """The colours of the seats that own the edges: top, right, bottom and left; empty if no seat owns edges."""
    facing: bool = False
    """True if the seats face each other: seat 0 at the bottom of the drawing, seat 1 at the top."""
    top_labels: tuple[str, ...] = ()
    """Labels above the board, which name the cells of the upper half.

    `column_labels` then names the lower half only. The cells of a middle row have no names.
    """

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.board) // self.columns

    def name_of(self, cell: int) -> str:
        """Return the name of a cell for people; an empty text for a cell that no move uses."""
        if self.names:
            return self.names[cell]
        row, column = divmod(cell, self.columns)
        labels, down = self.column_labels, self.row_labels[row] if self.row_labels else ""
        if self.top_labels:
            labels = self.top_labels if row < self.rows // 2 else labels if row >= (self.rows + 1) // 2 else ()
        across = labels[column] if labels else ""
        return f"{across},{down}" if across.isdigit() and down else across + down


def marked_row(board: str, columns: int, cell: int, connect: int, exact: bool = False) -> tuple[int, ...]:
    """Return the cells to mark after a stone was put on `cell`: `cell`, and each winning row through `cell`.

    A row of equal characters wins if it has at least `connect` cells, or with `exact`, exactly `connect` cells.
    """
    marked = {cell}
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row = [*_run(board, columns, cell, -down, -right), cell, *_run(board, columns, cell, down, right)]
        if len(row) == connect or (len(row) > connect and not exact):
            marked.update(row)
    return tuple(sorted(marked))


def _run(board: str, columns: int, cell: int, down: int, right: int) -> list[int]:
    """Return the cells after `cell` in one direction, as long as they have the same character as `cell`.

    `down` and `right` are the steps from each cell to the next, in rows and in columns.
    """
    found: list[int] = []
    row, column = divmod(cell, columns)
    while True:
        row, column = row + down, column + right
        place = row * columns + column
        if not (0 <= column < columns and 0 <= place < len(board)) or board[place] != board[cell]:
            return found
        found.append(place)


def shown_at(path: Path) -> tuple[int, ...]:
    """Return the cells to mark in `Drawing.last` after the move with this path: the first cell of each click."""
    return tuple(cells[0] for cells in path)
