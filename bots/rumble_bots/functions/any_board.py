"""Tic-tac-toe from any board, with any seat to move, for trying functions in unusual positions.

Matches cannot reach most of these positions (for example two X and three O), so the engine refuses them.
"""

from rumble_engine import BadPosition
from rumble_engine.games.tictactoe import TicTacToeState
from rumble_engine.texts import shown


class AnyBoard(TicTacToeState):
    """A position like `TicTacToeState`, but with any seat to move."""

    __slots__ = ()

    def __init__(self, x: int, o: int, mover: int) -> None:
        super().__init__(x, o)
        self.to_move = mover

    @classmethod
    def read(cls, text: str, mover: int) -> "AnyBoard":
        """Read a board of nine characters `X`, `O` or `.`, row by row. Raises BadPosition."""
        if len(text) != 9 or text.strip("XO."):
            raise BadPosition(f"{shown(text)} is not nine of X, O and . row by row")
        x, o = (sum(1 << square for square in range(9) if text[square] == mark) for mark in "XO")
        return cls(x, o, mover)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyBoard) and super().__eq__(other) and self.to_move == other.to_move

    def __hash__(self) -> int:
        return hash((self.x, self.o, self.to_move))

    def after(self, code: int) -> "AnyBoard":
        if self.to_move:
            return AnyBoard(self.x, self.o | 1 << code, 0)
        return AnyBoard(self.x | 1 << code, self.o, 1)

    def canonical(self) -> int:
        return super().canonical() << 1 | self.to_move
