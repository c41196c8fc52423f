"""Positions of the library python-chess, for platforms without a wheel of cozy-chess-py."""

from chess import Board, Move

from rumble_engine.games.chess.codes import CODES


class PythonChessPosition:
    """A position on a board of python-chess (see `library.Position`)."""

    __slots__ = ("_board", "key", "placed", "quiet", "rights")

    def __init__(self, board: Board) -> None:
        """Make the position of `board`, which the caller must not change afterwards."""
        self._board = board
        self.quiet = board.halfmove_clock != 0
        self.key = board.epd()
        self.placed, _, self.rights = self.key.split(" ", 2)

    def __reduce__(self) -> tuple[object, ...]:
        return open_python_chess, (self.key,)

    def codes(self) -> list[int]:
        return sorted([CODES[move.uci()] for move in self._board.legal_moves])

    def allows(self, code: int) -> bool:
        move, board = _move(code), self._board
        # The library also accepts castling as the king's capture of its rook, which is no move of Rumble's.
        return board.color_at(move.to_square) != board.turn and board.is_legal(move)

    def after(self, code: int) -> "PythonChessPosition":
        board = self._board.copy(stack=False)
        board.push(_move(code))
        board.clear_stack()
        return PythonChessPosition(board)

    def is_stuck(self) -> bool:
        return not any(self._board.generate_legal_moves())

    def is_check(self) -> bool:
        return self._board.is_check()


def open_python_chess(key: str) -> PythonChessPosition:
    """Return the position from the first four fields of a FEN."""
    return PythonChessPosition(Board(f"{key} 0 1"))


def _move(code: int) -> Move:
    return Move(code >> 6 & 63, code & 63, code >> 12 or None)
