"""Reading positions in Forsyth-Edwards Notation (FEN) with all checks, and finding the squares that a piece attacks.

A board is a text of 64 cells from a8 to h1, row by row from the top, with `.` for an empty cell. The functions that
find attacked squares accept every board, even a board that cannot occur in a game. `faults` uses these functions to
check whether a position can occur.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from rumble_engine.errors import BadPosition
from rumble_engine.games.chess.codes import NAMES
from rumble_engine.texts import shown

FORM = re.compile(
    "[1-8KQRBNPkqrbnp/]{15,71} [wb] (-|(?! )[KQ]{0,2}[kq]{0,2}) (-|[a-h][1-8]) [0-9]{1,4} [0-9]{1,4}", re.ASCII
)
EMPTY = tuple((str(length), "." * length) for length in range(8, 0, -1))
CELLS = {name: square ^ 56 for square, name in enumerate(NAMES)}
"""The index of each square in the board's text, by the square's name."""
CASTLING = {"K": ("e1", "h1"), "Q": ("e1", "a1"), "k": ("e8", "h8"), "q": ("e8", "a8")}
"""The squares of the king and of the rook, for each right to castle."""
STRAIGHT, DIAGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0)), ((1, 1), (1, -1), (-1, 1), (-1, -1))
JUMPS = ((1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))
STEPS = {
    "K": (STRAIGHT + DIAGONAL, 1),
    "Q": (STRAIGHT + DIAGONAL, 7),
    "R": (STRAIGHT, 7),
    "B": (DIAGONAL, 7),
    "N": (JUMPS, 1),
    "P": (((-1, -1), (-1, 1)), 1),
    "p": (((1, -1), (1, 1)), 1),
}
"""The moves of each piece: directions as (rows down, columns right), and the maximum number of steps in a direction.

A capital letter stands for the pieces of both sides, but `P` is a white pawn, and `p` a black pawn. Pawns have only the
directions of their captures.
"""


class Fields(NamedTuple):
    """The six fields of a position in Forsyth-Edwards Notation."""

    cells: str
    side: str
    """`w` or `b`."""
    castling: str
    passing: str
    quiet: int
    number: int

    @property
    def key(self) -> str:
        """The first four fields as text; rights to castle are in the standard's order."""
        placed = "/".join(self.cells[start : start + 8] for start in range(0, 64, 8))
        for length, dots in EMPTY:
            placed = placed.replace(dots, length)
        castling = "".join(right for right in CASTLING if right in self.castling) or "-"
        return f"{placed} {self.side} {castling} {self.passing}"


def cells_of(placed: str) -> str:
    """Return the 64 cells of a FEN's first field."""
    for length, dots in EMPTY:
        placed = placed.replace(length, dots)
    return placed.replace("/", "")


def read(text: str) -> Fields:
    """Read a position in Forsyth-Edwards Notation. Raises BadPosition."""
    if not FORM.fullmatch(text):
        raise BadPosition(f"{shown(text)} is not a position in Forsyth-Edwards Notation")
    placed, side, castling, passing, quiet, number = text.split(" ")
    rows = [cells_of(row) for row in placed.split("/")]
    if [len(row) for row in rows] != [8] * 8 or re.search("[1-8]{2}", placed):
        raise BadPosition(f"{shown(text)} is not a position in Forsyth-Edwards Notation")
    fields = Fields("".join(rows), side, castling, passing, int(quiet), int(number))
    if found := faults(fields):
        raise BadPosition(f"the position cannot occur: {', '.join(found)}")
    if fields.quiet > 150 or number.startswith("0"):
        raise BadPosition("the count of quiet plies is from 0 to 150, the number of the move from 1 to 9999")
    return fields


