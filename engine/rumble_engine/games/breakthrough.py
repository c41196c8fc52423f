"""Breakthrough: the first piece on the other side's home row wins.

Rules (Dan Troyka, 2000; https://en.wikipedia.org/wiki/Breakthrough_(board_game)): each side fills its two nearest
rows. A piece steps a square straight or diagonally forward onto an empty square. A diagonal step may also lead onto a
piece of the other side, which is taken. A side wins by reaching the last row, or by taking the other side's last piece.
There is always a move and never a draw. Settings: `columns` and `rows`, 8 and 8 by default.

Moves: the start square and the end square, `"b2b3"`, columns lettered from the left and rows numbered from the
bottom. Seat 0 plays W (white), from the bottom up, and moves first; seat 1 plays B.

View: `{"board": "...", "columns": 8, "rows": 8, "to_move": 0}`, the board as one text of rows x columns characters
`W`, `B` and `.`, row by row from the top. The position's text is the same rows with `/` between them, a space, and
the mark of the seat to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.outcome import Outcome
from rumble_engine.squares import Squares, squares
from rumble_engine.texts import shown
from rumble_engine.views import mover_in, mover_of, rows_in, settings_in, text_in

MARKS = ".WB"
TURNED = str.maketrans("WB", "BW")
PIECES = {"W": Piece("white", 0, "pawn", "light"), "B": Piece("black", 1, "pawn", "dark")}


@cache
def _moves(board: Squares) -> tuple[dict[str, int], dict[int, str]]:
    """Return all possible steps on this board, for both sides: the codes by text, and the texts by code."""
    texts = {}
    for start in board.cells:
        for step in board.steps[1:]:
            for end in (start - step, start + step):
                if 0 <= end < board.size and board.full >> end & 1:
                    texts[board.names[start] + board.names[end]] = start << 8 | end
    return texts, {code: text for text, code in texts.items()}


@dataclass(slots=True, unsafe_hash=True)
class BreakthroughState(State):
    """A position: white's and black's pieces as bit masks, and the seat to move."""

    board: Squares
    white: int
    black: int
    mover: int = 0

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        if self.mover:
            if self.white & self.board.row(0):
                return Outcome.win(0, "reached the last row")
            return None if self.black else Outcome.win(0, "took the last piece")
        if self.black & self.board.row(-1):
            return Outcome.win(1, "reached the last row")
        return None if self.white else Outcome.win(1, "took the last piece")

    def codes(self) -> Sequence[int]:
        """Return the codes of the legal steps, sorted. A code is the start cell times 256, plus the end cell."""
        if self.outcome is not None:
            return ()
        board, back = self.board, -1 if self.mover else 1
        ends = [(step, end) for step in board.steps[1:] for end in board.cells_in(self._targets(step))]
        return sorted([end + back * step << 8 | end for step, end in ends])

    def after(self, code: int) -> "BreakthroughState":
        start, end = 1 << (code >> 8), 1 << (code & 255)
        if self.mover:
            return BreakthroughState(self.board, self.white & ~end, self.black ^ start | end, 0)
        return BreakthroughState(self.board, self.white ^ start | end, self.black & ~end, 1)

    def text_of(self, code: int) -> str:
        return _moves(self.board)[1][code]

    def code_of(self, text: str) -> int:
        code = _moves(self.board)[0].get(text)
        if code is None:
            raise UnreadableMove(f"{shown(text)} is not a move: write the square left and a square next to it, as a2a3")
        self.refuse_after_end(text)
        start, end = code >> 8, code & 255
        mine = self.black if self.mover else self.white
        if not mine >> start & 1:
            raise IllegalMove(f"{text} is not allowed: no piece of yours is on {self.board.names[start]}")
        step = end - start if self.mover else start - end
        if step not in self.board.steps[1:]:
            raise IllegalMove(f"{text} is not allowed: pieces step forward")
        if not self._targets(step) >> end & 1:
            raise IllegalMove(f"{text} is not allowed: {self.board.names[end]} is taken")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (one text, row by row from the top), `columns`, `rows`, `to_move`; all seats see the same."""
        board = self.board
        return {"board": self._drawn(), "columns": board.columns, "rows": board.rows, "to_move": self.mover}

    def text(self) -> str:
        return f"{'/'.join(self.board.split(self._drawn()))} {GAME.seat_marks[self.mover]}"

    def diagram(self) -> str:
        return self.board.diagram(self._drawn())

    def canonical(self) -> tuple[Squares, str]:
        """Return a key of the board as the mover sees the board. A position and its mirror image have the same key."""
        drawn = self._drawn()
        if self.mover:
            drawn = drawn[::-1].translate(TURNED)
        return self.board, min(drawn, "".join([row[::-1] for row in self.board.split(drawn)]))

    def estimate(self) -> float:
        """Estimate the value by the mover's lead in pieces, and by the foremost piece of each side.

        The more rows the mover's foremost piece is ahead of the opponent's, the higher is the value.
        """
        board = self.board
        white, black = self.white.bit_count(), self.black.bit_count()
        # The lowest bit of `white` is white's foremost piece; the highest bit of `black` is black's.
        ahead = board.rows - 1 - ((self.white & -self.white).bit_length() - 1) // board.stride
        behind = (self.black.bit_length() - 1) // board.stride
        lead = 0.7 * (white - black) / (white + black) + 0.25 * (ahead - behind) / board.rows
        return -lead if self.mover else lead

    def _targets(self, step: int) -> int:
        """Return the squares that the mover's pieces can reach by a step in one direction.

        A straight step needs an empty square. A diagonal step needs a square without a piece of the mover.
        """
        reached, mine = (self.black << step, self.black) if self.mover else (self.white >> step, self.white)
        blocked = self.white | self.black if step == self.board.stride else mine
        return reached & self.board.full & ~blocked

    def _drawn(self) -> str:
        return self.board.draw(MARKS, self.white, self.black)


