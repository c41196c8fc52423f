"""Estimated scores of the seats of a table, from a worth of each seat."""

from collections.abc import Sequence


def scores(worths: Sequence[float]) -> Sequence[float]:
    """Return the estimated score of each seat: the mean probability that the seat lasts longer than another seat.

    A worth below 0 belongs to a seat that is out. Of two such seats, the seat that went out earlier has the lower
    worth. The odds of two seats that are not out are the squares of their worths.
    """
    return [
        sum(_ahead(own, other) for place, other in enumerate(worths) if place != seat) / (len(worths) - 1)
        for seat, own in enumerate(worths)
    ]


def _ahead(own: float, other: float) -> float:
    if own < 0 or other < 0:
        return (own > other) + (own == other) / 2
    return own * own / (own * own + other * other) if own or other else 0.5
