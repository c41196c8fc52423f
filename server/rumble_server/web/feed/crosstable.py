"""The pairs of a crosstable, each with the scores of two bots against each other.

Pairs are cached. When the two bots of a pair have met again, the pair is made again.

Pairs are by far the largest part of a view: 4,950 pairs for a field of 100 bots.
"""

import asyncio
from collections.abc import Iterable
from itertools import combinations
from typing import Any
from weakref import WeakKeyDictionary

from rumble_protocol.feed_messages import Pair

from rumble_server.results.standings import LiveStandings
from rumble_server.tournament.tournament import Tournament

MOST_IN_CROSSTABLE = 100
"""Maximum number of bots in a crosstable. A larger field has no crosstable, because people could not read it."""
AT_ONCE = 500
"""Number of pairs that `prepare_pairs` makes in an iteration of the event loop."""

_Kept = dict[tuple[str, str], tuple[tuple[Any, ...] | None, Pair | None]]

_kept: WeakKeyDictionary[LiveStandings[Any], _Kept] = WeakKeyDictionary()
"""The kept pairs, keyed by the `LiveStandings` of the tournament, and then by the names of both bots.

The `LiveStandings` lives as long as the tournament. A pair is out of date if the counts kept with the pair differ from
the counts in the `LiveStandings`.
"""


def pairs_view(tournament: Tournament) -> list[Pair] | None:
    """Make the views of all pairs of bots that have met; None if the field is too large for a crosstable."""
    if len(tournament.field) > MOST_IN_CROSSTABLE:
        return None
    return _pairs(tournament.standings, combinations(tournament.field, 2))


async def prepare_pairs(tournament: Tournament) -> None:
    """Make the pairs of a crosstable in several loop iterations, so that `pairs_view` is quick afterwards."""
    if len(tournament.field) <= MOST_IN_CROSSTABLE and len(tournament.results) > AT_ONCE:
        names = list(combinations(tournament.field, 2))
        for first in range(0, len(names), AT_ONCE):
            _pairs(tournament.standings, names[first : first + AT_ONCE])
            await asyncio.sleep(0)


def pair_view(tournament: Tournament, first: str, second: str) -> Pair:
    """Make the view of the scores of two bots against each other."""
    standings = tournament.standings
    return _pair(standings, (first, second), standings.tally.between(first, second))


def _pairs(standings: LiveStandings[Any], names: Iterable[tuple[str, str]]) -> list[Pair]:
    kept = _kept.setdefault(standings, {})
    found = []
    for both in names:
        met = standings.tally.between(*both)
        known = kept.get(both)
        if known is None or known[0] != met:
            kept[both] = known = met, None if met is None else _pair(standings, both, met)
        if known[1] is not None:
            found.append(known[1])
    return found


def _pair(standings: LiveStandings[Any], names: tuple[str, str], met: tuple[Any, ...] | None) -> Pair:
    first, second, played = (0.0, 0.0, 0) if met is None else standings.scores(met)
    return Pair(names=list(names), scores=[first, second], played=played)
