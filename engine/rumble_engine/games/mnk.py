"""Gomoku and the whole m,n,k family: take turns placing stones; a row of `connect` in any direction wins.

Settings: `columns` (m), `rows` (n) and `connect` (k); 15, 15 and 5 by default. `line` says which rows win:
with `freestyle`, rows of at least `connect` stones; with `exact`, only rows of exactly `connect` stones (the "standard"
rule of gomoku; both rules at https://en.wikipedia.org/wiki/Gomoku). A full board without a winning row is a draw.
With 3, 3 and 3 the game is tic-tac-toe.

Moves: the letter of the square's column, then the number of the square's row. Columns are counted from the left, rows
from the bottom, and no letter is left out, not even i. So `"h8"` is the middle of 15 x 15. Seat 0 plays X and moves
first.

View: `{"board": "...", "columns": 15, "rows": 15, "connect": 5, "line": "freestyle"}`, the board as one text of
rows x columns characters `X`, `O` and `.`, row by row from the top. The position's text is the same rows with `/`
between them. The seat to move follows from the counts of stones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from rumble_engine.drawing import EMPTY, Drawing, Path, Piece, marked_row
from rumble_engine.errors import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, SettingValue, State
from rumble_engine.outcome import Outcome
from rumble_engine.squares import Squares, squares, turned
from rumble_engine.texts import shown
from rumble_engine.views import rows_in, settings_in, text_in

MARKS = ".XO"
PIECES = {"X": Piece("black", 0, "disc", "dark"), "O": Piece("white", 1, "disc", "light")}
DRAW = Outcome.draw("board full")


class Family:
    """The rules for one choice of settings, and all lines of `connect` cells on the board.

    Call the function `family` instead of this class. Equal settings then give the same object, for fast comparisons.
    """

    __slots__ = ("board", "connect", "exact", "lines", "starts", "through")

    def __init__(self, columns: int, rows: int, connect: int, exact: bool) -> None:
        self.board = squares(columns, rows, from_top=False)
        self.connect, self.exact = connect, exact
        self.lines = tuple(_lines(self.board, connect, exact))
        """Pairs of masks, a pair for each line of `connect` cells.

        The first mask has the cells of the line. The second mask has the cells just beyond both ends of the line. A
        stone of the same seat just beyond an end makes the line too long to win. If longer lines win, too, the second
        mask is 0.
        """
        self.starts = tuple(
            (step, sum(1 << cell for cell in self.board.cells if _line(cell, step, connect) & ~self.board.full == 0))
            for step in self.board.steps
        )
        """A pair for each direction of lines.

        The first number is the difference of the bit numbers of neighbouring cells in this direction. The second number
        is the mask of the cells at which a line in this direction can start.
        """
        through: list[list[tuple[int, int]]] = [[] for _ in range(self.board.size)]
        for line in self.lines:
            for cell in self.board.cells_in(line[0]):
                through[cell].append(line)
        self.through = tuple(tuple(lines) for lines in through)
        """For each cell, the pairs of `lines` whose line contains the cell."""

    def __reduce__(self) -> tuple[object, tuple[int, int, int, bool]]:
        return family, (self.board.columns, self.board.rows, self.connect, self.exact)

    def won(self, stones: int, cell: int) -> bool:
        """Return true if `stones` have a winning line through `cell`."""
        return any(stones & line == line and not stones & ends for line, ends in self.through[cell])

    def has_line(self, stones: int) -> bool:
        """Return whether `stones` have a winning line anywhere."""
        for step in self.board.steps:
            runs = stones
            for shift in range(step, self.connect * step, step):
                runs &= stones >> shift
            if self.exact:
                runs &= ~(stones << step | stones >> self.connect * step)
            if runs:
                return True
        return False

    def promise(self, mine: int, theirs: int) -> int:
        """Return a sum over all lines without a stone of `theirs`.

        A line with n stones of `mine` adds n * n.
        """
        total = 0
        for step, starts in self.starts:
            # Count my stones in all lines at once: bit c of `digits[n]` is binary digit n of the count of the line that
            # starts at cell c. The square of a count is the sum over all pairs of its digits.
            digits: list[int] = []
            for shift in range(0, self.connect * step, step):
                starts &= ~(theirs >> shift)
                carry = mine >> shift
                for place, digit in enumerate(digits):
                    digits[place], carry = digit ^ carry, digit & carry
                if carry:
                    digits.append(carry)
            for place, digit in enumerate(digits):
                for other_place, other in enumerate(digits):
                    total += (digit & other & starts).bit_count() << place + other_place
        return total


def _line(cell: int, step: int, connect: int) -> int:
    return sum(1 << cell + step * i for i in range(connect))


def _lines(board: Squares, connect: int, exact: bool) -> Iterator[tuple[int, int]]:
    for cell in board.cells:
        for step in board.steps:
            line = _line(cell, step, connect)
            if line & board.full == line:
                before, after = 1 << cell >> step, 1 << cell + step * connect
                yield line, (before | after) & board.full if exact else 0


@cache
def family(columns: int, rows: int, connect: int, exact: bool) -> Family:
    """Return the rules for these settings. Equal settings give the same object."""
    return Family(columns, rows, connect, exact)


@dataclass(slots=True, unsafe_hash=True)
class MnkState(State):
    """A position: two bit masks in the layout of `Squares`. `won` is true if the last move completed a line."""

    rules: Family
    x: int = 0
    o: int = 0
    won: bool = False

    @property
    def to_move(self) -> int:
        return (self.x | self.o).bit_count() & 1

    @property
    def outcome(self) -> Outcome | None:
        if self.won:
            return Outcome.win(1 - self.to_move, f"{self.rules.connect} in a row")
        return DRAW if self.x | self.o == self.rules.board.full else None

    def codes(self) -> Sequence[int]:
        """Return the empty cells, row by row from the top."""
        return () if self.won else self.rules.board.cells_in(self.rules.board.full ^ self.x ^ self.o)

    @property
    def legal_moves(self) -> Sequence[str]:
        return () if self.won else self.rules.board.names_in(self.rules.board.full ^ self.x ^ self.o)

    def after(self, code: int) -> "MnkState":
        rules, x, o = self.rules, self.x, self.o
        if (x | o).bit_count() & 1:
            o |= 1 << code
            return MnkState(rules, x, o, rules.won(o, code))
        x |= 1 << code
        return MnkState(rules, x, o, rules.won(x, code))

    def text_of(self, code: int) -> str:
        return self.rules.board.names[code]

    def code_of(self, text: str) -> int:
        board = self.rules.board
        code = board.index.get(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: squares are a1 to {board.letters[-1]}{board.rows}")
        self.refuse_after_end(text)
        if (self.x | self.o) >> code & 1:
            raise IllegalMove(f"{text} is taken")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (one text, row by row from the top) and the settings; all seats see the same."""
        rules = self.rules
        return {
            "board": self._drawn(),
            "columns": rules.board.columns,
            "rows": rules.board.rows,
            "connect": rules.connect,
            "line": "exact" if rules.exact else "freestyle",
        }

    def text(self) -> str:
        return "/".join(self.rules.board.split(self._drawn()))

    def diagram(self) -> str:
        return self.rules.board.diagram(self._drawn())

    def canonical(self) -> tuple[Family, str]:
        """Return the same key for all rotations and reflections of a position."""
        return self.rules, min(turned(self.rules.board.split(self._drawn())))

    def estimate(self) -> float:
        """Estimate the value by `Family.promise` for the mover, minus `Family.promise` for the opponent."""
        x, o = self.rules.promise(self.x, self.o), self.rules.promise(self.o, self.x)
        lead = o - x if self.to_move else x - o
        return lead / (x + o + self.rules.connect**2)

    def _drawn(self) -> str:
        return self.rules.board.draw(MARKS, self.x, self.o)


