"""A seeded search for rounds in which bots meet equally often. Pure, and slow: seconds for a big field."""

from collections.abc import Sequence
from itertools import product
from random import Random

import numpy as np
from numpy.typing import NDArray

BYE = -1
"""Number in place of a table's number, for a bot with a bye."""
MOST_SPREAD = {True: 2, False: 1}
"""Maximum spread of a block: while a block has a greater spread, the search does not end early. The spread is the
difference between the most and the fewest meetings of the block's pairs of bots. The key True is for pairs inside a
group, and the key False for pairs from two groups."""
_WEIGHTS = {True: 1, False: 8}
"""Factors of the cost of a pair: the key True is for pairs inside a group, and False for pairs from two groups."""
MOST_BOTS_SEARCHED = 128
"""Maximum number of bots of a search."""
MOST_WORK = 1 << 20
"""Maximum of the number of rounds times the square of the number of bots. The biggest search takes about a minute."""
IDLE_SWEEPS = 8
"""Number of successive sweeps that do not lower the cost. After so many such sweeps, the search ends if the `excess` is
not above 0. A sweep disturbs each round once."""
MOST_TRIALS = 1_500
"""After this many calls of `disturb`, no further sweep of a search begins. A call takes about 0.5 ms for 16 bots, and 3
ms for 64 bots."""
_BYE_COST = 1e9
"""Cost of uneven numbers of byes, far above every cost of uneven numbers of meetings."""
_PARTS = 8
"""Number of units in a meeting. Costs are computed from numbers of meetings in these units. So all costs are whole
numbers, whose sums do not depend on the order of adding."""
_Tables = NDArray[np.int64]
"""The table of each bot in a round."""
_Numbers = NDArray[np.float64]


def search_rounds(layout: Sequence[int], groups: Sequence[int], rounds: int, seed: int) -> list[list[int]]:
    """Return, for each round, the table of each bot, or `BYE`.

    `layout` has the table of each index of a round. `groups` has the group of each bot, in ascending order.
    Index i is for bots of the group `groups[i]`. The numbers of byes of bots in a group differ by one at most. Any two
    bots of a group meet about equally often, and so do any two bots from two given groups. Equal arguments give equal
    rounds.

    Each round begins with bots at random indexes. Bots are then swapped, the best swap first, as long as a swap evens
    out the numbers of meetings. Meetings in all rounds made so far are counted. At the end, sweeps disturb every round,
    one after the other, and keep the better result.
    """
    random, company = Random(seed), _Company(layout, groups, rounds)
    for _ in range(rounds):
        order = sorted(random.sample(range(len(layout)), len(layout)), key=groups.__getitem__)
        tables = np.empty(len(layout), np.int64)
        tables[order] = layout
        company.add(tables)
    idle, trials, least = 0, 0, company.cost
    while trials < MOST_TRIALS and (company.excess > 0 or idle < IDLE_SWEEPS):
        for number in random.sample(range(rounds), rounds):
            company.disturb(number, random)
        trials += rounds
        idle, least = (0, company.cost) if company.cost < least else (idle + 1, least)
    return [tables.tolist() for tables in company.rounds]


def check_search(bots: int, rounds: int) -> None:
    """Raise ValueError if a field is too big for the search, or has too many rounds."""
    if bots > MOST_BOTS_SEARCHED:
        raise ValueError(
            f"tables of every bot with every other are made for {MOST_BOTS_SEARCHED} bots at most, not {bots}: "
            "choose swiss or knockout"
        )
    most = MOST_WORK // bots**2
    if rounds > most:
        raise ValueError(f"tables of {bots} bots are made for {most} rounds at most, not {rounds}: ask for fewer")


