"""The bars of thinking times under a match's moves. Pure; `static/think_chart.js` makes the same to keep them live."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

WIDTH, HALF = 10, 50
"""Room for a bar, and the height of each seat's half; the first seat's bars go up from the middle, all others down."""
SCALE_MS = 10
"""Times far below it are drawn in proportion, times far above it by their logarithm."""
LEAST_LONGEST_MS = 100
"""The least time of a bar of full height, in ms, so that a match of instant moves does not look like one of thought."""
FEWEST = 24
"""The chart has room for this number of bars from the start, so that the first ones are not broad."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The time of one ply."""

    ply: int
    """How many plies there are with this one."""
    seat: int
    thought_ms: int
    x: int
    y: int
    height: int


def bars(thought_ms: Sequence[int | None], movers: Sequence[int]) -> list[Bar]:
    """Make a bar of each ply whose time is known."""
    longest_ms = max([LEAST_LONGEST_MS, *(each for each in thought_ms if each is not None)])
    made = []
    for ply, (each, seat) in enumerate(zip(thought_ms, movers, strict=True)):
        if each is not None:
            height = max(2, int(HALF * log1p(each / SCALE_MS) / log1p(longest_ms / SCALE_MS)))
            made.append(Bar(ply + 1, seat, each, WIDTH * ply, HALF if seat else HALF - height, height))
    return made


def view_box(plies: int) -> str:
    """Return the `viewBox` of a match's bars."""
    return f"0 0 {WIDTH * max(plies, FEWEST)} {2 * HALF}"
