"""Looking ahead: five searches that give every position the same value, by ever fewer nodes.

The first four are there to be read, and `Strong` to play by. `SEARCHES` has them by name; `think` runs one of them
under a clock. Another family, judging by random games, is in `rumble_bots.search.mcts`.
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