class _Company:
    """The rounds so far, and the number of meetings of every two bots in these rounds.

    A block is all pairs of bots inside a group, or all pairs of bots from two given groups. The two bots of a pair
    should meet as often as the pairs of their block meet on average. The cost of a pair is the fourth power of the
    difference from this average, times a factor of `_WEIGHTS`.
    """

    def __init__(self, layout: Sequence[int], groups: Sequence[int], rounds: int) -> None:
        kinds, together = np.array(groups), self._together(np.array(layout))
        self._apart = kinds[:, None] != kinds
        self._mean = np.zeros_like(together)
        """For each pair of bots, the average number of meetings of a pair of the same block in all rounds, rounded to
        1 / `_PARTS`."""
        self._weight = np.ones_like(together)
        self._blocks = []
        """The blocks, each with the indices of its pairs and its value of `MOST_SPREAD`."""
        for one, other in product(set(groups), repeat=2):
            pairs = np.nonzero((kinds[:, None] == one) & (kinds == other) & ~np.eye(len(kinds), dtype=np.bool_))
            if len(pairs[0]):
                self._mean[pairs] = round(_PARTS * rounds * float(together[pairs].mean())) / _PARTS
                self._weight[pairs] = _WEIGHTS[one == other]
                self._blocks.append((pairs, MOST_SPREAD[one == other]))
        self._met = np.zeros_like(self._mean)
        self._byes = np.zeros(len(kinds))
        self.rounds: list[_Tables] = []

    @staticmethod
    def _together(tables: _Tables) -> _Numbers:
        """Return a matrix with a row and a column for each bot: 1 for two bots at the same table, otherwise 0."""
        same: NDArray[np.bool_] = (tables[:, None] == tables) & (tables != BYE)
        np.fill_diagonal(same, False)
        return same.astype(np.float64)

    def _count(self, tables: _Tables, sign: int) -> None:
        self._met += sign * self._together(tables)
        self._byes += sign * (tables == BYE)

    def _uneven(self, more: int = 0) -> _Numbers:
        """Return the cost that each pair of bots would have if `more` were added to the pair's number of meetings."""
        squares: _Numbers = np.square(_PARTS * (self._met + more - self._mean))
        np.fill_diagonal(squares, 0)
        return self._weight * squares * squares

    @property
    def cost(self) -> float:
        return float(self._uneven().sum() + _BYE_COST * np.square(self._byes).sum())

    @property
    def excess(self) -> float:
        """Greatest excess of a block. If the number is above 0, some block is too uneven.

        The excess of a block is its spread minus its value of `MOST_SPREAD`. The spread is the difference between the
        most and the fewest meetings of the block's pairs.
        """
        return max(float(np.ptp(self._met[pairs])) - most for pairs, most in self._blocks)

    def add(self, tables: _Tables) -> None:
        """Add a round, and swap its bots until no swap lowers the cost."""
        self.rounds.append(tables)
        self._count(tables, 1)
        self._improve(tables)

    def disturb(self, number: int, random: Random) -> None:
        """Swap some bots of a round at random, then make the best swaps. If the cost is higher than before, undo all
        swaps.
        """
        before, tables = self.cost, self.rounds[number]
        old = tables.copy()
        self._count(tables, -1)
        for _ in range(random.randint(2, 4)):
            one, other = random.sample(range(len(tables)), 2)
            if not self._apart[one, other]:
                tables[[one, other]] = tables[[other, one]]
        self._count(tables, 1)
        self._improve(tables)
        if self.cost > before:
            self._count(tables, -1)
            tables[:] = old
            self._count(tables, 1)

    def _improve(self, tables: _Tables) -> None:
        """Swap the bots of a round, the best swap first, until none lowers the cost."""
        while True:
            mates, now = self._together(tables), self._uneven()
            more, fewer = self._uneven(1) - now, self._uneven(-1) - now
            joins = more @ mates  # the first bot comes to the table of the second, who leaves the table
            leaves = (fewer * mates).sum(axis=1)[:, None]
            byes = 2 * _BYE_COST * (self._byes[:, None] - self._byes + 1) * (tables == BYE)
            change = joins + leaves + byes * (tables != BYE)[:, None]
            swap = change + change.T
            swap[(tables[:, None] == tables) | self._apart] = np.inf
            one, other = divmod(int(swap.argmin()), len(tables))
            if swap[one, other] >= 0:
                return
            self._count(tables, -1)
            tables[[one, other]] = tables[[other, one]]
            self._count(tables, 1)
