"""Tie-breaks by the opponents' ratings before the event: FIDE Handbook C.07, articles 10.1 and 10.2. Pure."""

from collections.abc import Sequence

DIFFERENCES = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117),
    *(125, 133, 141, 149, 158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273),
    *(284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800),
)
"""The rating difference for a score of 50 to 100 percent (FIDE Rating Regulations, B.02, table 8.1.1)."""


def average_rating(opponents: Sequence[float]) -> int | None:
    """Return the average rating of the opponents met over the board, 0.5 rounded up; None without opponents."""
    return _rounded(sum(opponents), len(opponents)) if opponents else None


def performance(halves: int, opponents: Sequence[float]) -> int | None:
    """Return the tournament performance rating for `halves` half points against these opponents; None without any."""
    average = average_rating(opponents)
    if average is None:
        return None
    percent = _rounded(100 * halves, 2 * len(opponents))
    return average + (DIFFERENCES[percent - 50] if percent >= 50 else -DIFFERENCES[50 - percent])


def _rounded(value: float, count: int) -> int:
    return int((2 * value + count) // (2 * count))
