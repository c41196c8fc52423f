"""The bars of thinking times under a match's moves. Pure; `static/think_chart.js` makes the same bars in live pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

WIDTH, HALF = 10, 50
"""Width of the room for a bar, and height of a half of the chart.

The bars of the first seat go up from the middle, and the bars of the second seat go down.
"""
SCALE_MS = 10
"""Scale of the bars in ms. Bars of far shorter times grow in proportion to the time; bars of far longer times grow with
the logarithm of the time."""
LEAST_LONGEST_MS = 100
"""Time in ms of a bar with full height, if no move of the match took longer.

So the bars of instant moves are short in every match.
"""
FEWEST = 24
"""Minimum width of the chart, in bars. The bars of a shorter match fill a part of the chart, and so are not broad."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar of a ply, in units of the chart."""

    ply: int
    """Number of the ply, from 1."""
    seat: int
    thought_ms: int
    x: int
    y: int
    height: int


def bars(thought_ms: Sequence[int | None], movers: Sequence[int]) -> list[Bar]:
    """Make a bar for each ply whose time is known."""
    longest_ms = max([LEAST_LONGEST_MS, *(each for each in thought_ms if each is not None)])
    made = []
    for ply, (each, seat) in enumerate(zip(thought_ms, movers, strict=True)):
        if each is not None:
            height = max(2, int(HALF * log1p(each / SCALE_MS) / log1p(longest_ms / SCALE_MS)))
            made.append(Bar(ply + 1, seat, each, WIDTH * ply, HALF if seat else HALF - height, height))
    return made


def view_box(plies: int) -> str:
    """Return the `viewBox` of the chart of a match."""
    return f"0 0 {WIDTH * max(plies, FEWEST)} {2 * HALF}"
