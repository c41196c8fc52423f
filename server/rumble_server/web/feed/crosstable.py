"""The pairs of a crosstable. A pair is kept, and made again only after both bots have met again.

Pairs are by far the largest part of a view: 4,950 pairs for a field of 100 bots.
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
"""Largest field with a crosstable; a larger crosstable would be unreadable."""
HALVES = Scheme(win=2, draw=1, loss=0, scale=2)
"""The scheme of scores in a crosstable: 1, ½ and 0 for a win, draw and loss, whatever points the tournament gives."""
AT_ONCE = 500
"""Number of pairs made in a turn of the event loop by `prepare_pairs`."""

_Kept = dict[tuple[str, str], tuple[Meetings | None, Meetings | None, Pair | None]]

_kept: WeakKeyDictionary[Table, _Kept] = WeakKeyDictionary()
"""The kept pairs of each tournament, by the names of both bots, with the counts from which each pair was made.

The outer key is the tournament's table, which lives as long as the tournament.
"""


def pairs_view(tournament: Tournament) -> list[Pair] | None:
    """Show every pair of bots that have met; None if the field is too large for a crosstable."""
    if len(tournament.field) > MOST_IN_CROSSTABLE:
        return None
    return _pairs(tournament.table, combinations(tournament.field, 2))


async def prepare_pairs(tournament: Tournament) -> None:
    """Make the pairs of a crosstable in several turns of the event loop, so that `pairs_view` is quick afterwards."""
    if len(tournament.field) <= MOST_IN_CROSSTABLE and len(tournament.results) > AT_ONCE:
        names = list(combinations(tournament.field, 2))
        for first in range(0, len(names), AT_ONCE):
            _pairs(tournament.table, names[first : first + AT_ONCE])
            await asyncio.sleep(0)


def pair_view(tournament: Tournament, first: str, second: str) -> Pair:
    """Show the scores of two bots against each other."""
    return _pair(tournament.table, first, second)


def _pairs(table: Table, names: Iterable[tuple[str, str]]) -> list[Pair]:
    kept, meetings = _kept.setdefault(table, {}), table.tally.meetings
    found = []
    for both in names:
        # A result replaces the immutable counts of its pair; so a pair with the same counts is unchanged.
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