class Gomoku(Game):
    """A row of `connect` stones wins; a full board without a winning row is a draw."""

    name = "gomoku"
    title = "Gomoku"
    seat_names = ("Black", "White")
    settings = (
        Setting("columns", 15, "columns of the board", minimum=3, maximum=19),
        Setting("rows", 15, "rows of the board", minimum=3, maximum=19),
        Setting("connect", 5, "stones in a row that win", minimum=3, maximum=19),
        Setting(
            "line", "freestyle", "whether longer rows win (freestyle) or not (exact)", choices=("freestyle", "exact")
        ),
    )

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        columns, rows, connect = (int(settings[name]) for name in ("columns", "rows", "connect"))
        if connect > max(columns, rows):
            raise BadSettings(f"connect must fit on the board: {connect} in a row on {columns} columns and {rows} rows")

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> MnkState:
        return MnkState(_rules(self.complete(settings)))

    def load(self, view: Mapping[str, Any]) -> MnkState:
        return _place(_rules(settings_in(self, view)), text_in(self, view, "board"))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Draw stones on the crossings of a grid, and mark a winning row."""
        board = squares(view["columns"], view["rows"], from_top=False)
        drawing = board.drawing("lines", view["board"], PIECES, last)
        if not drawing.last or view["board"][drawing.last[0]] == EMPTY:
            return drawing
        exact = view["line"] == "exact"
        row = marked_row(view["board"], board.columns, drawing.last[0], view["connect"], exact)
        return replace(drawing, last=row)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return squares(view["columns"], view["rows"], from_top=False).path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> MnkState:
        """Read a position. Refuse wrong counts of stones, and positions in which play went on after a winning line."""
        rows, full = rows_in(self, text, settings)
        return _place(_rules(full), rows)


def _rules(settings: Mapping[str, Any]) -> Family:
    return family(settings["columns"], settings["rows"], settings["connect"], settings["line"] == "exact")


def _place(rules: Family, board: str) -> MnkState:
    """Return the state with the stones of `board`, a text row by row from the top. Raises BadPosition."""
    x, o = rules.board.read(MARKS, board)
    lead = x.bit_count() - o.bit_count()
    if lead not in (0, 1):
        raise BadPosition("X moves first, so X has as many stones as O or one more")
    mine, theirs = (o, x) if lead else (x, o)
    won = rules.has_line(theirs)
    if rules.has_line(mine) or (
        won and all(rules.has_line(theirs ^ 1 << cell) for cell in rules.board.cells_in(theirs))
    ):
        raise BadPosition(f"play went on after {rules.connect} in a row")
    return MnkState(rules, x, o, won)


GAME = Gomoku()
"""The game object to which the entry point refers."""