class Breakthrough(Game):
    """Breakthrough: step forward, capture diagonally, and reach the last row."""

    name = "breakthrough"
    title = "Breakthrough"
    seat_marks = ("W", "B")
    seat_names = ("White", "Black")
    settings = (
        Setting("columns", 8, "columns of the board", minimum=2, maximum=12),
        Setting("rows", 8, "rows of the board", minimum=4, maximum=12),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> BreakthroughState:
        full = self.complete(settings)
        board = squares(int(full["columns"]), int(full["rows"]), from_top=False)
        return BreakthroughState(board, board.row(-2) | board.row(-1), board.row(0) | board.row(1))

    def load(self, view: Mapping[str, Any]) -> BreakthroughState:
        full = settings_in(self, view)
        board = squares(int(full["columns"]), int(full["rows"]), from_top=False)
        return _place(board, text_in(self, view, "board"), mover_in(self, view))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        board = squares(view["columns"], view["rows"], from_top=False)
        return board.drawing("chequered", view["board"], PIECES, last, facing=True)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return squares(view["columns"], view["rows"], from_top=False).path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> BreakthroughState:
        """Read a position.

        Refuse a side with too many pieces, a board without pieces, and a position in which play went on after the end.
        It is not checked that legal play can lead to the position.
        """
        drawn, _, mark = text.partition(" ")
        rows, full = rows_in(self, drawn, settings)
        return _place(squares(int(full["columns"]), int(full["rows"]), from_top=False), rows, mover_of(self, mark))


def _place(board: Squares, text: str, mover: int) -> BreakthroughState:
    """Return the state with the pieces of `text`, which has the cells row by row from the top. Raises BadPosition."""
    white, black = board.read(MARKS, text)
    if max(white.bit_count(), black.bit_count()) > 2 * board.columns:
        raise BadPosition(f"a side has at most {2 * board.columns} pieces")
    arrived = (white & board.row(0)).bit_count(), (black & board.row(-1)).bit_count()
    ended = (arrived[0] or not black, arrived[1] or not white)
    if ended[mover] or max(arrived) > 1 or not white | black:
        raise BadPosition("play went on after the end")
    return BreakthroughState(board, white, black, mover)


GAME = Breakthrough()
"""The game object to which the entry point refers."""
