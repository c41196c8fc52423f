"""Minimax with a table of positions. Positions that are equal by symmetry share an entry."""

from collections.abc import Hashable

from rumble_engine import State

from rumble_bots.search.base import END, Search, Tally
from rumble_bots.search.plain import Plain

LIMIT = 250_000
"""Maximum number of positions in a table (about 50 MB). A full table is emptied."""


class Cached(Plain):
    """Plain minimax with a table of values. The keys come from `State.canonical`. An instance serves a single game.

    A value from a deep search is also used when a later search asks for a smaller depth. Therefore a search with a
    depth limit may return a more exact value than plain minimax.
    """

    node_limit = Search.node_limit

    def __init__(self) -> None:
        self.table: dict[Hashable, tuple[float, float]] = {}
        """Depth of the search, and value, by the position's key."""

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        key = state.canonical()
        searched, value = self.table.get(key, (-1.0, 0.0))
        if searched >= depth:
            tally.guesses += searched < END
            return value
        guesses = tally.guesses
        value = super().value(state, depth, tally)
        if len(self.table) >= LIMIT:
            self.table.clear()
        self.table[key] = (END if tally.guesses == guesses else depth, value)
        return value
