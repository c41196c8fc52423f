"""Minichess: chess on 4x4 with kings and pawns only.

The board at the start, white at the bottom:

    4  . . k .
    3  p p p p
    2  P P P P
    1  . K . .
       a b c d

Rules: kings and pawns move and take as in chess (FIDE Laws of Chess, https://handbook.fide.com/chapter/E012023,
articles 3.7, 3.8, 5), but there is no double step, no capture en passant and no castling. No side may leave its king
attacked; checkmate wins. Kings alone are a draw at once. There is no rule of repetition, because the limit
`quiet_plies` (below) ends every game.

Settings:

- `promotion`: a pawn on the last row becomes a queen (`queen`, the default), or its side wins at once (`win`).
- `stalemate`: if a side is not in check and cannot move, the game is drawn (`draw`, the default), or this side loses
  (`loss`).
- `quiet_plies`: after this number of plies in a row without a capture or a pawn's move, the game is drawn (20 by
  default).

Moves: the start square and the end square, `"b2a3"`, followed by `q` where a pawn becomes a queen, `"a3a4q"`.
Seat 0 plays W (white, `K`, `P`, `Q`) and moves first; seat 1 plays B (black, `k`, `p`, `q`).

View: `{"board": "...", "to_move": 0, "quiet": 0, "promotion": "queen", "stalemate": "draw", "quiet_plies": 20}`.
`board` is one text of 16 characters, row by row from the top. `quiet` is the number of plies since the last capture or
pawn's move. The position's text is the rows with `/` between them, the mark of the seat to move, and `quiet`, with
spaces between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, Shape
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.games.minichess.moves import LAST, PIECES, attacked, legal_moves, moved, pseudo_moves
from rumble_engine.outcome import Outcome
from rumble_engine.squares import squares
from rumble_engine.texts import shown
from rumble_engine.views import count_in, mover_in, mover_of, settings_in, text_in

START = "..k.pppp" + "PPPP.K.."
BOARD = squares(4, 4, from_top=False)
NAMES = tuple(name for name in BOARD.names if name)
KINDS: dict[str, Shape] = {"K": "king", "P": "pawn", "Q": "queen"}
MEN = {
    **{mark: Piece(f"white {shape}", 0, shape, "light") for mark, shape in KINDS.items()},
    **{mark.lower(): Piece(f"black {shape}", 1, shape, "dark") for mark, shape in KINDS.items()},
}
MATE = (Outcome.win(1, "checkmate"), Outcome.win(0, "checkmate"))
STUCK = (Outcome.win(1, "stalemate"), Outcome.win(0, "stalemate"))
"""Outcomes if stalemate is a loss; the index is the seat that cannot move."""
ARRIVED = (Outcome.win(0, "pawn reached the last row"), Outcome.win(1, "pawn reached the last row"))
STALEMATE, BARE, QUIET = (
    Outcome.draw(why) for why in ("stalemate", "only kings are left", "no capture and no pawn move")
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of a match."""

    promotion: str
    stalemate: str
    quiet_plies: int


@dataclass(slots=True, unsafe_hash=True)
class MinichessState(State):
    """A position: 16 characters row by row from the top, the seat to move, the number of quiet plies, and the rules.

    Quiet plies are the plies since the last capture or pawn's move.
    """

    board: str
    mover: int
    quiet: int
    rules: Rules

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        if self._arrived():
            return ARRIVED[1 - self.mover]
        if not legal_moves(self.board, self.mover):
            if attacked(self.board, self.board.index("Kk"[self.mover]), 1 - self.mover):
                return MATE[self.mover]
            return STALEMATE if self.rules.stalemate == "draw" else STUCK[self.mover]
        return self._draw()

    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves (see `moves`), in the order of the squares that the pieces leave."""
        return () if self._arrived() or self._draw() else legal_moves(self.board, self.mover)

    def after(self, code: int) -> "MinichessState":
        start, end = code >> 4, code & 15
        piece = self.board[start]
        counts = piece in "Pp" or self.board[end] != "."
        board = moved(self.board, start, end)
        if self._promotes(code):
            board = board[:end] + PIECES[self.mover][2] + board[end + 1 :]
        return MinichessState(board, 1 - self.mover, 0 if counts else self.quiet + 1, self.rules)

    def text_of(self, code: int) -> str:
        return NAMES[code >> 4] + NAMES[code & 15] + ("q" if self._promotes(code) else "")

    def code_of(self, text: str) -> int:
        start, end, more = text[:2], text[2:4], text[4:]
        if start not in NAMES or end not in NAMES or more not in ("", "q"):
            raise UnreadableMove(
                f"{shown(text)} is not a move: write two squares of a1 to d4, as b2a3 (a3a4q to promote)"
            )
        self.refuse_after_end(text)
        code = NAMES.index(start) << 4 | NAMES.index(end)
        if self.board[code >> 4] not in PIECES[self.mover]:
            raise IllegalMove(f"{text} is not allowed: no piece of yours is on {start}")
        if code not in self.codes():
            reaches = (code >> 4, code & 15) in pseudo_moves(self.board, self.mover)
            raise IllegalMove(f"{text} is not allowed: {'the king would be attacked' if reaches else 'no such move'}")
        if self._promotes(code) != (more == "q"):
            raise IllegalMove(f"{text} is not allowed: write {self.text_of(code)}")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (16 characters from the top), `to_move`, `quiet` and the settings; all seats see the same."""
        return {
            "board": self.board,
            "to_move": self.mover,
            "quiet": self.quiet,
            "promotion": self.rules.promotion,
            "stalemate": self.rules.stalemate,
            "quiet_plies": self.rules.quiet_plies,
        }

    def text(self) -> str:
        rows = "/".join(self.board[row : row + 4] for row in range(0, 16, 4))
        return f"{rows} {GAME.seat_marks[self.mover]} {self.quiet}"

    def diagram(self) -> str:
        return BOARD.diagram(self.board)

    def canonical(self) -> tuple[str, int, Rules]:
        """Return a key of the position from the mover's side. A position and its mirror image have the same key."""
        board = self.board[::-1].swapcase() if self.mover else self.board
        mirrored = "".join(board[row : row + 4][::-1] for row in range(0, 16, 4))
        return min(board, mirrored), self.quiet, self.rules

    def estimate(self) -> float:
        """Estimate the value by the mover's lead in pawns (1 each) and queens (6 each)."""
        white, black = (self.board.count(pawn) + 6 * self.board.count(queen) for _, pawn, queen in PIECES)
        lead = (white - black) / (white + black + 1)
        return -lead if self.mover else lead

    def _arrived(self) -> bool:
        """Return true if the side that has just moved has a pawn on the last row.

        This is possible only if `promotion` is `win`.
        """
        pawn = PIECES[1 - self.mover][1]
        return any(self.board[square] == pawn for square in LAST[1 - self.mover])

    def _draw(self) -> Outcome | None:
        if self.board.count(".") == 14:
            return BARE
        return QUIET if self.quiet >= self.rules.quiet_plies else None

    def _promotes(self, code: int) -> bool:
        pawn = self.board[code >> 4] == PIECES[self.mover][1]
        return pawn and code & 15 in LAST[self.mover] and self.rules.promotion == "queen"


