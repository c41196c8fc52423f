"""Othello: a move encloses lines of the other side's discs, and turns them over; most discs at the end win.

Rules (World Othello Federation, https://www.worldothello.org/about/about-othello/othello-rules/official-rules/english):
a side puts a disc on an empty square. In at least one of eight directions, an unbroken line of the other side's discs
must stand between the new disc and another disc of the mover. All such lines turn over. A side that cannot move
passes; the game ends when neither side can move. Setting: `size`, 8 by default, an even number.

Moves: a square, such as `"d3"`, or `"pass"` if no square is legal. The letter is the column, counted from the left; the
number is the row, counted from the top. Seat 0 plays X (black) and moves first.

View: `{"board": "...", "size": 8, "to_move": 0}`, the board as one text of size x size characters `X`, `O` and `.`,
row by row from the top. The position's text has the same rows, separated by `/`; then a space; then the mark of the
seat to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece
from rumble_engine.errors import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, SettingValue, State
from rumble_engine.outcome import Outcome
from rumble_engine.squares import Squares, squares, turned
from rumble_engine.texts import shown
from rumble_engine.views import mover_in, mover_of, settings_in, text_in

MARKS = ".XO"
PIECES = {"X": Piece("black", 0, "disc", "dark"), "O": Piece("white", 1, "disc", "light")}
PASS = -1
"""The code of a pass; every other code is a cell."""


@dataclass(slots=True, unsafe_hash=True)
class OthelloState(State):
    """A position: the discs of the mover and of the opponent, the mover's legal squares, and whether play is over."""

    board: Squares
    mine: int
    theirs: int
    mover: int
    open: int
    over: bool

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        if not self.over:
            return None
        mine, theirs = self.mine.bit_count(), self.theirs.bit_count()
        if mine == theirs:
            return Outcome.draw(f"{mine} discs each")
        winner = self.mover if mine > theirs else 1 - self.mover
        return Outcome.win(winner, f"{max(mine, theirs)} discs to {min(mine, theirs)}")

    def codes(self) -> Sequence[int]:
        """Return the legal squares, row by row. Without a legal square, return the pass."""
        if self.open:
            return self.board.cells_in(self.open)
        return () if self.over else (PASS,)

    def after(self, code: int) -> "OthelloState":
        if code == PASS:
            return _state(self.board, self.theirs, self.mine, 1 - self.mover)
        flipped = _flipped(self.board, self.mine, self.theirs, 1 << code)
        return _state(self.board, self.theirs ^ flipped, self.mine | flipped | 1 << code, 1 - self.mover)

    def text_of(self, code: int) -> str:
        return "pass" if code == PASS else self.board.names[code]

    def code_of(self, text: str) -> int:
        board = self.board
        code = PASS if text == "pass" else board.index.get(text)
        if code is None:
            raise UnreadableMove(
                f'{shown(text)} is not a move: squares are a1 to {board.letters[-1]}{board.rows}, or "pass"'
            )
        self.refuse_after_end(text)
        if code == PASS:
            if self.open:
                raise IllegalMove("pass is not allowed: there is a move")
        elif not self.open >> code & 1:
            taken = (self.mine | self.theirs) >> code & 1
            raise IllegalMove(f"{text} is taken" if taken else f"{text} turns no disc over")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (one text, row by row from the top), `size` and `to_move`; all seats see the same."""
        return {"board": self._drawn(), "size": self.board.columns, "to_move": self.mover}

    def text(self) -> str:
        return f"{'/'.join(self.board.split(self._drawn()))} {GAME.seat_marks[self.mover]}"

    def diagram(self) -> str:
        return self.board.diagram(self._drawn())

    def canonical(self) -> str:
        """Return a key of the position, as the mover sees it. All rotations and reflections have the same key."""
        return min(turned(self.board.split(self.board.draw(MARKS, self.mine, self.theirs))))

    def estimate(self) -> float:
        """Estimate the value by the mover's lead in legal moves and in corners."""
        board = self.board
        mine, theirs = self.open.bit_count(), _open(board, self.theirs, self.mine).bit_count()
        corners = (board.row(0) | board.row(-1)) & (board.column(0) | board.column(-1))
        lead = (self.mine & corners).bit_count() - (self.theirs & corners).bit_count()
        return 0.4 * (mine - theirs) / (mine + theirs + 1) + 0.12 * lead

    def _drawn(self) -> str:
        x, o = (self.theirs, self.mine) if self.mover else (self.mine, self.theirs)
        return self.board.draw(MARKS, x, o)


