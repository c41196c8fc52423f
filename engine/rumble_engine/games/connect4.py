"""Connect four: stones fall down columns; four in a row, in any direction, win.

Settings: `columns`, `rows` and `connect` (the stones in a row that win); 7, 6 and 4 by default.

Moves: the column's letter, `"a"` for the leftmost. Seat 0 plays X and moves first.

View: `{"board": "......X...", "columns": 7, "rows": 6, "connect": 4}`, the board as one text of rows x columns
characters `X`, `O` and `.`, row by row from the top. The position's text is the same rows with `/` between them. The
numbers of columns and rows follow from the text, and `connect` comes from the settings. The seat to move follows from
the counts of stones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, marked_row
from rumble_engine.errors import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, SettingValue, State
from rumble_engine.grid import Grid, grid
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import rows_in, settings_in, text_in

DRAW = Outcome.draw("board full")
PIECES = {"X": Piece("blue", 0, "disc", "first"), "O": Piece("orange", 1, "disc", "second")}


@dataclass(slots=True, unsafe_hash=True)
class Connect4State(State):
    """A position: two bit masks in the layout of `grid`. `won` is true if the last move completed a line."""

    grid: Grid
    mine: int = 0
    """The stones of the seat to move."""
    filled: int = 0
    """The stones of both seats."""
    won: bool = False

    @property
    def to_move(self) -> int:
        return self.filled.bit_count() & 1

    @property
    def outcome(self) -> Outcome | None:
        if self.won:
            return Outcome.win(1 - self.to_move, f"{self.grid.connect} in a row")
        return DRAW if self.filled == self.grid.full else None

    def codes(self) -> Sequence[int]:
        """Return the columns that are not full, from the left; a code is the column's index."""
        return () if self.won else self.grid.open[self.filled & self.grid.roof]

    @property
    def legal_moves(self) -> Sequence[str]:
        return () if self.won else self.grid.open_letters[self.filled & self.grid.roof]

    def after(self, code: int) -> "Connect4State":
        grid, filled = self.grid, self.filled
        theirs = self.mine ^ filled
        # Adding a column's lowest bit carries through its stones into its first empty cell.
        filled |= filled + grid.bottoms[code]
        return Connect4State(grid, theirs, filled, grid.has_line(filled ^ theirs))

    def text_of(self, code: int) -> str:
        return self.grid.letters[code]

    def code_of(self, text: str) -> int:
        grid = self.grid
        code = grid.index.get(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: columns are the letters a to {grid.letters[-1]}")
        if self.won or self.filled & grid.tops[code]:
            self.refuse_after_end(text)
            raise IllegalMove(f"column {text} is full")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (one text, row by row from the top), `columns`, `rows`, `connect`; all seats see the same."""
        grid = self.grid
        return {"board": self._board(), "columns": grid.columns, "rows": grid.rows, "connect": grid.connect}

    def text(self) -> str:
        return "/".join(self._rows())

    def diagram(self) -> str:
        return "\n".join(" ".join(row) for row in (*self._rows(), "".join(self.grid.letters)))

    def canonical(self) -> tuple[Grid, int]:
        """Return a key that a position shares with its mirror image."""
        return self.grid, self.grid.key(self.mine, self.filled)

    def estimate(self) -> float:
        """Estimate the value by the share of lines open to the mover, minus the share of lines open to the opponent."""
        grid = self.grid
        return (grid.open_lines(self.mine ^ self.filled) - grid.open_lines(self.mine)) / (grid.lines + 1)

    def _board(self) -> str:
        filled = self.filled
        return self.grid.draw(filled, self.mine if filled.bit_count() & 1 else self.mine ^ filled)

    def _rows(self) -> list[str]:
        board, columns = self._board(), self.grid.columns
        return [board[start : start + columns] for start in range(0, len(board), columns)]


class Connect4(Game):
    """Stones fall down columns; a line of `connect` stones wins; a full board without a line is a draw."""

    name = "connect4"
    title = "Connect four"
    seat_names = ("Blue", "Orange")
    settings = (
        Setting("columns", 7, "columns of the board", minimum=4, maximum=12),
        Setting("rows", 6, "rows of the board", minimum=4, maximum=12),
        Setting("connect", 4, "stones in a row that win", minimum=3, maximum=12),
    )

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        columns, rows, connect = _shape(settings)
        if connect > max(columns, rows):
            raise BadSettings(f"connect must fit on the board: {connect} in a row on {columns} columns and {rows} rows")

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> Connect4State:
        return Connect4State(grid(*_shape(self.complete(settings))))

    def load(self, view: Mapping[str, Any]) -> Connect4State:
        shape, board = grid(*_shape(settings_in(self, view))), text_in(self, view, "board")
        if len(board) != shape.columns * shape.rows:
            raise BadPosition(f'"board" must be a text of {shape.rows} rows of {shape.columns} characters')
        return _place(shape, board)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Draw a plate with holes. Mark the top stone of the column `last`, and each winning row through this stone."""
        board, columns, letters = view["board"], view["columns"], tuple(ascii_lowercase[: view["columns"]])
        numbers = tuple(str(row) for row in range(len(board) // columns, 0, -1))
        column = range(letters.index(last), len(board), columns) if last in letters else ()
        fallen = next((cell for cell in column if board[cell] != "."), None)
        marked = () if fallen is None else marked_row(board, columns, fallen, view["connect"])
        return Drawing("holes", columns, board, PIECES, letters, numbers, last=marked)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return a path of one click on any cell of the column. The lowest empty cell is listed first."""
        board, column = view["board"], ascii_lowercase.index(move)
        cells = range(column, len(board), view["columns"])
        free = [cell for cell in cells if board[cell] == "."]
        return ((free[-1], *[cell for cell in cells if cell != free[-1]]),)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> Connect4State:
        """Read a position.

        Refuse stones in the air, wrong counts of stones, and positions in which play went on after a winning line.
        Other positions are accepted, even if legal play cannot lead to them.
        """
        rows, full = rows_in(self, text, settings)
        return _place(grid(*_shape(full)), rows)


def _shape(settings: Mapping[str, Any]) -> tuple[int, int, int]:
    return settings["columns"], settings["rows"], settings["connect"]


def _place(shape: Grid, board: str) -> Connect4State:
    """Return the state with the stones of `board`, a text row by row from the top. Raises BadPosition."""
    if board.strip("XO."):
        raise BadPosition(f"{shown(board)} holds other characters than X, O and .")
    upward = [board[column + shape.columns * row] for column in range(shape.columns) for row in range(shape.rows)[::-1]]
    cells = [bottom << row for bottom in shape.bottoms for row in range(shape.rows)]
    x, o = (sum(cell for cell, mark in zip(cells, upward, strict=True) if mark == side) for side in "XO")
    filled = x | o
    if filled & (filled + shape.base):
        raise BadPosition("a stone hangs in the air")
    lead = x.bit_count() - o.bit_count()
    if lead not in (0, 1):
        raise BadPosition("X moves first, so X has as many stones as O or one more")
    mine, theirs = (o, x) if lead else (x, o)
    won = shape.has_line(theirs)
    if shape.has_line(mine) or (won and all(shape.has_line(theirs & ~stone) for stone in shape.top_stones(filled))):
        raise BadPosition(f"play went on after {shape.connect} in a row")
    return Connect4State(shape, mine, filled, won)


GAME = Connect4()
"""The game object to which the entry point refers."""
