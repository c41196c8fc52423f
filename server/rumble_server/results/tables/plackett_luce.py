"""The arithmetic of ratings of tables: the fit, its covariance, and a test whether seats can be rated. Needs numpy.

The model is that of Plackett (1975) and Luce (1959). The bot for the next place is chosen among the bots that are left.
A bot of strength t[i] in a seat with the term h[s] is chosen with a probability proportional to exp(t[i] + h[s]). With
two seats this is the model of `rating_model`, with the first-move term h[0] - h[1]. In vectors and matrices, the bots
come before the seats.
"""

from dataclasses import dataclass

import numpy as np

from rumble_server.results.rating_model import DRAW_PRIOR, Fit, Matrix, climb
from rumble_server.results.tables.choices import Choices

MOST_SEAT_TERM = 12.0
"""Maximum difference of two seat terms, in natural units.

If a difference gets greater, the fit stops. Otherwise the terms would grow without bound.
"""


@dataclass(frozen=True, slots=True)
class TableFit(Fit):
    """A fit with terms of the seats (mean 0). In the covariance, the terms come after the strengths."""

    seat_terms: Matrix

    @property
    def is_bounded(self) -> bool:
        return bool(np.ptp(self.seat_terms) <= MOST_SEAT_TERM)


def fit(choices: Choices, met: Matrix, less: Matrix) -> TableFit:
    """Return the most likely strengths and seat terms. `met` and `less` come from `meetings`."""
    bots, seats = len(met), choices.seats
    gauge = _gauge([[*range(bots)], [*range(bots, bots + seats)]])

    def newton(at: Matrix) -> Matrix:
        if np.ptp(at[bots:]) > MOST_SEAT_TERM:
            return 0 * at
        chances, _ = choices.chances(at)
        curvature = choices.information(choices.weights(chances))
        return np.asarray(np.linalg.solve(curvature + gauge, choices.gradient(chances)), np.float64)

    at = climb(np.zeros(bots + seats), choices.likelihood, newton)
    at[:bots] -= at[:bots].mean()
    at[bots:] -= at[bots:].mean()
    chances, _ = choices.chances(at)
    weights = choices.weights(chances)
    inverse = np.asarray(np.linalg.inv(choices.information(weights) + gauge), np.float64)
    kept = _kept(choices, weights, choices.favourites(chances), met + met.T, less + less.T)
    spread = choices.information(weights * kept)
    return TableFit(at[:bots], 0.0, inverse @ spread @ inverse, at[bots:])


def _kept(choices: Choices, weights: Matrix, favourites: Matrix, met: Matrix, less: Matrix) -> Matrix:
    """Return the share of the variance that remains, for each pair in `choices.pairs`.

    Shared places reduce the variance as draws do in `rating_model`. Pairs of the prior keep their whole variance.
    """
    bots = len(met)
    one, other = choices.pairs
    full = np.bincount(one * bots + other, weights * choices.is_played, bots**2).reshape(bots, bots)
    full = full + full.T
    share = min(1.0, float((less.sum() / 2 + 1 / 8) / (full.sum() / 2 + 1 / 4)))
    own = np.divide(less * met, full, out=np.zeros_like(full), where=full > 0)
    lost = np.minimum(((own + DRAW_PRIOR * share) / (met + DRAW_PRIOR))[one, other], 1 / (2 * favourites))
    kept = np.maximum(1 - lost, (1 / (met + DRAW_PRIOR))[one, other])
    return np.where(choices.is_played, kept, np.float64(1))


def can_separate_seats(choices: Choices, groups: list[list[int]]) -> bool:
    """Return true if bots change seats often enough for the fit to separate the seat terms from the strengths."""
    bots, seats = sum(map(len, groups)), choices.seats
    chances, _ = choices.chances(np.zeros(bots + seats))
    information = choices.information(choices.weights(chances)) + _gauge([*groups, [*range(bots, bots + seats)]])
    across = information[bots:, :bots]
    left = information[bots:, bots:] - across @ np.linalg.solve(information[:bots, :bots], across.T)
    return bool(np.linalg.eigvalsh(left)[0] > 1e-9 * information[bots:, bots:].max())


def _gauge(groups: list[list[int]]) -> Matrix:
    """Return a matrix to add to the information matrix, so that the sum is invertible.

    The matrix fixes the mean of the values of each group. A constant added to all values of a group changes no
    probability, so the information matrix alone is singular.
    """
    size = sum(map(len, groups))
    gauge = np.zeros((size, size))
    for group in groups:
        gauge[np.ix_(group, group)] = 1 / len(group)
    return gauge
