"""The scale of the rating chart. Pure; `static/ratings.js` computes the same scale in live pages."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

from rumble_protocol.feed_messages import Standing

MOST_STEPS = 6
"""Maximum number of steps of a scale."""
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, both multiples of `step`."""

    low: int
    high: int
    step: int

    def at(self, value: float) -> str:
        """Return the distance of a value from the left, as a percentage for SVG."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    @property
    def ticks(self) -> list[int]:
        return list(range(self.low, self.high + 1, self.step))


def scale_of(standings: Iterable[Standing]) -> Scale | None:
    """Make a scale with room for every rating and its interval; None without ratings."""
    ends = [end for line in standings if line.rating is not None for end in (line.rating, *(line.interval or ()))]
    if not ends:
        return None
    least, most = min(ends), max(ends)
    step = next((step for step in STEPS if (most - least) / step <= MOST_STEPS - 1), STEPS[-1])
    low = floor(least / step) * step
    low -= step if low > least else 0  # a quotient just below 0 may have been rounded to 0
    return Scale(low, max(ceil(most / step) * step, low + step), step)
