"""Alpha-beta: minimax without the moves that cannot change the result.

There is a version with a table, and one without.

Donald E. Knuth, Ronald W. Moore: An analysis of alpha-beta pruning. Artificial Intelligence 6 (1975), 293-326;
fail-soft after John P. Fishburn (1983).

At the root the search without a table chooses the same move as plain minimax: the first of the best moves. A later
move replaces an earlier move only if its value is higher. For a move that is not better, the search may return an upper
bound in place of the value. Such a bound is never higher than the best value so far, so the earlier move stays.
"""

import math
from collections.abc import Hashable

from rumble_engine import State

from rumble_bots.search.base import END, Search, Tally
from rumble_bots.search.cached import LIMIT


class AlphaBeta(Search):
    """Alpha-beta without a table."""

    prunes = True

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        best = -math.inf
        for code in state.codes():
            best = max(best, self.after(state, code, depth, tally, max(alpha, best), beta))
            if best >= beta:
                break
        return best


class CachedAlphaBeta(AlphaBeta):
    """Alpha-beta with a table of bounds, keyed by `State.canonical`. An instance serves a single game.

    As in `Cached`, a search with a depth limit may return a more exact value than plain minimax.
    """

    def __init__(self) -> None:
        self.table: dict[Hashable, tuple[float, float, float]] = {}
        """Depth of the search, lower bound and upper bound of the value, by position."""

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        """Return a value from the table if the stored depth and bounds suffice. Else search, and store the result."""
        key = state.canonical()
        searched, low, high = self.table.get(key, (-1.0, -1.0, 1.0))
        if searched >= depth and (low >= beta or high <= alpha or low == high):
            tally.guesses += searched < END
            return low if low >= beta else high
        guesses = tally.guesses
        value = super().value(state, depth, tally, alpha, beta)
        reached = END if tally.guesses == guesses else depth
        if reached > searched:
            low, high = -1.0, 1.0
        if reached >= searched:
            if len(self.table) >= LIMIT:
                self.table.clear()
            self.table[key] = (reached, value if value > alpha else low, value if value < beta else high)
        return value
