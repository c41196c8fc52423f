"""Hex: connect your two edges of a rhombus of hexagons.

Rules (https://www.hexwiki.net/index.php/Rules): take turns filling cells; seat 0 (X) connects the top edge with the
bottom, seat 1 (O) the left edge with the right. A full board has exactly one winner, so there is no draw. Settings:
`size` (11 by default); `swap` (on by default): the second player may answer the first stone by `"swap"`. The stone
then becomes an O, mirrored at the long diagonal (column and row exchanged). The O is as far from O's edges as the X was
from X's edges. X moves next.

Moves: a cell such as `"f6"`, or `"swap"`. The letter is the cell's column, counted from the left. The number is the
cell's row, counted from the top. Each row is half a cell further right than the row above: the neighbours of f6 are f5,
g5, e6, g6, e7 and f7.

View: `{"board": "...", "size": 11, "swap": true, "to_move": 0}`. The board is one text of size x size characters `X`,
`O` and `.`, row by row from the top. The position's text has the same rows with `/` between two rows, then a space, and
then the mark of the seat to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine.drawing import Drawing, Path, Piece
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.outcome import Outcome
from rumble_engine.squares import Squares, squares
from rumble_engine.texts import shown
from rumble_engine.views import mover_in, mover_of, settings_in, text_in

MARKS = ".XO"
PIECES = {"X": Piece("blue", 0, "disc", "first"), "O": Piece("orange", 1, "disc", "second")}
SWAP = -1
"""The code of a swap; every other code is a cell."""
OUTCOMES = (Outcome.win(0, "connected top and bottom"), Outcome.win(1, "connected left and right"))


@dataclass(slots=True, unsafe_hash=True)
class HexState(State):
    """A position: the stones of X and O as bit masks, and the seat to move.

    `won` is true if the last move connected the edges of the seat that made the move.
    """

    board: Squares
    swap: bool
    x: int = 0
    o: int = 0
    mover: int = 0
    won: bool = False

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        return OUTCOMES[1 - self.mover] if self.won else None

    def codes(self) -> Sequence[int]:
        """Return the empty cells, row by row, then the swap if a swap is allowed."""
        if self.won:
            return ()
        cells = self.board.cells_in(self.board.full ^ self.x ^ self.o)
        return [*cells, SWAP] if self._may_swap() else cells

    def after(self, code: int) -> "HexState":
        board = self.board
        if code == SWAP:
            row, column = divmod(self.x.bit_length() - 1, board.stride)
            return HexState(board, self.swap, 0, 1 << column * board.stride + row, 0)
        stone = 1 << code
        if self.mover:
            o = self.o | stone
            return HexState(board, self.swap, self.x, o, 0, _connects(board, o, stone, 1))
        x = self.x | stone
        return HexState(board, self.swap, x, self.o, 1, _connects(board, x, stone, 0))

    def text_of(self, code: int) -> str:
        return "swap" if code == SWAP else self.board.names[code]

    def code_of(self, text: str) -> int:
        board = self.board
        code = SWAP if text == "swap" else board.index.get(text)
        if code is None:
            raise UnreadableMove(
                f'{shown(text)} is not a move: cells are a1 to {board.letters[-1]}{board.rows}, or "swap"'
            )
        self.refuse_after_end(text)
        if code == SWAP:
            if not self._may_swap():
                raise IllegalMove("swap is allowed only as the answer to the first stone, with the setting swap")
        elif (self.x | self.o) >> code & 1:
            raise IllegalMove(f"{text} is taken")
        return code

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (one text, row by row from the top), `size`, `swap` and `to_move`; all seats see the same."""
        return {"board": self._drawn(), "size": self.board.columns, "swap": self.swap, "to_move": self.mover}

    def text(self) -> str:
        return f"{'/'.join(self.board.split(self._drawn()))} {GAME.seat_marks[self.mover]}"

    def diagram(self) -> str:
        lines = self.board.diagram(self._drawn()).split("\n")
        return "\n".join(" " * number + line for number, line in enumerate(lines))

    def canonical(self) -> tuple[bool, int, str]:
        """Return a key of the position. The position turned by 180 degrees has the same key."""
        drawn = self._drawn()
        return self.swap, self.mover, min(drawn, drawn[::-1])

    def estimate(self) -> float:
        """Estimate the value by the numbers of stones that both sides still need to connect their edges.

        The right to move counts as half a stone. If both sides need equally many stones, the side with more cells on
        shortest paths is ahead. The first Hex programs judged positions in these ways: C. E. Shannon's machine by the
        shortest path, and V. V. Anshelevich's program by the number of paths (A hierarchical approach to computer Hex,
        Artificial Intelligence 134, 2002).
        """
        board = self.board
        x, x_ways = distance(board, self.x, self.o, 0)
        o, o_ways = distance(board, self.o, self.x, 1)
        lead = o - x + (-0.5 if self.mover else 0.5) + (x_ways - o_ways) / (len(board.cells) + 1) / 2
        value = lead / (board.columns + abs(lead))
        return -value if self.mover else value

    def _may_swap(self) -> bool:
        return self.swap and self.mover == 1 and not self.o and self.x.bit_count() == 1

    def _drawn(self) -> str:
        return self.board.draw(MARKS, self.x, self.o)


