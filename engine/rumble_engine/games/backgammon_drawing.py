"""The drawing of backgammon: points with stacked checkers, the bar, the checkers off and the dice, as seat 0 sees them.

At most five checkers of a stack are drawn. On a higher stack, the label of the last drawn checker is the stack's number
of checkers. Seat 0 has its bar and its checkers off in the lower half, seat 1 in the upper half. The dice are in the
middle row: in the right half if seat 0 is to move, in the left half if seat 1 is to move.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rumble_engine.drawing import EMPTY, Colour, Drawing, Piece

COLUMNS, BAR, OFF = 14, 6, 13
"""Number of columns, and the indexes of the columns for the bar and for checkers off."""
HIGH = 5
"""Number of rows in each half of the board. Therefore at most so many checkers of a stack are drawn."""
MARKS = ("XABCDEFGHIJ", "Oabcdefghij")
"""Characters for the checkers of each seat. The first character stands for a checker without a label.

The others stand for the last drawn checker of a stack of 6, of 7, and so on up to 15 checkers.
"""
LABELS = (
    (*map(str, range(13, 19)), "bar", *map(str, range(19, 25)), "off"),
    (*map(str, range(12, 6, -1)), "bar", *map(str, range(6, 0, -1)), "off"),
)
"""The labels of the columns, in the upper half and in the lower half of the board."""
POINT = "(?:1[0-9]|2[0-4]|[1-9])"
STEPS = re.compile(rf"(?:(?:bar|{POINT})(?:/(?:{POINT}|off)\*?)+(?:\([234]\))?(?: |$))+")


def _checkers(seat: int, name: str, colour: Colour) -> dict[str, Piece]:
    lasts = {
        mark: Piece(f"last of {count} {name}", seat, "disc", colour, str(count))
        for count, mark in enumerate(MARKS[seat][1:], HIGH + 1)
    }
    return {MARKS[seat][0]: Piece(name, seat, "disc", colour), **lasts}


PIECES = {
    **{str(number): Piece(f"die {number}", None, "tile", "light", str(number)) for number in range(1, 7)},
    **_checkers(0, "white", "light"),
    **_checkers(1, "black", "dark"),
}
"""The pieces. The dice come first, as in JavaScript.

The keys of the dice are digits, and a JavaScript object lists keys of digits before other keys.
"""


def drawing(view: Mapping[str, Any], last: str | None) -> Drawing:
    """Return the drawing of a view of backgammon."""
    cells = [EMPTY] * (COLUMNS * (2 * HIGH + 1))
    for stack, seat, count in _stacks(view):
        for cell in stack[:count]:
            cells[cell] = MARKS[seat][max(count - HIGH, 0) if cell == stack[-1] else 0]
    for cell, number in zip(_dice(view), view["dice"], strict=True):
        cells[cell] = str(number)
    marked, (above, below) = _marked(view, last or ""), LABELS
    return Drawing("points", COLUMNS, "".join(cells), PIECES, below, last=marked, top_labels=above)


def _stack(label: str, is_above: bool) -> tuple[int, ...]:
    """Return the cells of the column with this label in one half of the board, from the edge to the middle."""
    column = LABELS[not is_above].index(label)
    return tuple(COLUMNS * (row if is_above else 2 * HIGH - row) + column for row in range(HIGH))


def _stacks(view: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the cells, the seat and the number of checkers of each stack: on a point, on the bar, or borne off."""
    for point, count in enumerate(view["points"], 1):
        yield _stack(str(point), point > 12), int(count < 0), abs(count)
    for seat in (0, 1):
        for label in ("bar", "off"):
            yield _stack(label, bool(seat)), seat, view[label][seat]


def _dice(view: Mapping[str, Any]) -> tuple[int, ...]:
    first = COLUMNS * HIGH + (2 if view["to_move"] else 9)
    return (first, first + 1)[: len(view["dice"])]


def _marked(view: Mapping[str, Any], ply: str) -> tuple[int, ...]:
    """Return the cells to mark.

    After a roll the dice are marked. After a move the old and the new cells of the moved checkers are marked.
    """
    if re.fullmatch("[1-6]{2}", ply):
        return _dice(view)
    seat, marked = 1 - view["to_move"], []
    counts = {stack: count for stack, _, count in _stacks(view)}
    for steps in ply.split(" ") if STEPS.fullmatch(ply) else ():
        for number, stop in enumerate(re.findall(r"bar|off|[0-9]+", steps.partition("(")[0])):
            point = (int(stop) if seat == 0 else 25 - int(stop)) if stop.isdigit() else 0
            stack = _stack(str(point) if point else stop, point > 12 if point else bool(seat))
            marked.append(stack[min(max(counts[stack] - (number > 0), 0), HIGH - 1)])
    return tuple(marked)
