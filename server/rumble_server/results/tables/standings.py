"""Standings of tables by points and tie-breaks. Pure.

- `won`: first places that a bot did not share. A table counts only if another bot played, too.
- `places`: the number of first places, then the number of second places, and so on. Shared places count, too.
  The value shown is the place among the tied bots, or 0 if all stay tied.
- `de`, direct encounter: who finished before whom among the bots still tied, by the rules of matches of two (FIDE
  Handbook C.07, art. 6). The score of a bot against another is the average over the tables at which both bots sat. The
  value shown is the place among the tied bots, or 0 if all stay tied.
- `payoff`: the sum of payoffs.
- `faults`: matches in which the bot fell out by its own fault; the bot with the fewest stands first.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rumble_server.results import direct_encounter
from rumble_server.results.tables.points import TablePoints, in_units
from rumble_server.results.tables.tally import TableCount, TableTally
from rumble_server.results.tiebreaks import rank_by

if TYPE_CHECKING:
    from rumble_protocol.feed_messages import Standing

TABLE_TIEBREAKS: dict[str, str] = {
    "won": "first places alone",
    "places": "most first places, then second places, and so on",
    "de": "who finished before whom",
    "payoff": "sum of payoffs",
    "faults": "fewest faults",
}
"""For each tie-break for tables, a description for people."""
DEFAULT_TABLES = ("won", "places", "de")


def check_table_tiebreaks(tiebreaks: Sequence[str]) -> tuple[str, ...]:
    """Check tie-breaks, and return them. Raises ValueError if a tie-break is not for tables, or is given twice."""
    for name in tiebreaks:
        if name not in TABLE_TIEBREAKS:
            raise ValueError(f"the tie-break {name!r} is not for tables; there are: {', '.join(TABLE_TIEBREAKS)}")
    if len(set(tiebreaks)) < len(tiebreaks):
        raise ValueError(f"a tie-break comes twice in {', '.join(tiebreaks)}")
    return tuple(tiebreaks)


def rank_tables(
    tally: TableTally, tiebreaks: Sequence[str] = DEFAULT_TABLES, points: TablePoints | None = None
) -> "list[Standing]":
    """Rank the bots of a tally. Bots that stay tied get the same rank, and are listed by name.

    In each line, `wins` counts first places that the bot did not share, `draws` counts shared first places, and
    `losses` counts other places. Raises ValueError for wrong tie-breaks, or if the points are payoffs and a result has
    no payoffs.
    """
    bots = tally.bots

    def encounters(group: Sequence[str]) -> direct_encounter.Encounters | None:
        return direct_encounter.meet(group, tally.between, 2)

    def values_of(tiebreak: str) -> tuple[dict[str, int], Mapping[str, float | None] | None]:
        if tiebreak == "places":
            return _keys_of_places(bots), None
        if tiebreak == "payoff":
            values, unit = in_units({name: count.payoff for name, count in bots.items()})
            return values, {name: values[name] / unit if tally.paid else None for name in bots}
        won = {name: count.won for name, count in bots.items()}
        return won, {**won}

    counted, unit = (points or TablePoints()).count(tally)
    return rank_by(counted, unit, bots, check_table_tiebreaks(tiebreaks), encounters, values_of)


def _keys_of_places(bots: Mapping[str, TableCount]) -> dict[str, int]:
    """Return a number for each bot. A bot with more first places has a greater number.

    If bots have equally many first places, a bot with more second places has a greater number, and so on.
    """
    most = max((finish.seats for count in bots.values() for finish in count.finishes), default=0)
    base = 1 + max((count.played for count in bots.values()), default=0)
    return {
        name: sum(n * base ** (most - finish.place) for finish, n in count.finishes.items() if finish.sharing)
        for name, count in bots.items()
    }