class Minichess(Game):
    """Chess on 4x4 with kings and pawns only."""

    name = "minichess"
    title = "Minichess"
    seat_marks = ("W", "B")
    seat_names = ("White", "Black")
    settings = (
        Setting("promotion", "queen", "effect of a pawn on the last row", choices=("queen", "win")),
        Setting("stalemate", "draw", "result if a side cannot move and is not in check", choices=("draw", "loss")),
        Setting("quiet_plies", 20, "plies without capture or pawn move that make a draw", minimum=2, maximum=100),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> MinichessState:
        return MinichessState(START, 0, 0, _rules(self.complete(settings)))

    def load(self, view: Mapping[str, Any]) -> MinichessState:
        rules = _rules(settings_in(self, view))
        quiet = count_in(self, view, "quiet", rules.quiet_plies)
        return _place(text_in(self, view, "board"), mover_in(self, view), quiet, rules)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return BOARD.drawing("chequered", view["board"], MEN, last, facing=True)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return BOARD.path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> MinichessState:
        """Read a position.

        The text has the rows from the top with `/` between them, the mark of the seat to move, and the number of plies
        since the last capture or pawn's move.

        Refuse a side without exactly one king, a side with more than four pawns and queens, pawns on impossible rows,
        and an attacked king of the side that has just moved.
        """
        rules = _rules(self.complete(settings))
        parts = text.split(" ") if len(text) < 40 else []
        if len(parts) != 3 or [len(row) for row in parts[0].split("/")] != [4, 4, 4, 4]:
            raise BadPosition(f"{shown(text)} is not 4 rows of 4 between slashes, the mark to move and the quiet plies")
        rows, mark, quiet = parts
        if not (quiet.isascii() and quiet.isdigit() and len(quiet) <= 3 and int(quiet) <= rules.quiet_plies):
            raise BadPosition(f"the quiet plies are a number from 0 to {rules.quiet_plies}, not {shown(quiet)}")
        return _place(rows.replace("/", ""), mover_of(self, mark), int(quiet), rules)


def _rules(settings: Mapping[str, Any]) -> Rules:
    return Rules(settings["promotion"], settings["stalemate"], settings["quiet_plies"])


def _place(board: str, mover: int, quiet: int, rules: Rules) -> MinichessState:
    """Return the state with the pieces of `board`, a text row by row from the top. Raises BadPosition."""
    BOARD.read(".KPQkpq", board)
    for king, pawn, queen in PIECES:
        if board.count(king) != 1 or board.count(pawn) + board.count(queen) > 4:
            raise BadPosition("a side has one king and at most four pawns and queens")
        if rules.promotion == "win" and queen in board:
            raise BadPosition("there are no queens where an arrived pawn wins")
    arrived = [sum(board[square] == PIECES[seat][1] for square in LAST[seat]) for seat in (0, 1)]
    home = [sum(board[square] == PIECES[seat][1] for square in LAST[1 - seat]) for seat in (0, 1)]
    if any(home) or arrived[mover] or arrived[1 - mover] > (rules.promotion == "win"):
        raise BadPosition("a pawn stands where no pawn can")
    if attacked(board, board.index("Kk"[1 - mover]), mover):
        raise BadPosition("the king of the side that has moved is attacked")
    return MinichessState(board, mover, quiet, rules)


GAME = Minichess()
"""The game object to which the entry point refers."""
