"""Tic-tac-toe from any board, with any seat to move, for trying functions in unusual positions.

Matches cannot reach most of these positions (for example two X and three O), so the engine refuses them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine import BadPosition, Outcome, State
from rumble_engine.games.tictactoe import DRAW, FULL, HAS_LINE, NAMES, OPEN_LINES, OUTCOMES, SYMMETRIES, TicTacToeState
from rumble_engine.texts import shown


@dataclass(frozen=True, slots=True)
class AnyBoard(State):
    """A board of nine squares, like `TicTacToeState`, but with any seat to move."""

    x: int
    o: int
    mover: int

    @classmethod
    def read(cls, text: str, mover: int) -> "AnyBoard":
        """Read a board of nine characters `X`, `O` or `.`, row by row. Raises BadPosition."""
        if len(text) != 9 or text.strip("XO."):
            raise BadPosition(f"{shown(text)} is not nine of X, O and . row by row")
        x, o = (sum(1 << square for square in range(9) if text[square] == mark) for mark in "XO")
        return cls(x, o, mover)

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        for stones, outcome in zip((self.x, self.o), OUTCOMES, strict=True):
            if HAS_LINE[stones]:
                return outcome
        return DRAW if self.x | self.o == FULL else None

    def codes(self) -> Sequence[int]:
        return () if self.outcome is not None else [code for code in range(9) if not (self.x | self.o) >> code & 1]

    def after(self, code: int) -> "AnyBoard":
        if self.mover:
            return AnyBoard(self.x, self.o | 1 << code, 0)
        return AnyBoard(self.x | 1 << code, self.o, 1)

    def text_of(self, code: int) -> str:
        return NAMES[code]

    def code_of(self, text: str) -> int:
        return TicTacToeState(self.x, self.o).code_of(text)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {"board": self.text()}

    def text(self) -> str:
        return TicTacToeState(self.x, self.o).text()

    def diagram(self) -> str:
        return TicTacToeState(self.x, self.o).diagram()

    def canonical(self) -> tuple[int, int]:
        return min(mask[self.x] << 9 | mask[self.o] for mask in SYMMETRIES), self.mover

    def estimate(self) -> float:
        difference = OPEN_LINES[self.o] - OPEN_LINES[self.x]
        return (-difference if self.mover else difference) / 9
