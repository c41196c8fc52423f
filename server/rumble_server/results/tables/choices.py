"""Rankings as series of choices: the first place is a choice among all bots of a table, the next among the rest.

A shared place counts as the average over all orders of the bots at the place, just as a draw counts as half a win and
half a loss. For up to `MOST_EXACT` bots the average is exact, and has a choice for each subset of the bots. For n bots
with n above `MOST_EXACT`, n orders stand for all: the n rotations of the order of seats. So each bot is first once,
second once, and so on. Needs numpy.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, groupby, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from rumble_server.results.rating_model import Matrix

Indexes = NDArray[np.int64]

MOST_EXACT = 6
"""Maximum number of bots at a shared place for which all orders are averaged.

The average has a choice for each subset of the bots: 63 choices for 6 bots, and 255 for 8 bots.
"""

Placed = tuple[int, int, int]
"""A bot in a ranking: index, seat and place."""
Rankings = Sequence[tuple[Sequence[Placed], float]]
"""Rankings, each with the number of tables that ended with the ranking."""


class Choices:
    """The choices of rankings as arrays. An entry is a bot in a choice. A choice's entries stand side by side."""

    def __init__(self, rankings: Rankings, virtual: Rankings, bots: int, seats: int) -> None:
        """Make the choices of played tables (`rankings`) and of a prior (`virtual`).

        If `seats` is 1, all bots count as sitting in the same seat.
        """
        self.seats, self._size = seats, bots + seats
        self._chosen = np.zeros(self._size)
        entries: list[tuple[int, int]] = []
        sizes: list[int] = []
        weights: list[float] = []

        def take(rankings: Rankings) -> None:
            for ranking, count in rankings:
                behind: list[tuple[int, int]] = []
                for group in _by_place(ranking):
                    shared = [(bot, seat % seats) for bot, seat in group]
                    for indexes, weight in subsets(len(shared)):
                        if len(indexes) + len(behind) > 1:
                            entries.extend([*[shared[index] for index in indexes], *behind])
                            sizes.append(len(indexes) + len(behind))
                            weights.append(count * weight)
                    share = count * (1 if behind else 1 - 1 / len(shared))  # the last bot of an order is no choice
                    for bot, seat in shared:
                        self._chosen[bot] += share
                        self._chosen[bots + seat] += share
                    behind += shared

        take(rankings)
        played = len(entries)
        take(virtual)
        bot, seat = np.array(entries, dtype=np.int64).T
        self._ends: Indexes = np.array([bot, bots + seat])
        """For each entry, two indexes in the vector of parameters: of the bot's strength, and of the seat's term.

        The vector contains the strengths of all bots, and then the terms of all seats.
        """
        self._weight, size = np.array(weights), np.array(sizes)
        self._start: Indexes = np.cumsum(size) - size
        """Index of the first entry of each choice."""
        self._choice: Indexes = np.repeat(np.arange(len(size)), size)
        """Index of the choice to which each entry belongs."""
        pairs = [(self._start[size == k, None], np.triu_indices(k, 1)) for k in range(2, size.max() + 1)]
        self._pairs = [np.concatenate([(start + each[end]).ravel() for start, each in pairs]) for end in (0, 1)]
        """Two arrays: the indexes of the first and of the second entry of each pair.

        A pair is any two entries of the same choice.
        """
        self.pairs: Indexes = bot[np.array(self._pairs)]
        """Two rows with the indexes of the bots in each pair's first and second entry."""
        self.is_played = self._pairs[0] < played
        """Mask of the pairs that come from played tables."""

    def chances(self, at: Matrix) -> tuple[Matrix, Matrix]:
        """Return two arrays for `at`, a vector of strengths and seat terms.

        The first array has, for each entry, the probability that the entry is chosen. The second array has, for each
        choice, the logarithm of the sum of exp(strength + seat term) over the entries of the choice.
        """
        lead = at[self._ends].sum(axis=0)
        top = np.maximum.reduceat(lead, self._start)
        raised = np.exp(lead - top[self._choice])
        total = np.add.reduceat(raised, self._start)
        return raised / total[self._choice], top + np.log(total)

    def likelihood(self, at: Matrix) -> float:
        """Return the logarithm of the likelihood for `at`, a vector of strengths and seat terms."""
        return float(self._chosen @ at - self._weight @ self.chances(at)[1])

    def gradient(self, chances: Matrix) -> Matrix:
        """Return the gradient of the logarithm of the likelihood. `chances` has the probability of each entry."""
        expected = self._weight[self._choice] * chances
        return self._chosen - sum(np.bincount(ends, expected, self._size) for ends in self._ends)

    def weights(self, chances: Matrix) -> Matrix:
        """Return, for each pair, the Fisher information about the difference in strength between the two entries."""
        left, right = self._pairs
        weights: Matrix = self._weight[self._choice[left]] * chances[left] * chances[right]
        return weights

    def favourites(self, chances: Matrix) -> Matrix:
        """Return, for each pair, the probability that the stronger entry finishes before the weaker entry."""
        left, right = (chances[end] for end in self._pairs)
        found: Matrix = np.maximum(left, right) / (left + right)
        return found

    def information(self, weights: Matrix) -> Matrix:
        """Return the sum of w x x' over all pairs of entries: w is the pair's weight, and x' is x transposed.

        The vector x of a pair has 1 for the bot and the seat of the first entry, -1 for the bot and the seat of the
        second entry, and 0 for all others.
        """
        left, right = self._pairs
        ends = [*((end[left], 1) for end in self._ends), *((end[right], -1) for end in self._ends)]
        found = np.zeros(self._size**2)
        for (row, sign), (column, other) in product(ends, repeat=2):
            found += np.bincount(row * self._size + column, sign * other * weights, self._size**2)
        return found.reshape(self._size, self._size)


