"""A histogram with cheap observations. Cumulative counts are computed only when /metrics is read."""

from bisect import bisect_left
from itertools import accumulate

BOUNDS_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the buckets in s."""


class Histogram:
    """A histogram of durations: the number in each bucket, and the sum of all durations in s."""

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        """Number of durations in each bucket. The last bucket is for durations above all bounds."""
        self.sum_s = 0.0

    def observe(self, duration_s: float) -> None:
        self.counts[bisect_left(BOUNDS_S, duration_s)] += 1
        self.sum_s += duration_s

    def buckets(self) -> list[tuple[str, float]]:
        """Return each upper bound as text, with the number of durations up to this bound."""
        return list(zip([*map(str, BOUNDS_S), "+Inf"], map(float, accumulate(self.counts)), strict=True))
