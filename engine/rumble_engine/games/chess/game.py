"""Chess, by python-chess (https://python-chess.readthedocs.io), which has the licence GNU GPL, version 3 or later.

It comes with the extra `chess` (`pip install 'rumble[chess]'`), so that Rumble itself stays under its own licence.

Rules: the FIDE Laws of Chess of 2023 (https://handbook.fide.com/chapter/E012023). Without any claim a game is drawn
by stalemate (5.2.1), by a dead position, judged by material alone (5.2.2), at the fifth appearance of a position
(9.6.1) and after 75 moves of each side without capture or pawn move (9.6.2; checkmate comes first). The third
appearance (9.2) and 50 such moves (9.3) are draws that a player may claim: with the setting `claims` at `referee`, the
default, the referee claims them as soon as they are on the board; at `none` nobody does. Positions are the same if the
same pieces are on the same squares, the same side moves and the same moves are possible, including castling and
capturing in passing.

Moves: the notation of the Universal Chess Interface: the square left and the square reached, `"e2e4"`, castling by the
king's move, `"e1g1"`, promotion with the piece, `"e7e8q"`. Seat 0 plays white.

View: `{"board": "...", "fen": "...", "to_move": 0, "since": ["g1f3"], "claims": "referee"}`: the board as one text of
64 characters, row by row from the top (black's side), capital letters white, `.` empty; the position in
Forsyth-Edwards Notation, where a square for capture in passing is given only if one is legal; `since`, the moves
since the last that cannot be taken back (a capture, a pawn's move, a loss of castling or of a capture in passing),
oldest first, from which repetitions follow. The position's text is the FEN and the moves of `since`, with spaces
between.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, Shape
from rumble_engine.errors import BadPosition, IllegalMove, MissingExtra, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.outcome import Outcome
from rumble_engine.squares import squares
from rumble_engine.texts import shown
from rumble_engine.views import settings_in, text_in, texts_in

try:
    import chess

    from rumble_engine.games.chess.forms import board_of, fen_of, rows_of
    from rumble_engine.games.chess.moves import as_move, legal_codes, read, text_of
except ModuleNotFoundError as error:
    raise MissingExtra("chess needs the extra: pip install 'rumble[chess]'") from error

Key = tuple[int, ...]

BOARD = squares(8, 8, from_top=False)
KINDS: dict[str, Shape] = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}
MEN = {
    **{mark: Piece(f"white {shape}", 0, shape, "light") for mark, shape in KINDS.items()},
    **{mark.lower(): Piece(f"black {shape}", 1, shape, "dark") for mark, shape in KINDS.items()},
}
MATES = {chess.WHITE: Outcome.win(1, "checkmate"), chess.BLACK: Outcome.win(0, "checkmate")}
"""By side that is mated: the outcome."""
STALEMATE, DEAD = Outcome.draw("stalemate"), Outcome.draw("insufficient material")
FIVEFOLD, MOVES_75 = Outcome.draw("fivefold repetition"), Outcome.draw("75 moves without capture or pawn move")
THREEFOLD, MOVES_50 = Outcome.draw("threefold repetition"), Outcome.draw("50 moves without capture or pawn move")


class ChessState(State):
    """A position, the moves that led to it since the last that cannot be taken back, and caches.

    The board never changes; legal moves and outcome are computed at their first use.
    """

    __slots__ = ("_board", "_claims", "_codes", "_judged", "_key", "_outcome", "_seen", "_since")

    def __init__(
        self, board: chess.Board, claims: bool, since: tuple[int, ...] = (), seen: tuple[Key, ...] = ()
    ) -> None:
        """Make the state of `board`, which the caller must not change; `seen` has the keys of the positions before."""
        if board.ep_square is not None and not board.has_legal_en_passant():
            board.ep_square = None
        white, passing = board.occupied_co[chess.WHITE], -1 if board.ep_square is None else board.ep_square
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        self._board, self._claims, self._since = board, claims, since
        self._key: Key = (white, *kinds, board.turn, board.castling_rights, passing)
        self._seen = (*seen, self._key)
        self._codes: list[int] | None = None
        self._outcome: Outcome | None = None
        self._judged = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChessState) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def board(self) -> chess.Board:
        """The position as a board of python-chess: a copy, without the moves that led to it."""
        return self._board.copy(stack=False)

    @property
    def to_move(self) -> int:
        return 0 if self._board.turn else 1

    @property
    def outcome(self) -> Outcome | None:
        if not self._judged:
            self._outcome, self._judged = self._judge(), True
        return self._outcome

    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves (see `moves`), in rising order."""
        return () if self.outcome else self._legal()

    def after(self, code: int) -> "ChessState":
        before = self._board
        board = before.copy(stack=False)
        board.push(as_move(code))
        board.clear_stack()
        if board.halfmove_clock and board.castling_rights == before.castling_rights and before.ep_square is None:
            return ChessState(board, self._claims, (*self._since, code), self._seen)
        return ChessState(board, self._claims)

    def text_of(self, code: int) -> str:
        return text_of(code)

    def code_of(self, text: str) -> int:
        code = read(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: write two squares, as e2e4 (e7e8q to promote)")
        self.refuse_after_end(text)
        legal = code in self._codes if self._codes is not None else self._allows(code)
        if not legal:
            raise IllegalMove(f"{text} is not allowed: {self._complaint(code)}")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board`, `fen`, `to_move`, `since` and `claims`; all seats see the same."""
        rows = rows_of(self._board)
        return {
            "board": "".join(rows),
            "fen": fen_of(self._board, rows),
            "to_move": self.to_move,
            "since": [text_of(code) for code in self._since],
            "claims": "referee" if self._claims else "none",
        }

    def text(self) -> str:
        return " ".join([fen_of(self._board), *(text_of(code) for code in self._since)])

    def diagram(self) -> str:
        lines = [f"{8 - number} {' '.join(row)}" for number, row in enumerate(rows_of(self._board))]
        return "\n".join([*lines, "  a b c d e f g h"])

    def canonical(self) -> tuple[object, ...]:
        """Return the position and what counts towards a draw; with castling, chess has no symmetry."""
        return self._key, self._board.halfmove_clock, self._claims, tuple(sorted(self._seen))

    def estimate(self) -> float:
        """Estimate by material (1, 3, 3, 5, 9) and 0.1 for each piece in the middle, the mover's less the other's."""
        board = self._board
        mine, theirs = board.occupied_co[board.turn], board.occupied_co[not board.turn]
        lead = 0.0
        worths = ((board.pawns, 1), (board.knights | board.bishops, 3), (board.rooks, 5), (board.queens, 9))
        for pieces, worth in worths:
            lead += worth * ((pieces & mine).bit_count() - (pieces & theirs).bit_count())
        lead += 0.1 * ((mine & chess.BB_CENTER).bit_count() - (theirs & chess.BB_CENTER).bit_count())
        return lead / (abs(lead) + 10)

    def _identity(self) -> tuple[object, ...]:
        board = self._board
        return self._key, board.halfmove_clock, board.fullmove_number, self._claims, self._since

    def _legal(self) -> list[int]:
        if self._codes is None:
            self._codes = legal_codes(self._board)
        return self._codes

    def _allows(self, code: int) -> bool:
        move = as_move(code)
        return move.from_square != move.to_square and self._board.is_legal(move)

    def _judge(self) -> Outcome | None:
        board = self._board
        if not self._legal():
            return MATES[board.turn] if board.is_check() else STALEMATE
        if not board.pawns | board.rooks | board.queens and board.is_insufficient_material():
            return DEAD
        quiet, times = board.halfmove_clock, self._seen.count(self._key)
        if times >= 5:
            return FIVEFOLD
        if quiet >= 150:
            return MOVES_75
        if self._claims and times >= 3:
            return THREEFOLD
        return MOVES_50 if self._claims and quiet >= 100 else None

    def _complaint(self, code: int) -> str:
        move, board = as_move(code), self._board
        if board.color_at(move.from_square) != board.turn:
            return f"no piece of yours is on {chess.square_name(move.from_square)}"
        if any(self._allows(code & 4095 | piece << 12) for piece in range(6) if piece != 1):
            return "a promotion ends with the new piece, as in e7e8q; other moves do not"
        return "the king would be attacked" if board.is_pseudo_legal(move) else "no such move"


class Chess(Game):
    """Chess by the FIDE laws."""

    name = "chess"
    title = "Chess"
    seat_marks = ("White", "Black")
    settings = (
        Setting("claims", "referee", "who claims the draws by repetition and by 50 moves", choices=("referee", "none")),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> ChessState:
        return ChessState(chess.Board(), self.complete(settings)["claims"] == "referee")

    def load(self, view: Mapping[str, Any]) -> ChessState:
        claims = settings_in(self, view)["claims"] == "referee"
        return _place(text_in(self, view, "fen"), texts_in(self, view, "since"), claims)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return BOARD.drawing("chequered", view["board"], MEN, last, facing=True)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return clicks on the square left and the square reached; promotions on a square have the same path."""
        return BOARD.path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> ChessState:
        """Refuse positions that python-chess finds invalid, and moves that cannot have led to the position."""
        words = text.split(" ") if len(text) < 2000 else []
        return _place(" ".join(words[:6]), words[6:], self.complete(settings)["claims"] == "referee")


def _place(fen: str, since: Sequence[str], claims: bool) -> ChessState:
    """Return the state of this position, reached by the moves `since`, which are taken back and made again."""
    board = board_of(fen)
    goal = ChessState(board.copy(stack=False), claims)
    codes = [read(text) for text in since]
    if not codes:
        return goal
    if len(codes) > board.halfmove_clock or board.ep_square is not None:
        raise BadPosition("`since` has more moves than the position's count of quiet plies allows")
    for code in reversed(codes):
        start, end = (code >> 6 & 63, code & 63) if code is not None else (0, 0)
        board.turn = not board.turn
        board.halfmove_clock -= 1
        board.fullmove_number -= not board.turn
        piece = board.piece_at(end)
        if piece is None or piece.color != board.turn or piece.piece_type == chess.PAWN or board.piece_at(start):
            raise BadPosition("the moves in `since` did not lead to this position")
        board.set_piece_at(start, board.remove_piece_at(end))
    state = ChessState(board, claims) if board.is_valid() else goal
    for code in codes:
        if code is None or code not in state.codes():
            raise BadPosition("`since` has a move that is not allowed")
        state = state.after(code)
    if state._key != goal._key or len(state._since) != len(codes):
        raise BadPosition("the moves in `since` did not lead to this position")
    return state


GAME = Chess()
"""The instance behind the entry point."""