def _by_place(ranking: Sequence[Placed]) -> Iterable[list[tuple[int, int]]]:
    """Return a list for each place, beginning with the last place.

    A list has the bot and the seat of each bot at the place, in order of seat.
    """
    ordered = sorted(ranking, key=lambda each: (-each[2], each[1]))
    return ([each[:2] for each in group] for _, group in groupby(ordered, key=lambda each: each[2]))


@lru_cache(64)
def subsets(sharing: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the choices that make up the orders of the bots at a shared place.

    Each choice comes with the share of orders in which the choice occurs. `sharing` is the number of bots at the place.
    A choice is a set of indexes from 0 to `sharing` - 1: the bots that are left at this choice.
    """
    if sharing <= MOST_EXACT:
        sizes = range(1, sharing + 1)
        return [(each, 1 / comb(sharing, m)) for m in sizes for each in combinations(range(sharing), m)]
    parts = [(first, m) for m in range(1, sharing) for first in range(sharing)]
    rounds = [(tuple([(first + step) % sharing for step in range(m)]), 1 / sharing) for first, m in parts]
    return [*rounds, (tuple(range(sharing)), 1.0)]


def meetings(rankings: Rankings, bots: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return three matrices. A row belongs to the bot in the lower seat, a column to the bot in the higher seat.

    The first matrix counts how often the bot in the lower seat finished before the other bot; a shared place counts
    one half. The second matrix counts the tables at which both bots sat. The third matrix has the sum of
    `saved` over the tables at which the two bots shared a place.
    """
    won, met, less = (np.zeros((bots, bots)) for _ in range(3))
    for ranking, count in rankings:
        places = [place for _, _, place in ranking]
        for (one, _, place), (other, _, below) in combinations(ranking, 2):
            met[one, other] += count
            won[one, other] += count * ((place < below) + (place == below) / 2)
            if place == below:
                less[one, other] += count * saved(places.count(place), sum(each > place for each in places))
    return won, met, less


@lru_cache(1024)
def saved(sharing: int, behind: int) -> float:
    """Return how much the variance of the result between two bots is smaller if both share a place.

    `sharing` is the number of bots at the place, and `behind` the number of bots at later places. All bots count as
    equally strong.

    In an order of the bots, a bot's score is the number of choices that it won, minus an expected number. The expected
    number is the sum of 1 / n over the bot's choices, where n is the number of bots in a choice. Every bot at the
    shared place wins a single choice in any order, so the order changes only the expected number. The result is the
    variance of the expected number over the positions in an order, divided by `sharing` - 1. For a draw of two bots the
    result is 1/4, the variance of a match between equals.
    """
    sums = np.cumsum([1 / (left + behind) for left in range(sharing, 0, -1)])
    return float(sums.var()) / (sharing - 1)
