"""Boards for functions of `board, player`: the arguments, and the meaning of the answers.

`board` is a list of rows from the top. A row is a list of `'X'`, `'O'` or `None`. Each turn gets a new board. `player`
is `'X'` for seat 0, and `'O'` for seat 1. The answer is `(row, column)`, both counted from 0.
- tictactoe: 3 rows of 3. The answer may also be a square's number from 0 to 8.
- connect4: the rows and columns of the match. Only the column of `(row, column)` counts, because stones fall. The
  answer may also be only the number of a column.

For an answer of another form, or off the board, the `repr` of the answer is passed on. This `repr` is never a legal
move. Thus the referee refuses the move, and the refusal quotes the answer. An answer that is a text is passed on
unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from string import ascii_lowercase
from typing import Any

Board = list[list[str | None]]
Cell = tuple[int, int]
"""Row and column of a cell."""


@dataclass(frozen=True, slots=True)
class BoardGame:
    """The translation of a game for functions of `board, player`: from states to boards, and from answers to moves."""

    columns: Callable[[Mapping[str, Any]], int]
    """Function that returns the number of columns of a state's board."""
    cell_of: Callable[[int], Cell]
    """Function that returns the cell for an answer that is a single number."""
    text_of: Callable[[Cell], str]
    """Function that returns the text of the move to a cell."""
    between: str
    """Separator between two rows in the text of a position."""

    def board(self, state: Mapping[str, Any]) -> Board:
        """Return the rows of a state's board, from the top."""
        cells = [None if cell == "." else cell for cell in state["board"]]
        columns = self.columns(state)
        return [cells[start : start + columns] for start in range(0, len(cells), columns)]

    def position(self, rows: Sequence[object]) -> str:
        """Return the text of a board. The cells are checked later, when the text is read as a position."""
        lines = [row if isinstance(row, list | tuple) else [row] for row in rows]
        return self.between.join("".join("." if cell is None else str(cell) for cell in line) for line in lines)

    def move(self, answer: Any, state: Mapping[str, Any]) -> str:
        """Return an answer as the text of a move.

        A text is returned as it is. A cell of the board becomes the move to the cell. For any other answer, the `repr`
        of the answer is returned. This text is never a legal move.
        """
        if isinstance(answer, str):
            return answer
        columns = self.columns(state)
        cell = self._cell(answer)
        if cell is None or cell[0] not in range(len(state["board"]) // columns) or cell[1] not in range(columns):
            return repr(answer)
        return self.text_of(cell)

    def _cell(self, answer: Any) -> Cell | None:
        if isinstance(answer, bool):
            return None
        try:
            return self.cell_of(index(answer))
        except TypeError:
            pass  # not a number
        try:
            row, column = map(index, answer)
        except (TypeError, ValueError):
            return None
        return row, column


BOARD_GAMES = {
    "tictactoe": BoardGame(
        columns=lambda state: 3,
        cell_of=lambda number: divmod(number, 3),
        text_of=lambda cell: str(3 * cell[0] + cell[1]),
        between="",
    ),
    "connect4": BoardGame(
        columns=lambda state: int(state["columns"]),
        cell_of=lambda number: (0, number),
        text_of=lambda cell: ascii_lowercase[cell[1]],
        between="/",
    ),
}
