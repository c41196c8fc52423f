"""Tic-tac-toe: three in a row on nine squares.

Moves: the square's number, `"0"` to `"8"`, row by row from the top left. Seat 0 plays X and moves first.

View: `{"board": "X...O...."}`, nine of `X`, `O` and `.` row by row; the same nine characters are the position's
text. The seat to move follows from the counts of marks.

A side's squares are the bits of an integer from 0 to 511 (bit 0 is square 0). Tables made at import have an entry for
each of these integers, such as whether a side with these squares has three in a row. Each of the 5,478 positions is
made when play first needs the position, and is then kept.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, marked_row
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, State
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown

SQUARES = range(9)
MASKS = range(512)
FULL = 511
LINES = (0b111, 0b111_000, 0b111_000_000, 0b1_001_001, 0b10_010_010, 0b100_100_100, 0b100_010_001, 0b1_010_100)

NAMES = tuple(str(square) for square in SQUARES)
CODES = {name: square for square, name in enumerate(NAMES)}

HAS_LINE = tuple(any(mask & line == line for line in LINES) for mask in MASKS)
EMPTY = tuple(tuple(square for square in SQUARES if not mask >> square & 1) for mask in MASKS)
EMPTY_NAMES = tuple(tuple(NAMES[square] for square in squares) for squares in EMPTY)
OPEN_LINES = tuple(sum(not mask & line for line in LINES) for mask in MASKS)
"""For each mask of the opponent's squares, the number of lines that a side can still fill."""
ROWS = tuple(
    "".join("X" if x >> i & 1 else "O" if o >> i & 1 else "." for i in range(3)) for x in range(8) for o in range(8)
)
"""Texts of a row of three squares. The index is 8 times the three bits of X, plus the three bits of O."""
OUTCOMES = (Outcome.win(0, "three in a row"), Outcome.win(1, "three in a row"))
DRAW = Outcome.draw("board full")
PIECES = {"X": Piece("X", 0, "cross", "first"), "O": Piece("O", 1, "nought", "second")}


def _symmetries() -> tuple[tuple[int, ...], ...]:
    """Return eight tables, one for each rotation or reflection. A table maps masks to rotated or reflected masks."""
    # Each item of `turns` maps a square to its place after one, two, three and four quarter turns.
    turns = [[3 * column + 2 - row for row in range(3) for column in range(3)]]
    for _ in range(3):
        turns.append([turns[0][square] for square in turns[-1]])
    maps = turns + [[square // 3 * 3 + 2 - square % 3 for square in turn] for turn in turns]
    return tuple(tuple(sum(1 << to[i] for i in SQUARES if mask >> i & 1) for mask in MASKS) for to in maps)


SYMMETRIES = _symmetries()


@cache  # at most one entry a position: 5,478
def _folded(x: int, o: int) -> int:
    return min(mask[x] << 9 | mask[o] for mask in SYMMETRIES)


class TicTacToeState(State):
    """A position: the squares of X and of O as bit masks."""

    __slots__ = ("_text", "legal_moves", "o", "outcome", "to_move", "x")

    def __init__(self, x: int = 0, o: int = 0) -> None:
        self.x = x
        self.o = o
        filled = x | o
        self.to_move: int = filled.bit_count() & 1
        self.outcome: Outcome | None = DRAW if filled == FULL else None
        self.legal_moves: Sequence[str] = EMPTY_NAMES[filled]
        if HAS_LINE[x] or HAS_LINE[o]:
            self.outcome = OUTCOMES[0 if HAS_LINE[x] else 1]
            self.legal_moves = ()
        self._text = ROWS[(x & 7) << 3 | o & 7] + ROWS[x & 0o70 | o >> 3 & 7] + ROWS[x >> 3 & 0o70 | o >> 6]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TicTacToeState) and self.x == other.x and self.o == other.o

    def __hash__(self) -> int:
        return hash((self.x, self.o))

    def __reduce__(self) -> tuple[type, tuple[int, int]]:
        return TicTacToeState, (self.x, self.o)

    def codes(self) -> Sequence[int]:
        return () if self.outcome is not None else EMPTY[self.x | self.o]

    def after(self, code: int) -> "TicTacToeState":
        if self.to_move:
            return _position(self.x, self.o | 1 << code)
        return _position(self.x | 1 << code, self.o)

    def text_of(self, code: int) -> str:
        return NAMES[code]

    def code_of(self, text: str) -> int:
        code = CODES.get(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: squares are numbered 0 to 8, row by row")
        if self.outcome is not None:
            self.refuse_after_end(text)
        if (self.x | self.o) >> code & 1:
            raise IllegalMove(f"square {text} is taken")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (nine characters of `X`, `O` and `.`, row by row); all seats see the same."""
        return {"board": self._text}

    def text(self) -> str:
        return self._text

    def diagram(self) -> str:
        """Return the board; empty squares show their number."""
        cells = [mark if mark != "." else NAMES[square] for square, mark in enumerate(self.text())]
        rows = [f" {' | '.join(cells[start : start + 3])} " for start in (0, 3, 6)]
        return "\n---+---+---\n".join(rows)

    def canonical(self) -> int:
        """Return a key that all rotations and reflections of a position share."""
        return _folded(self.x, self.o)

    def estimate(self) -> float:
        """Estimate the value: subtract the opponent's number of open lines from the mover's, and divide by nine."""
        difference = OPEN_LINES[self.o] - OPEN_LINES[self.x]
        return (difference if self.to_move == 0 else -difference) / 9


_position = cache(TicTacToeState)
"""Return the position with these squares of X and O. Equal squares give the same object."""


class TicTacToe(Game):
    """Three in a row wins; a full board without three in a row is a draw."""

    name = "tictactoe"
    title = "Tic-tac-toe"

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> TicTacToeState:
        self.complete(settings)
        return _position(0, 0)

    def load(self, view: Mapping[str, Any]) -> TicTacToeState:
        board = view.get("board")
        if not isinstance(board, str):
            raise BadPosition('a tictactoe view holds "board", a text of nine characters')
        return self.parse(board)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        marked = () if last not in CODES else marked_row(view["board"], 3, CODES[last], 3)
        return Drawing("grid", 3, view["board"], PIECES, names=NAMES, last=marked)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return ((CODES[move],),)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> TicTacToeState:
        """Read nine characters; accept exactly the positions that play can reach."""
        self.complete(settings)
        if len(text) != 9 or text.strip("XO."):
            raise BadPosition(f"{shown(text)} is not nine of X, O and . row by row")
        x, o = (sum(1 << square for square in SQUARES if text[square] == mark) for mark in self.seat_marks)
        lead = x.bit_count() - o.bit_count()
        if lead not in (0, 1):
            raise BadPosition(f"{text} cannot occur: X moves first, so X has as many squares as O or one more")
        if (HAS_LINE[x] and lead == 0) or (HAS_LINE[o] and lead == 1):
            raise BadPosition(f"{text} cannot occur: play went on after three in a row")
        return TicTacToeState(x, o)


GAME = TicTacToe()
"""The game object to which the entry point refers."""
