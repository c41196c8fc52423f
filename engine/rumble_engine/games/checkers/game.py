"""Checkers (English draughts): jumps are compulsory, men become kings on the far row, a side without a move loses.

Rules (World Checkers Draughts Federation, https://www.wcdf.net/rules.htm): twelve men a side on the 32 dark squares,
numbered 1 to 32 row by row from black's side. Black moves first. A man steps one square diagonally forward; a king,
also backward. A piece jumps over a neighbour of the other side onto the empty square behind the neighbour. The jump
takes the neighbour. A side that can jump must jump, by any of the possible jumps. The same piece must go on until it
has no further jump. A man that reaches the far row is crowned, and the move is over. A side that cannot move on its
turn loses.

The game is a draw when a position occurs for the third time. The setting `repetitions` changes this number; with 0,
repeated positions make no draw. The game is also a draw when each side has made 40 moves (setting `quiet_moves`)
without a capture and without a move of a man. The referee declares either draw immediately. So every game ends.

Moves: the start square and each square on which the piece lands: `"11-15"` for a step, `"11x18x25"` for two jumps. A
move names all its squares, so no two moves have the same text. Seat 0 plays b (black, kings B), from the top down;
seat 1 plays w and W.

View: `{"board": "...", "to_move": 0, "since": ["1-6", "30-26"], "repetitions": 3, "quiet_moves": 40}`. `board` has the
64 squares, dark and light, as characters `b`, `B`, `w`, `W` and `.`, row by row from the top (black's side). `since`
has the moves after the last capture or move of a man, oldest first. Repetitions and quiet moves are counted in `since`.
The position's text is the rows with `/` between them, the mark of the seat to move, and the moves of `since`, with
spaces between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece, shown_at
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.games.checkers.moves import BETWEEN, FAR, legal_moves, path_of, read, text_of
from rumble_engine.outcome import Outcome
from rumble_engine.squares import squares
from rumble_engine.texts import shown
from rumble_engine.views import mover_in, mover_of, settings_in, text_in, texts_in

BOARD = squares(8, 8, from_top=True)
CELLS = tuple(square // 4 * BOARD.stride + square % 4 * 2 + 1 - square // 4 % 2 for square in range(32))
"""The cell of `BOARD` for each dark square, by the square's index."""
PLACES = tuple(cell - cell // BOARD.stride for cell in CELLS)
"""For each dark square, the index of its character in the board's text."""
DRAWN = tuple(63 - place for place in PLACES)
"""For each dark square, the index of its cell in the drawing.

The drawing is the view turned by 180 degrees, with black below.
"""
NUMBERED = tuple(str(DRAWN.index(cell) + 1) if cell in DRAWN else "" for cell in range(64))
PIECES = {
    "b": Piece("black man", 0, "disc", "dark"),
    "B": Piece("black king", 0, "crowned", "dark"),
    "w": Piece("white man", 1, "disc", "light"),
    "W": Piece("white king", 1, "crowned", "light"),
}
MARKS = ".bBwW"
REPEATED, QUIET = Outcome.draw("position repeated"), Outcome.draw("no capture and no man moved for long")
LEFT = (Outcome.win(1, "no move left"), Outcome.win(0, "no move left"))
"""The outcomes of a position without a legal move. The index is the seat to move, which loses."""
Key = tuple[int, int, int]
"""A position without the seat to move: the masks of black's pieces, white's pieces, and kings."""


@dataclass(slots=True, unsafe_hash=True)
class CheckersState(State):
    """A position: pieces as bit masks over the 32 squares, the seat to move, and the moves that count toward a draw.

    `since` has the codes of all moves after the last capture or move of a man. `past` has the key of each position
    since then, the present position last. `moves` are the mover's legal moves, even if the game is drawn. `past` and
    `moves` follow from the other fields.
    """

    black: int
    white: int
    kings: int
    mover: int
    repetitions: int
    quiet: int
    """Number of plies in a row, without a capture or a move of a man, after which the game is a draw."""
    since: tuple[int, ...]
    past: tuple[Key, ...] = field(compare=False)
    moves: tuple[int, ...] = field(compare=False, repr=False)

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        if not self.moves:
            return LEFT[self.mover]
        return self._draw()

    def codes(self) -> Sequence[int]:
        """Return the codes of all jumps, or of all steps if there is no jump, in the order of the start squares."""
        return () if self._draw() else self.moves

    def after(self, code: int) -> "CheckersState":
        path, mover = path_of(code), self.mover
        start, end = 1 << path[0], 1 << path[-1]
        taken = 0
        for leg in pairwise(path):
            taken |= BETWEEN.get(leg, 0)
        mine, theirs, kings = (self.white, self.black, self.kings) if mover else (self.black, self.white, self.kings)
        king = kings & start
        mine, theirs, kings = mine & ~start | end, theirs & ~taken, kings & ~(start | taken)
        if king or end & FAR[mover]:
            kings |= end
        black, white = (theirs, mine) if mover else (mine, theirs)
        key = (black, white, kings)
        since, past = ((*self.since, code), (*self.past, key)) if king and not taken else ((), (key,))
        moves = legal_moves(black, white, kings, 1 - mover)
        return CheckersState(black, white, kings, 1 - mover, self.repetitions, self.quiet, since, past, moves)

    def text_of(self, code: int) -> str:
        return text_of(code)

    def code_of(self, text: str) -> int:
        code = read(text)
        if code is None:
            raise UnreadableMove(
                f"{shown(text)} is not a move: write the squares, as 11-15 for a step or 11x18x25 for jumps"
            )
        self.refuse_after_end(text)
        if code not in self.moves or text_of(code) != text:
            raise IllegalMove(f"{text} is not allowed: {self._complaint(code)}")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (64 characters from the top), `to_move`, `since` and the settings; all seats see the same."""
        return {
            "board": self._drawn(),
            "to_move": self.mover,
            "since": [text_of(code) for code in self.since],
            "repetitions": self.repetitions,
            "quiet_moves": self.quiet // 2,
        }

    def text(self) -> str:
        rows = "/".join(BOARD.split(self._drawn()))
        return " ".join([rows, GAME.seat_marks[self.mover], *(text_of(code) for code in self.since)])

    def diagram(self) -> str:
        """Return the board as lines. Empty dark squares show their numbers."""
        cells, drawn = list(self._drawn()), self._drawn()
        for number, place in enumerate(PLACES, 1):
            cells[place] = str(number) if drawn[place] == "." else drawn[place]
        return "\n".join(
            "".join(f"{'' if cell == '.' else cell:>3}" for cell in cells[row : row + 8]) for row in range(0, 64, 8)
        )

    def canonical(self) -> tuple[object, ...]:
        """Return the position and the counts toward a draw, as the mover sees them.

        White's view is turned by 180 degrees.
        """
        keys = [_turned(key) for key in self.past] if self.mover else self.past
        return keys[-1], len(self.since), tuple(sorted(keys)), self.repetitions, self.quiet

    def estimate(self) -> float:
        """Estimate the value by the mover's lead in men (1 each) and kings (1.5 each)."""
        black = self.black.bit_count() + (self.black & self.kings).bit_count() / 2
        white = self.white.bit_count() + (self.white & self.kings).bit_count() / 2
        lead = (black - white) / (black + white + 1)
        return -lead if self.mover else lead

    def _draw(self) -> Outcome | None:
        if self.repetitions and self.past[:-1].count(self.past[-1]) + 1 >= self.repetitions:
            return REPEATED
        return QUIET if len(self.since) >= self.quiet else None

    def _complaint(self, code: int) -> str:
        path = path_of(code)
        if not (self.white if self.mover else self.black) >> path[0] & 1:
            return f"no piece of yours is on {path[0] + 1}"
        fitting = [move for move in self.moves if (path_of(move)[0], path_of(move)[-1]) == (path[0], path[-1])]
        if fitting:
            return f"write each square it touches, as {text_of(fitting[0])}"
        return "a jump is compulsory, with all its further jumps" if "x" in text_of(self.moves[0]) else "no such step"

    def _drawn(self) -> str:
        masks = [0, 0, 0, 0]
        for square, cell in enumerate(CELLS):
            if (self.black | self.white) >> square & 1:
                masks[2 * (self.white >> square & 1) + (self.kings >> square & 1)] |= 1 << cell
        return BOARD.draw(MARKS, *masks)


def _clicks(move: str) -> Path:
    code = read(move)
    return tuple((DRAWN[square],) for square in path_of(code)) if code else ()


def _turned(key: Key) -> Key:
    """Return a position turned by 180 degrees, with the sides exchanged."""
    black, white, kings = (int(f"{mask:032b}"[::-1], 2) for mask in key)
    return white, black, kings


class Checkers(Game):
    """Checkers (English draughts): a side that cannot move loses."""

    name = "checkers"
    title = "Checkers"
    seat_marks = ("b", "w")
    seat_names = ("Black", "White")
    settings = (
        Setting("repetitions", 3, "occurrences of a position that make a draw; 0: never", minimum=0, maximum=9),
        Setting(
            "quiet_moves",
            40,
            "moves of each side without capture or a man's move that make a draw",
            minimum=1,
            maximum=200,
        ),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> CheckersState:
        return _state(0xFFF, 0xFFF0_0000, 0, 0, self.complete(settings))

    def load(self, view: Mapping[str, Any]) -> CheckersState:
        since = texts_in(self, view, "since")
        return _place(text_in(self, view, "board"), mover_in(self, view), since, settings_in(self, view))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Draw discs on a chequered board with numbers on the dark squares, black's side at the bottom."""
        turned, marked = view["board"][::-1], shown_at(_clicks(last or ""))
        return Drawing("chequered", 8, turned, PIECES, names=NUMBERED, last=marked, facing=True)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return _clicks(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> CheckersState:
        """Read a position.

        Refuse pieces on light squares, too many pieces, uncrowned men on the far row, a bad `since`.
        """
        full = self.complete(settings)
        rows, mark, *since = text.split(" ") if " " in text else (text, "")
        lines = rows.split("/")
        if len(lines) != 8 or any(len(line) != 8 for line in lines):
            raise BadPosition(f"{shown(text)} is not 8 rows of 8 between slashes, and the mark to move")
        return _place("".join(lines), mover_of(self, mark), since, full)


def _state(black: int, white: int, kings: int, mover: int, settings: Mapping[str, Any]) -> CheckersState:
    key, moves = (black, white, kings), legal_moves(black, white, kings, mover)
    return CheckersState(*key, mover, settings["repetitions"], 2 * settings["quiet_moves"], (), (key,), moves)


def _place(board: str, mover: int, since: Sequence[str], settings: Mapping[str, Any]) -> CheckersState:
    """Return the state with these pieces, reached by the moves `since`. Raises BadPosition.

    The moves are taken back and made again, to check them and to count repeated positions.
    """
    masks = BOARD.read(MARKS, board)
    if any(mask & ~sum(1 << cell for cell in CELLS) for mask in masks):
        raise BadPosition("pieces stand on dark squares only")
    men_b, kings_b, men_w, kings_w = (sum((mask >> cell & 1) << s for s, cell in enumerate(CELLS)) for mask in masks)
    black, white, kings = men_b | kings_b, men_w | kings_w, kings_b | kings_w
    if max(black.bit_count(), white.bit_count()) > 12 or not black | white:
        raise BadPosition("a side has at most 12 pieces, and one side has some")
    if men_b & FAR[0] or men_w & FAR[1]:
        raise BadPosition("a man on the far row must be a king")
    codes = [read(text) if "-" in text else None for text in since]
    goal, turn = _state(black, white, kings, mover, settings), mover
    for code in reversed(codes):
        start, end = path_of(code) if code else (0, 0)
        turn = 1 - turn
        pair = 1 << start | 1 << end
        if not (white if turn else black) & kings & 1 << end or (black | white) >> start & 1:
            raise BadPosition("`since` must have only quiet moves of kings that lead to this position")
        black, white, kings = (black, white ^ pair, kings ^ pair) if turn else (black ^ pair, white, kings ^ pair)
    state = _state(black, white, kings, turn, settings)
    for code in codes:
        if code is None or code not in state.codes():
            raise BadPosition("`since` has a move that is not allowed")
        state = state.after(code)
    return state if codes else goal


GAME = Checkers()
"""The game object to which the entry point refers."""
