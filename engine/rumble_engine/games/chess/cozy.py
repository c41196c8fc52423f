"""Positions by cozy-chess-py, which writes castling as the king's capture of its rook (`e1h1`)."""

from cozy_chess import Board, Color, GameStatus, Move, Piece, Square

from rumble_engine.games.chess.codes import CODES, TEXTS

ONGOING, PAWN = GameStatus.Ongoing, Piece.Pawn
CASTLING = {
    Color.White: (Square.E1, {"e1h1": "e1g1", "e1a1": "e1c1"}),
    Color.Black: (Square.E8, {"e8h8": "e8g8", "e8a8": "e8c8"}),
}
"""By side: the king's square, and the library's texts of castling with ours. From there, a king goes so far only so."""
READ = {side: CODES | {theirs: CODES[ours] for theirs, ours in texts.items()} for side, (_, texts) in CASTLING.items()}
"""By side whose king is on its first square: the library's texts, and our codes."""
WRITTEN = {side: {ours: theirs for theirs, ours in texts.items()} for side, (_, texts) in CASTLING.items()}
"""By such a side: our texts of castling, and the library's."""
FOREIGN = {side: {CODES[theirs] for theirs in texts} for side, (_, texts) in CASTLING.items()}
"""By such a side: the codes that are no moves, though the library reads their texts as castling."""


class CozyPosition:
    """A board of cozy-chess (see `library.Position`). Its clock is 0 before each move: the library's ends at 100."""

    __slots__ = ("_board", "_home", "key", "placed", "quiet", "rights")

    def __init__(self, board: Board) -> None:
        """Make the position of `board`, which the caller must not change."""
        self._board = board
        side = board.side_to_move()
        self._home = side if board.king(side) == CASTLING[side][0] else None
        """The side to move if its king is on its first square."""
        self.quiet = board.halfmove_clock != 0
        self.placed, mover, castling, passing, _, _ = board.fen().split(" ")
        if passing != "-" and not self._can_pass(passing):
            passing = "-"
        self.rights = f"{castling} {passing}"
        self.key = f"{self.placed} {mover} {self.rights}"

    def __reduce__(self) -> tuple[object, ...]:
        return open_cozy, (self.key,)

    def codes(self) -> list[int]:
        codes = CODES if self._home is None else READ[self._home]
        return sorted([codes[str(move)] for move in self._board.generate_moves()])

    def allows(self, code: int) -> bool:
        return (self._home is None or code not in FOREIGN[self._home]) and self._board.is_legal(self._move(code))

    def after(self, code: int) -> "CozyPosition":
        board = self._board.__copy__()
        board.set_halfmove_clock(0)
        board.play(self._move(code))
        return CozyPosition(board)

    def is_stuck(self) -> bool:
        return self._board.status() != ONGOING

    def is_check(self) -> bool:
        return bool(self._board.checkers())

    def _move(self, code: int) -> Move:
        text = TEXTS[code]
        return Move.from_str(text if self._home is None else WRITTEN[self._home].get(text, text))

    def _can_pass(self, square: str) -> bool:
        """Return whether a pawn can capture in passing on this square."""
        pawns = self._board.pieces(PAWN)
        return any(str(move)[2:] == square for move in self._board.generate_moves_for(pawns))


def open_cozy(key: str) -> CozyPosition:
    """Return the position of the first four fields of a FEN."""
    return CozyPosition(Board.from_fen(f"{key} 0 1"))
