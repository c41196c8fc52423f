"""How evenly the bots of a schedule meet."""

from collections.abc import Sequence
from itertools import combinations

from rumble_server.tournament.tables.plan import TableRound, meetings


def company_spread(rounds: Sequence[TableRound], bots: int) -> int:
    """Return how far the numbers of times that any two bots meet differ at most."""
    met = meetings(rounds)
    times = [met[pair] for pair in combinations(range(bots), 2)]
    return max(times) - min(times)
