"""Positions of cozy-chess-py, the chess library of the standard installation.

The library writes castling as the king's capture of its rook (`e1h1`). Rumble writes the start
square and the end square of the king (`e1g1`).
"""

from cozy_chess import Board, Color, GameStatus, Move, Piece, Square

from rumble_engine.games.chess.codes import CODES

ONGOING, PAWN = GameStatus.Ongoing, Piece.Pawn
HOMES = {Color.White: Square.E1, Color.Black: Square.E8}
"""The square on which each side's king begins."""


class Moves:
    """All moves that a piece could make, in two tables: from Rumble's codes to the library's moves, and the reverse."""

    __slots__ = ("codes", "moves")

    def __init__(self, castling: dict[str, str]) -> None:
        """Make the tables. In `castling`, a key is Rumble's text of a castling move, its value the library's text."""
        foreign = castling.values()
        possible = {text: code for text, code in CODES.items() if _is_possible(code) and text not in foreign}
        self.moves = {code: Move.from_str(castling.get(text, text)) for text, code in possible.items()}
        self.codes = {move: code for code, move in self.moves.items()}


def _is_possible(code: int) -> bool:
    """Return true if a queen, a knight or a promoting pawn could make the move on some board."""
    rows, columns = abs((code >> 9 & 7) - (code >> 3 & 7)), abs((code >> 6 & 7) - (code & 7))
    if code >> 12:
        return rows == 1 and columns < 2 and code >> 3 & 7 in (0, 7)
    return rows != columns if 0 in (rows, columns) else rows == columns or rows + columns == 3


AWAY = Moves({})
"""The tables for a side whose king is not on its first square (e1 or e8), so that the side cannot castle."""
AT_HOME = {Color.White: Moves({"e1g1": "e1h1", "e1c1": "e1a1"}), Color.Black: Moves({"e8g8": "e8h8", "e8c8": "e8a8"})}
"""By side, the tables for positions with the side's king on its first square.

If White's king is on e1, `e1g1` always means castling.
"""


class CozyPosition:
    """A position on a board of cozy-chess (see `library.Position`).

    The library would end a game after 100 quiet plies. To prevent this, the library's count of quiet plies is set to 0
    before each move.
    """

    __slots__ = ("_board", "_moves", "key", "placed", "quiet", "rights")

    def __init__(self, board: Board) -> None:
        """Make the position of `board`, which the caller must not change afterwards."""
        self._board = board
        side = board.side_to_move()
        self._moves = AT_HOME[side] if board.king(side) == HOMES[side] else AWAY
        self.quiet = board.halfmove_clock != 0
        self.placed, mover, castling, passing, _, _ = board.fen().split(" ")
        if passing != "-" and not self._can_pass(passing):
            passing = "-"
        self.rights = f"{castling} {passing}"
        self.key = f"{self.placed} {mover} {self.rights}"

    def __reduce__(self) -> tuple[object, ...]:
        return open_cozy, (self.key,)

    def codes(self) -> list[int]:
        return sorted(map(self._moves.codes.__getitem__, self._board.generate_moves()))

    def allows(self, code: int) -> bool:
        move = self._moves.moves.get(code)
        return move is not None and self._board.is_legal(move)

    def after(self, code: int) -> "CozyPosition":
        board = self._board.__copy__()
        board.set_halfmove_clock(0)
        board.play(self._moves.moves[code])
        return CozyPosition(board)

    def is_stuck(self) -> bool:
        return self._board.status() != ONGOING

    def is_check(self) -> bool:
        return bool(self._board.checkers())

    def _can_pass(self, square: str) -> bool:
        """Return true if a pawn can capture en passant on this square."""
        pawns = self._board.pieces(PAWN)
        return any(str(move)[2:] == square for move in self._board.generate_moves_for(pawns))


def open_cozy(key: str) -> CozyPosition:
    """Return the position from the first four fields of a FEN."""
    return CozyPosition(Board.from_fen(f"{key} 0 1"))
