"""The pairs of a crosstable: one is made again only when its bots have met again.

Pairs are by far the most of a large view: 4,950 for a hundred bots.
"""

import asyncio
from collections.abc import Iterable
from itertools import combinations
from weakref import WeakKeyDictionary

from rumble_protocol.feed_messages import Pair

from rumble_server.results.standings import Table
from rumble_server.results.tally import NONE, Meetings, Scheme, points_of_first, points_of_second
from rumble_server.tournament.tournament import Tournament

MOST_IN_CROSSTABLE = 100
"""Largest field with a crosstable; nobody could read a larger one."""
HALVES = Scheme(win=2, draw=1, loss=0, scale=2)
"""A crosstable shows scores, whatever points they are worth in the tournament."""
AT_ONCE = 500
"""How many pairs are made in one turn of the event loop, where that is possible."""

_Kept = dict[tuple[str, str], tuple[Meetings | None, Meetings | None, Pair | None]]

_kept: WeakKeyDictionary[Table, _Kept] = WeakKeyDictionary()
"""By a tournament's table, which lives as long as the tournament, and the names: the counts that a pair was made of."""


def pairs_view(tournament: Tournament) -> list[Pair] | None:
    """Show every pair that has met; None where the field is too large for a crosstable."""
    if len(tournament.field) > MOST_IN_CROSSTABLE:
        return None
    return _pairs(tournament.table, combinations(tournament.field, 2))


async def prepare_pairs(tournament: Tournament) -> None:
    """Make the pairs of a crosstable in portions, so that `pairs_view` has little to make."""
    if len(tournament.field) <= MOST_IN_CROSSTABLE and len(tournament.results) > AT_ONCE:
        names = list(combinations(tournament.field, 2))
        for first in range(0, len(names), AT_ONCE):
            _pairs(tournament.table, names[first : first + AT_ONCE])
            await asyncio.sleep(0)


def pair_view(tournament: Tournament, first: str, second: str) -> Pair:
    """Show what two bots have scored against each other."""
    return _pair(tournament.table, first, second)


def _pairs(table: Table, names: Iterable[tuple[str, str]]) -> list[Pair]:
    kept, meetings = _kept.setdefault(table, {}), table.tally.meetings
    found = []
    for both in names:
        # The counts are immutable, and others after each result: the same ones mean the same scores.
        ours, theirs = meetings.get(both), meetings.get((both[1], both[0]))
        known = kept.get(both)
        if known is None or known[0] is not ours or known[1] is not theirs:
            pair = _pair(table, *both) if ours or theirs else None
            kept[both] = known = ours, theirs, pair
        if known[2] is not None:
            found.append(known[2])
    return found


def _pair(table: Table, first: str, second: str) -> Pair:
    meetings = table.tally.meetings
    ours, theirs = meetings.get((first, second), NONE), meetings.get((second, first), NONE)
    points = points_of_first(ours, HALVES) + points_of_second(theirs, HALVES)
    others = points_of_second(ours, HALVES) + points_of_first(theirs, HALVES)
    return Pair(names=[first, second], scores=[points / 2, others / 2], played=sum(ours) + sum(theirs))
