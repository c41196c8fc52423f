"""A histogram whose observations are cheap: the cumulative counts are summed up only when /metrics is read."""

from bisect import bisect_left
from itertools import accumulate

BOUNDS_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""The upper bounds of the buckets, in s."""


class Histogram:
    """The number of durations in each bucket, and the sum of all durations in s."""

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        """The counts by bucket; the last bucket has the durations beyond all bounds."""
        self.sum_s = 0.0

    def observe(self, duration_s: float) -> None:
        self.counts[bisect_left(BOUNDS_S, duration_s)] += 1
        self.sum_s += duration_s

    def buckets(self) -> list[tuple[str, float]]:
        """Return each bound, as text, with the number of durations not longer than the bound."""
        return list(zip([*map(str, BOUNDS_S), "+Inf"], map(float, accumulate(self.counts)), strict=True))
