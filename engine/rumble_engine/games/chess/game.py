"""Chess. A library makes the moves (see `library`); draws, claims and texts are here.

Rules: the FIDE Laws of Chess of 2023 (https://handbook.fide.com/chapter/E012023). Without any claim a game is drawn by:

- stalemate (5.2.1);
- a dead position (5.2.2), judged by material alone;
- the fifth appearance of a position (9.6.1);
- 75 moves of each side without a capture or a pawn's move (9.6.2), if the last move is not checkmate.

A player may claim a draw at the third appearance of a position (9.2), and after 50 moves of each side without a capture
or a pawn's move (9.3). If the setting `claims` is `referee`, the default, the referee claims such a draw as soon as the
position is on the board. If `claims` is `none`, nobody claims. Positions are the same if the same pieces are on the
same squares, the same side moves and the same moves are possible, including castling and capturing in passing.

Moves are in the notation of the Universal Chess Interface. A move is its start square and its end square: `"e2e4"`.
Castling is written as the king's move: `"e1g1"`. A promotion ends with the new piece: `"e7e8q"`. Seat 0 plays white.

View: `{"board": "...", "fen": "...", "to_move": 0, "since": ["g1f3"], "claims": "referee"}`.

- `board`: 64 characters, row by row from the top (black's side); capital letters are white pieces, and `.` is an empty
  square;
- `fen`: the position in Forsyth-Edwards Notation, with a square for capture in passing only if such a capture is legal;
- `since`: the moves after the last irreversible move, oldest first. Repetitions are counted in `since`. A move is
  irreversible if it is a capture or a pawn's move, or ends a right to castle or to capture in passing.

The position's text is the FEN and the moves of `since`, with spaces between.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, Shape
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.games.chess.codes import CODES, NAMES, TEXTS
from rumble_engine.games.chess.fen import CELLS, Fields, attacked, cells_of, faults, read
from rumble_engine.games.chess.library import Opener, Position, open_position
from rumble_engine.games.chess.san import san, spellings
from rumble_engine.outcome import Outcome
from rumble_engine.squares import squares
from rumble_engine.texts import shown
from rumble_engine.views import settings_in, text_in, texts_in

START = read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
BOARD = squares(8, 8, from_top=False)
KINDS: dict[str, Shape] = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}
MEN = {
    **{mark: Piece(f"white {shape}", 0, shape, "light") for mark, shape in KINDS.items()},
    **{mark.lower(): Piece(f"black {shape}", 1, shape, "dark") for mark, shape in KINDS.items()},
}
MATES = Outcome.win(1, "checkmate"), Outcome.win(0, "checkmate")
"""The outcomes of a checkmate, by the seat that is mated."""
STALEMATE, DEAD = Outcome.draw("stalemate"), Outcome.draw("insufficient material")
FIVEFOLD, MOVES_75 = Outcome.draw("fivefold repetition"), Outcome.draw("75 moves without capture or pawn move")
THREEFOLD, MOVES_50 = Outcome.draw("threefold repetition"), Outcome.draw("50 moves without capture or pawn move")
MATING = re.compile("[PRQprq]")
"""Pattern that finds a pawn, rook or queen in the first field of a FEN. With such a piece, mate is possible."""
SIDES = {".": 0} | {man: 1 if man.isupper() else -1 for man in MEN}
"""The side of each character of a board: 1 for white, -1 for black, 0 for an empty cell."""


@dataclass(slots=True, eq=False, repr=False)
class ChessState(State):
    """A position, the moves since the last irreversible move, the positions since then, and cached results."""

    _position: Position
    _claims: bool
    _mover: int
    _quiet: int
    """Number of plies since the last capture or pawn's move."""
    _number: int
    """The move number of the FEN."""
    _seen: tuple[str, ...]
    """Keys of the positions since the last irreversible move, the present position last."""
    _since: tuple[str, ...] = ()
    """The moves after the last irreversible move."""
    _codes: list[int] | None = None
    _outcome: Outcome | None = None
    _judged: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChessState) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._position.key)

    @property
    def to_move(self) -> int:
        return self._mover

    @property
    def outcome(self) -> Outcome | None:
        if not self._judged:
            self._outcome, self._judged = self._judge(), True
        return self._outcome

    @property
    def legal_moves(self) -> Sequence[str]:
        return [TEXTS[code] for code in self.codes()]

    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves (see the module `codes`), in rising order."""
        if self._codes is None:
            self._codes = [] if self.outcome else self._position.codes()
        return self._codes

    def after(self, code: int) -> "ChessState":
        before, position = self._position, self._position.after(code)
        mover, number = 1 - self._mover, self._number + self._mover
        quiet = self._quiet + 1 if position.quiet else 0
        seen: tuple[str, ...] = (position.key,)
        since: tuple[str, ...] = ()
        if quiet and position.rights == before.rights:
            seen, since = (*self._seen, position.key), (*self._since, TEXTS[code])
        return ChessState(position, self._claims, mover, quiet, number, seen, since)

    def text_of(self, code: int) -> str:
        return TEXTS[code]

    def code_of(self, text: str) -> int:
        code = CODES.get(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: write two squares, as e2e4 (e7e8q to promote)")
        self.refuse_after_end(text)
        if not self._position.allows(code):
            raise IllegalMove(f"{text} is not allowed: {self._complaint(code)}")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board`, `fen`, `to_move`, `since` and `claims`; all seats see the same."""
        return {
            "board": self._cells(),
            "fen": self._fen(),
            "to_move": self._mover,
            "since": list(self._since),
            "claims": "referee" if self._claims else "none",
        }

    def text(self) -> str:
        return " ".join([self._fen(), *self._since])

    def diagram(self) -> str:
        return BOARD.diagram(self._cells())

    def canonical(self) -> tuple[object, ...]:
        """Return the position and the counts toward a draw.

        A mirrored position counts as a different position, because castling differs between the two sides of the board.
        """
        return self._position.key, self._quiet, self._claims, tuple(sorted(self._seen))

    def estimate(self) -> float:
        """Estimate the value from the mover's lead in points.

        A pawn is 1 point, a knight or a bishop 3, a rook 5 and a queen 9. Each piece on one of the four middle squares
        brings its side another 0.1 points.
        """
        cells = self._cells()
        count = cells.count
        material = (
            (count("P") - count("p"))
            + 3 * (count("N") + count("B") - count("n") - count("b"))
            + 5 * (count("R") - count("r"))
            + 9 * (count("Q") - count("q"))
        )
        middle = SIDES[cells[27]] + SIDES[cells[28]] + SIDES[cells[35]] + SIDES[cells[36]]
        lead = material + 0.1 * middle
        lead = 0.0 - lead if self._mover else lead
        return lead / (abs(lead) + 10)

    def _identity(self) -> tuple[object, ...]:
        return self._position.key, self._quiet, self._number, self._claims, self._since

    def _fen(self) -> str:
        return f"{self._position.key} {self._quiet} {self._number}"

    def _cells(self) -> str:
        return cells_of(self._position.placed)

    def _judge(self) -> Outcome | None:
        position, quiet = self._position, self._quiet
        if position.is_stuck():
            return MATES[self._mover] if position.is_check() else STALEMATE
        if not MATING.search(position.placed) and _is_dead(self._cells()):
            return DEAD
        times = self._seen.count(position.key)
        if times >= 5:
            return FIVEFOLD
        if quiet >= 150:
            return MOVES_75
        if self._claims and times >= 3:
            return THREEFOLD
        return MOVES_50 if self._claims and quiet >= 100 else None

    def _complaint(self, code: int) -> str:
        start, end, cells = NAMES[code >> 6 & 63], NAMES[code & 63], self._cells()
        man, other = cells[CELLS[start]], cells[CELLS[end]]
        if not _is_of(self._mover, man):
            return f"no piece of yours is on {start}"
        if any(self._position.allows(code & 4095 | piece << 12) for piece in (0, 2, 3, 4, 5)):
            return "a promotion ends with the new piece, as in e7e8q; other moves do not"
        promotes = man in "Pp" and end[1] in "18"
        if promotes == bool(code >> 12) and not _is_of(self._mover, other) and self._reaches(cells, start, end):
            return "the king would be attacked"
        return "no such move"

    def _reaches(self, cells: str, start: str, end: str) -> bool:
        """Return true if the piece on `start` can go to `end`, even if the move leaves the mover's king attacked.

        Castling is not considered.
        """
        cell, goal = CELLS[start], CELLS[end]
        man = cells[cell]
        if man not in "Pp":
            return goal in attacked(cells, cell, man)
        if start[0] != end[0]:
            takes = cells[goal] != "." or end == self._position.rights.split(" ")[1]
            return takes and goal in attacked(cells, cell, man)
        ahead = 8 if man == "p" else -8
        if goal == cell + 2 * ahead:
            return start[1] == ("7" if man == "p" else "2") and cells[cell + ahead] == cells[goal] == "."
        return goal == cell + ahead and cells[goal] == "."