def _connects(board: Squares, stones: int, group: int, seat: int) -> bool:
    """Return true if `group`, with all cells of `stones` connected to `group`, touches both edges of `seat`."""
    edges = (board.column(0), board.column(-1)) if seat else (board.row(0), board.row(-1))
    if not (stones & edges[0] and stones & edges[1]):
        return False
    group = _grown(board, group, stones)
    return bool(group & edges[0] and group & edges[1])


def distance(board: Squares, mine: int, theirs: int, seat: int) -> tuple[int, int]:
    """Return the fewest stones needed to connect a seat's edges, and the number of empty cells on shortest paths."""
    free = board.full ^ mine ^ theirs
    start, goal = (board.column(0), board.column(-1)) if seat else (board.row(0), board.row(-1))
    down, slant = board.stride, board.stride - 1
    layers = []
    for first, last in ((start, goal), (goal, start)):
        # The nth layer has the empty cells that n stones reach from the edge `first`; own stones are free to pass.
        reached = _grown(board, mine & first, mine)
        layer = (first & free) | _around(reached, down, slant) & free
        found = []
        while not reached & last:
            if not layer:
                return len(board.cells), 0
            found.append(layer)
            reached |= layer
            reached = _grown(board, reached, mine | reached)
            layer = _around(layer | reached & mine, down, slant) & free & ~reached
        layers.append(found)
    there, back = layers
    ways = sum((one & other).bit_count() for one, other in zip(there, reversed(back), strict=True))
    return len(there), ways


def _around(cells: int, down: int, slant: int) -> int:
    return cells << 1 | cells >> 1 | cells << down | cells >> down | cells << slant | cells >> slant


def _grown(board: Squares, group: int, within: int) -> int:
    """Return the mask of `group` and of all cells of `within` that are connected to `group`."""
    down, slant = board.stride, board.stride - 1
    grown = 0
    while grown != group:
        grown = group
        group |= (group << 1 | group >> 1 | group << down | group >> down | group << slant | group >> slant) & within
    return group


class Hex(Game):
    """Connect your two edges; the second player may take over the first stone."""

    name = "hex"
    title = "Hex"
    seat_names = ("Blue", "Orange")
    settings = (
        Setting("size", 11, "rows and columns of the board", minimum=2, maximum=19),
        Setting("swap", True, "the second player may take over the first stone"),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> HexState:
        full = self.complete(settings)
        return HexState(_board(full["size"]), bool(full["swap"]))

    def load(self, view: Mapping[str, Any]) -> HexState:
        full = settings_in(self, view)
        return _place(_board(full["size"]), bool(full["swap"]), text_in(self, view, "board"), mover_in(self, view))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Draw stones on hexagons, and edges in the colours of their seats. After a `swap`, mark the mirrored stone."""
        board = _board(view["size"])
        if last == "swap":
            last = " ".join(board.names_in(board.read(MARKS, view["board"])[1]))
        return board.drawing("hexagons", view["board"], PIECES, last, edges=("first", "second", "first", "second"))

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return _board(view["size"]).path(move)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> HexState:
        """Read a position. Refuse wrong counts of stones, and positions in which play went on after the end."""
        drawn, _, mark = text.partition(" ")
        rows = drawn.split("/")
        full = self.complete({"size": len(rows), **(settings or {})})
        if any(len(row) != full["size"] for row in rows) or len(rows) != full["size"]:
            raise BadPosition(f"{shown(text)} is not {full['size']} rows of {full['size']} between slashes")
        return _place(_board(full["size"]), bool(full["swap"]), "".join(rows), mover_of(self, mark))


def _board(size: Any) -> Squares:
    return squares(size, size, from_top=True)


def _place(board: Squares, swap: bool, text: str, mover: int) -> HexState:
    """Return the state with the stones of `text`, which has the cells row by row from the top. Raises BadPosition."""
    x, o = board.read(MARKS, text)
    lead = x.bit_count() - o.bit_count() - mover
    if lead and not (swap and lead == -1 and o):
        raise BadPosition("the seats move in turn, X first: the counts do not fit the mark to move")
    last, before = (x, o) if mover else (o, x)
    won = _connected(board, last, 1 - mover)
    if _connected(board, before, mover) or (
        won and all(_connected(board, last ^ 1 << cell, 1 - mover) for cell in board.cells_in(last))
    ):
        raise BadPosition("play went on after the end")
    return HexState(board, swap, x, o, mover, won)


def _connected(board: Squares, stones: int, seat: int) -> bool:
    """Return true if some group of `stones` touches both edges of `seat`."""
    return _connects(board, stones, stones & (board.column(0) if seat else board.row(0)), seat)


GAME = Hex()
"""The game object to which the entry point refers."""