def faults(position: Fields) -> list[str]:
    """Return the reasons why a position cannot occur; empty if it can occur.

    Whether kings are in check is examined only if each side has exactly one king.
    """
    cells, side = position.cells, position.side
    men = {"white": [man for man in cells if man.isupper()], "black": [man.upper() for man in cells if man.islower()]}
    kings = [f"no {name} king" for name, found in men.items() if "K" not in found]
    if cells.count("K") + cells.count("k") > 2:
        kings.append("too many kings")
    found = [f"too many {name} pawns" for name, some in men.items() if some.count("P") > 8]
    if "P" in (cells[:8] + cells[56:]).upper():
        found.append("pawns on backrank")
    found += [f"too many {name} pieces" for name, some in men.items() if len(some) > 16]
    if not all(_may_castle(cells, right) for right in position.castling if right != "-"):
        found.append("bad castling rights")
    pushed = _pushed(position)
    if position.passing != "-" and pushed is None:
        found.append("invalid ep square")
    if kings:
        return kings + found
    own, other = ("K", "k") if side == "w" else ("k", "K")
    if attackers(cells, cells.index(other)):
        found.append("opposite check")
    checkers = attackers(cells, cells.index(own))
    if len(checkers) > 2:
        found.append("too many checkers")
    if _impossible(cells, cells.index(own), checkers, pushed):
        found.append("impossible check")
    return found


def attackers(cells: str, cell: int) -> list[int]:
    """Return the cells of the pieces that attack the piece on `cell`."""
    white = cells[cell].isupper()
    found = []
    for kind in "KQRBNP":
        # An enemy piece attacks `cell` exactly if a friendly piece of its kind on `cell` would attack the enemy piece.
        mine, theirs = (kind, kind.lower()) if white else (kind.lower(), kind)
        found += [other for other in attacked(cells, cell, mine) if cells[other] == theirs]
    return found


def attacked(cells: str, cell: int, man: str) -> Iterator[int]:
    """Yield the cells, empty or not, that a piece `man` on `cell` attacks."""
    for way in _ways(cell, man if man == "p" else man.upper()):
        for end in way:
            yield end
            if cells[end] != ".":
                break


@cache
def _ways(cell: int, man: str) -> tuple[tuple[int, ...], ...]:
    """Return the cells that a piece `man` on `cell` attacks if the board is otherwise empty.

    Each direction has a tuple, in which the nearest cell is first.
    """
    steps, length = STEPS[man]
    row, column = divmod(cell, 8)
    ways = (((row + down * count, column + right * count) for count in range(1, length + 1)) for down, right in steps)
    return tuple(tuple(y * 8 + x for y, x in way if 0 <= y < 8 and 0 <= x < 8) for way in ways)


def _may_castle(cells: str, right: str) -> bool:
    king, rook = (cells[CELLS[name]] for name in CASTLING[right])
    return (king, rook) == (("K", "R") if right.isupper() else ("k", "r"))


def _pushed(position: Fields) -> tuple[int, int] | None:
    """Return the start and end cell of the double step that allows a capture in passing; None without such a step."""
    cells = position.cells
    if position.passing == "-" or position.passing[1] != ("6" if position.side == "w" else "3"):
        return None
    passed = CELLS[position.passing]
    start, end, pawn = (passed - 8, passed + 8, "p") if position.side == "w" else (passed + 8, passed - 8, "P")
    return (start, end) if cells[passed] == cells[start] == "." and cells[end] == pawn else None


def _impossible(cells: str, king: int, checkers: list[int], pushed: tuple[int, int] | None) -> bool:
    """Return true if no legal move could have given this check. `checkers` are the pieces that attack the king."""
    # A move gives check by at most two pieces: the moved piece, and a piece that the moved piece stood in front of. The
    # moved piece has left the line from the other piece to the king, so the three pieces are not on one line.
    if not checkers or pushed is None:
        return len(checkers) > 2 or (len(checkers) == 2 and _in_line(king, *checkers))
    start, end = pushed
    # Take back the pawn's double step, and put "?" for the pawn, because "?" attacks nothing. Before the step no piece
    # can have attacked the king.
    before = "".join("?" if cell == start else "." if cell == end else man for cell, man in enumerate(cells))
    return len(checkers) > 1 or (checkers != [end] and bool(attackers(before, king)))


def _in_line(king: int, first: int, second: int) -> bool:
    (y, x), (up, left), (down, right) = divmod(king, 8), divmod(first, 8), divmod(second, 8)
    aligned = (up - y) * (right - x) == (left - x) * (down - y)
    return aligned and (up == y or left == x or abs(up - y) == abs(left - x))