class Chess(Game):
    """Chess by the laws of FIDE."""

    name = "chess"
    title = "Chess"
    seat_marks = ("White", "Black")
    settings = (
        Setting("claims", "referee", "who claims the draws by repetition and by 50 moves", choices=("referee", "none")),
    )

    def __init__(self, opener: Opener = open_position) -> None:
        """Make the game. `opener` opens positions with a library for chess moves."""
        self._open = opener

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> ChessState:
        return self._state(START, self.complete(settings)["claims"] == "referee")

    def load(self, view: Mapping[str, Any]) -> ChessState:
        claims = settings_in(self, view)["claims"] == "referee"
        return self._place(text_in(self, view, "fen"), texts_in(self, view, "since"), claims)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return BOARD.drawing("chequered", view["board"], MEN, last, facing=True)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return two clicks: the start square and the end square. The path does not show the piece of a promotion."""
        return BOARD.path(move)

    def written(self, state: State, move: str) -> str:
        """Return the move in Standard Algebraic Notation."""
        return san(state, move)

    def spellings(self, state: State, move: str) -> Sequence[str]:
        return spellings(state, move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> ChessState:
        """Read a position that can occur (see `fen.faults`), with moves that can have led to the position."""
        words = text.split(" ") if len(text) < 2000 else []
        return self._place(" ".join(words[:6]), words[6:], self.complete(settings)["claims"] == "referee")

    def _place(self, fen: str, since: Sequence[str], claims: bool) -> ChessState:
        """Return the state of this position, reached by the moves `since`. Raises BadPosition.

        The moves are taken back and made again, to check them and to count repeated positions.
        """
        goal = read(fen)
        state = start = self._state(goal, claims)
        if not since:
            return start
        if len(since) > goal.quiet or goal.passing != "-":
            raise BadPosition("`since` has more moves than the position's count of quiet plies allows")
        earlier = _taken_back(goal, since)
        if not faults(earlier):
            state = self._state(earlier, claims)
        for text in since:
            code = CODES.get(text)
            if code is None or code not in state.codes():
                raise BadPosition("`since` has a move that is not allowed")
            state = state.after(code)
        if state._position.key != start._position.key or len(state._since) != len(since):
            raise BadPosition("the moves in `since` did not lead to this position")
        return state

    def _state(self, fields: Fields, claims: bool) -> ChessState:
        position = self._open(fields.key)
        return ChessState(position, claims, "wb".index(fields.side), fields.quiet, fields.number, (position.key,))


def _taken_back(fields: Fields, moves: Sequence[str]) -> Fields:
    """Return the position before these moves. Raises BadPosition if a move is by a pawn, or cannot be taken back."""
    cells, mover, number = list(fields.cells), "wb".index(fields.side), fields.number
    for text in reversed(moves):
        mover = 1 - mover
        number -= mover
        start, end = CELLS.get(text[:2], 0), CELLS.get(text[2:4], 0)
        man = cells[end]
        if not _is_of(mover, man) or man in "Pp" or cells[start] != ".":
            raise BadPosition("the moves in `since` did not lead to this position")
        cells[start], cells[end] = man, "."
    return Fields("".join(cells), "wb"[mover], fields.castling, "-", fields.quiet - len(moves), number)


def _is_of(seat: int, man: str) -> bool:
    return man.islower() if seat else man.isupper()


def _is_dead(cells: str) -> bool:
    """Return true if a board without pawns, rooks and queens is dead.

    Such a board is dead with at most one piece besides the kings, or with only bishops, all on squares of one colour.
    """
    pieces = [cell for cell, man in enumerate(cells) if man in "NBnb"]
    colours = {(cell + cell // 8) % 2 for cell in pieces}
    return len(pieces) < 2 or (len(colours) == 1 and all(cells[cell] in "Bb" for cell in pieces))


GAME = Chess()
"""The game object to which the entry point refers."""
