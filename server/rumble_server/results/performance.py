"""Tie-breaks by the opponents' ratings from before the event: FIDE Handbook C.07, articles 10.1 and 10.2. Pure."""

from collections.abc import Sequence

DIFFERENCES = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117),
    *(125, 133, 141, 149, 158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273),
    *(284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800),
)
"""Rating differences for scores of 50, 51, ..., 100 per cent (FIDE Rating Regulations, B.02, table 8.1.1)."""


def average_rating(opponents: Sequence[float]) -> int | None:
    """Return the average of the opponents' ratings, with 0.5 rounded up; None without opponents."""
    return _rounded(sum(opponents), len(opponents)) if opponents else None


def performance(halves: int, opponents: Sequence[float]) -> int | None:
    """Return the tournament performance rating; None without opponents.

    `halves` is the score in half points, and `opponents` are the opponents' ratings.
    """
    average = average_rating(opponents)
    if average is None:
        return None
    percent = _rounded(100 * halves, 2 * len(opponents))
    return average + (DIFFERENCES[percent - 50] if percent >= 50 else -DIFFERENCES[50 - percent])


def _rounded(value: float, count: int) -> int:
    return int((2 * value + count) // (2 * count))
