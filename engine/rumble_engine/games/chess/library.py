"""`Position`, the interface to the library that makes the moves of chess. Rumble can use two libraries:

- `cozy`: cozy-chess-py (https://github.com/kaajjaak/cosy-chess-py, MIT), bindings of a library in Rust.
- `python_chess`: python-chess (https://python-chess.readthedocs.io, GNU GPL, version 3 or later), written in Python and
  several times slower, for platforms without a wheel of cozy-chess-py. The extra `chess` installs python-chess.

The library only finds and makes moves. Rumble itself decides draws by repetition, by counts of moves and by material
(`game`), and checks positions (`fen`). Therefore the game is the same with both libraries.
"""

from collections.abc import Callable
from typing import Protocol

from rumble_engine.errors import MissingExtra


class Position(Protocol):
    """A board with the side to move and the rights of both sides. It is immutable, and can be pickled."""

    @property
    def key(self) -> str:
        """The first four fields of the FEN.

        A square for capture in passing is given only if such a capture is legal.
        """

    @property
    def placed(self) -> str:
        """The first field of `key`: the pieces."""

    @property
    def rights(self) -> str:
        """The last two fields of `key`: castling and capture in passing."""

    @property
    def quiet(self) -> bool:
        """True if the last move was quiet: neither a capture nor a move of a pawn."""

    def codes(self) -> list[int]:
        """Return the codes of the legal moves (see the module `codes`), in rising order."""

    def allows(self, code: int) -> bool:
        """Return whether a move is legal."""

    def after(self, code: int) -> "Position":
        """Return the position after a legal move."""

    def is_stuck(self) -> bool:
        """Return whether there is no legal move."""

    def is_check(self) -> bool:
        """Return whether the king of the side to move is attacked."""


Opener = Callable[[str], Position]
"""Function that opens a position from the first four fields of a FEN. `fen.faults` must have found no fault in them."""

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