def _state(board: Squares, mine: int, theirs: int, mover: int) -> OthelloState:
    places = _open(board, mine, theirs)
    return OthelloState(board, mine, theirs, mover, places, not places and not _open(board, theirs, mine))


def _open(board: Squares, mine: int, theirs: int) -> int:
    """Return the mask of the empty cells on which a new disc of the side `mine` would turn over discs of `theirs`."""
    found = 0
    for step in board.steps:
        line = mine << step & theirs
        while line:
            line <<= step
            found |= line
            line &= theirs
        line = mine >> step & theirs
        while line:
            line >>= step
            found |= line
            line &= theirs
    return found & board.full & ~(mine | theirs)


def _flipped(board: Squares, mine: int, theirs: int, disc: int) -> int:
    """Return the mask of the discs of `theirs` that turn over when the side `mine` puts down the disc `disc`."""
    flipped = 0
    for step in board.steps:
        line, end = 0, disc << step
        while end & theirs:
            line |= end
            end <<= step
        if end & mine:
            flipped |= line
        line, end = 0, disc >> step
        while end & theirs:
            line |= end
            end >>= step
        if end & mine:
            flipped |= line
    return flipped


class Othello(Game):
    """Othello: enclose discs to turn them over. A side that cannot move passes. The most discs win."""

    name = "othello"
    title = "Othello"
    seat_names = ("Black", "White")
    settings = (Setting("size", 8, "rows and columns of the board, an even number", minimum=4, maximum=12),)

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        """Refuse an odd size, because the first four discs are in the middle of the board."""
        if int(settings["size"]) % 2:
            raise BadSettings(f"size must be even, not {settings['size']}")

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> OthelloState:
        """Return the state with four discs in the middle, black's on the rising diagonal."""
        size = int(self.complete(settings)["size"])
        board, middle = squares(size, size, from_top=True), size // 2
        upper, lower = (1 << (middle - 1) * board.stride + middle, 1 << middle * board.stride + middle)
        return _state(board, upper | lower >> 1, upper >> 1 | lower, 0)

    def load(self, view: Mapping[str, Any]) -> OthelloState:
        size = int(settings_in(self, view)["size"])
        return _place(size, text_in(self, view, "board"), mover_in(self, view))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        board = squares(view["size"], view["size"], from_top=True)
        return board.drawing("felt", view["board"], PIECES, last)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return squares(view["size"], view["size"], from_top=True).path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> OthelloState:
        """Read a position.

        A position with an empty square in the middle is refused. Positions that play cannot reach are accepted.
        """
        board, _, mark = text.partition(" ")
        rows = board.split("/")
        size = int(self.complete({"size": len(rows), **(settings or {})})["size"])
        if len(rows) != size or any(len(row) != size for row in rows):
            raise BadPosition(f"{shown(text)} is not {size} rows of {size} between slashes")
        return _place(size, "".join(rows), mover_of(self, mark))


def _place(size: int, text: str, mover: int) -> OthelloState:
    """Return the state with the discs of `text`, which has the cells row by row from the top. Raises BadPosition."""
    board, middle = squares(size, size, from_top=True), size // 2
    x, o = board.read(MARKS, text)
    four = (board.row(middle - 1) | board.row(middle)) & (board.column(middle - 1) | board.column(middle))
    if four & ~(x | o):
        raise BadPosition("the four squares in the middle are never empty")
    return _state(board, o, x, mover) if mover else _state(board, x, o, mover)


GAME = Othello()
"""The game object to which the entry point refers."""
