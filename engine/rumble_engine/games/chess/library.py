"""What the rules of chess here need from a library: `Position`. Two libraries can be played with.

- `cozy`: cozy-chess-py (https://github.com/kaajjaak/cosy-chess-py, MIT), bindings of a library in Rust.
- `python_chess`: python-chess (https://python-chess.readthedocs.io, GNU GPL, version 3 or later), in Python and several
  times slower, for where the other has no wheel. It comes with the extra `chess`.

Draws by repetition, by counts and by material, and what a valid position is, are Rumble's own (`game`, `fen`).
"""

from collections.abc import Callable
from typing import Protocol

from rumble_engine.errors import MissingExtra


class Position(Protocol):
    """A board, the side to move, and its rights; it never changes. It can be pickled."""

    @property
    def key(self) -> str:
        """The first four fields of the FEN; a square for capture in passing is there only if one is legal."""

    @property
    def placed(self) -> str:
        """The first field of `key`: the pieces."""

    @property
    def rights(self) -> str:
        """The last two fields of `key`: castling and capture in passing."""

    @property
    def quiet(self) -> bool:
        """Whether `after` made this position by a move that is neither a capture nor a pawn's."""

    def codes(self) -> list[int]:
        """Return the codes of the legal moves (see `codes`), in rising order."""

    def allows(self, code: int) -> bool:
        """Return whether a move is legal."""

    def after(self, code: int) -> "Position":
        """Return the position after a legal move."""

    def is_stuck(self) -> bool:
        """Return whether there is no legal move."""

    def is_check(self) -> bool:
        """Return whether the king of the side to move is attacked."""


Opener = Callable[[str], Position]
"""Makes the position of the first four fields of a FEN, which `fen.faults` has found to be valid."""

open_position: Opener
try:
    from rumble_engine.games.chess.cozy import open_cozy

    open_position = open_cozy
except ModuleNotFoundError:
    try:
        from rumble_engine.games.chess.python_chess import open_python_chess
    except ModuleNotFoundError as error:
        raise MissingExtra("chess needs an extra; in a checkout of Rumble: pip install '.[chess]'") from error
    open_position = open_python_chess
