"""Looking ahead: four searches that give every position the same value, by ever fewer nodes.

`SEARCHES` has them by name; `think` runs one of them under a clock.
"""

from rumble_bots.search.alphabeta import AlphaBeta, CachedAlphaBeta
from rumble_bots.search.base import END, Found, OutOfTime, Search, Tally
from rumble_bots.search.cached import Cached
from rumble_bots.search.plain import Plain
from rumble_bots.search.thinking import Limits, think

SEARCHES: dict[str, type[Search]] = {
    "plain": Plain,
    "cached": Cached,
    "alphabeta": AlphaBeta,
    "cached-alphabeta": CachedAlphaBeta,
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
    "Tally",
    "think",
]
