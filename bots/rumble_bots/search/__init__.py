"""Searches of game trees. `SEARCHES` has five searches, which find the same values.

Each search visits fewer nodes than the search before it in `SEARCHES`. The first four are examples to read. By default,
bots play with `Strong`, or with `Cached` if the game tree is small. `think` runs a search under a clock.
`rumble_bots.search.mcts` is a different kind of search, by random games.
"""

from rumble_bots.search.alphabeta import AlphaBeta, CachedAlphaBeta
from rumble_bots.search.base import END, Found, OutOfTime, Search, Tally
from rumble_bots.search.cached import Cached
from rumble_bots.search.plain import Plain
from rumble_bots.search.strong import Strong
from rumble_bots.search.thinking import Limits, is_small, solve, think

SEARCHES: dict[str, type[Search]] = {
    "plain": Plain,
    "cached": Cached,
    "alphabeta": AlphaBeta,
    "cached-alphabeta": CachedAlphaBeta,
    "strong": Strong,
}
"""The searches by name."""

__all__ = [
    "END",
    "SEARCHES",
    "AlphaBeta",
    "Cached",
    "CachedAlphaBeta",
    "Found",
    "Limits",
    "OutOfTime",
    "Plain",
    "Search",
    "Strong",
    "Tally",
    "is_small",
    "solve",
    "think",
]
