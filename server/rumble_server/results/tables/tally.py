"""Counts of the results of tables, for points, tie-breaks and ratings. Counting a result takes constant time.

A `TableTally` only counts. Points are computed from the counts when read, under any rules for points.
"""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, Self

from rumble_engine import Termination

from rumble_server.results.table_result import TableResult
from rumble_server.results.tally import FieldTally


class Finish(NamedTuple):
    """A bot's finish at a table: the table's size, the place, and the number of bots that share the place."""

    seats: int
    """Number of seats of the table."""
    place: int
    sharing: int
    """Number of bots at this place, including the bot itself; 0 for a bot that lost by `no_show`."""


TableRanking = tuple[tuple[str, int, int], ...]
"""The bots that played at a table, each with its seat and its place. They are listed by seat, not by place."""


@dataclass(slots=True)
class TableCount:
    """Counts of a bot's matches at tables."""

    finishes: Counter[Finish] = field(default_factory=Counter)
    payoff: Fraction = Fraction(0)
    """Sum of the payoffs, as an exact fraction, because rounding could break or make a tie."""
    won: int = 0
    """Number of matches in which this bot alone was first, and at least two bots played."""
    faults: Counter[Termination] = field(default_factory=Counter)
    byes: int = 0
    """Number of first places that the bot got by byes, without a table."""

    @property
    def played(self) -> int:
        return self.finishes.total()

    @property
    def wins(self) -> int:
        """Number of first places that no other bot shared."""
        return sum(count for finish, count in self.finishes.items() if finish.place == finish.sharing == 1)

    @property
    def draws(self) -> int:
        """Number of first places shared with other bots."""
        return sum(count for finish, count in self.finishes.items() if finish.place == 1 < finish.sharing)

    @property
    def losses(self) -> int:
        return self.played - self.wins - self.draws

    @property
    def half_byes(self) -> int:
        """Number of half byes: always 0, because tables have no half byes."""
        return 0

    def copy(self) -> "TableCount":
        return TableCount(self.finishes.copy(), self.payoff, self.won, self.faults.copy(), self.byes)


class TableTally(FieldTally[TableResult, TableCount]):
    """Counts of the results of tables: by bot, by pair of bots, and by ranking."""

    new_count = TableCount

    def __init__(self, field: Iterable[str] = ()) -> None:
        super().__init__(field)
        self.before: Counter[tuple[str, str]] = Counter()
        """For each pair of bots, the number of tables at which the first finished before the second."""
        self.tied: Counter[tuple[str, str]] = Counter()
        """For each pair of bots, the number of tables at which both bots shared a place.

        The bots of a pair are in order of name.
        """
        self.rankings: Counter[TableRanking] = Counter()
        """Number of tables with each ranking. Rankings of fewer than two bots are left out."""
        self.sizes: Counter[int] = Counter()
        """Number of tables with each number of seats."""
        self.paid = 0
        """Number of tables that have payoffs."""
        self.equal = 0
        """Number of tables at which at least two seats stayed to the end, all of them with the same payoff."""
        self.unequal = 0
        """Number of tables at which seats that stayed to the end had different payoffs."""

    @property
    def is_cooperative(self) -> bool:
        """True if every result has payoffs, and seats that stayed to the end always had equal payoffs.

        Such results show nothing about strength.
        """
        return self.paid == self.sizes.total() and self.equal > 0 == self.unequal

    def add(self, result: TableResult, sign: int = 1) -> None:
        seats, places, payoffs, absent = result.seats, result.places, result.payoffs, result.absent
        ranking = tuple([(name, seat, places[seat]) for seat, name in enumerate(seats) if seat not in absent])
        for seat, (name, finish) in enumerate(zip(seats, finishes_of(result), strict=True)):
            count = self.bots.setdefault(name, TableCount())
            count.finishes[finish] += sign
            count.won += sign * (finish.place == finish.sharing == 1 < len(ranking))
            if payoffs is not None:
                count.payoff += sign * Fraction(str(payoffs[seat]))
        for seat, kind in result.faults:
            self.bots[seats[seat]].faults[kind] += sign
        for one, other in combinations(range(len(seats)), 2):
            names = seats[one], seats[other]
            if places[one] != places[other]:
                self.before[names if places[one] < places[other] else names[::-1]] += sign
            elif not {one, other} <= absent:
                self.tied[min(names), max(names)] += sign
        if len(ranking) > 1:
            self.rankings[ranking] += sign
        self.sizes[len(seats)] += sign
        if payoffs is not None:
            fallen = dict(result.falls)
            stayed = [payoff for seat, payoff in enumerate(payoffs) if seat not in fallen]
            self.paid += sign
            self.equal += sign * (len(stayed) > 1 == len(set(stayed)))
            self.unequal += sign * (len(set(stayed)) > 1)

    def between(self, one: str, other: str) -> tuple[int, int, int] | None:
        """Return the scores of two bots against each other, and the number of common tables; None without such a table.

        Finishing before the other bot counts 2, and sharing a place counts 1.
        """
        won, lost, tied = self.before[one, other], self.before[other, one], self.tied[min(one, other), max(one, other)]
        return (2 * won + tied, 2 * lost + tied, won + lost + tied) if won or lost or tied else None

    def snapshot(self) -> Self:
        other = copy(self)
        other.bots = {name: count.copy() for name, count in self.bots.items()}
        other.before, other.tied = self.before.copy(), self.tied.copy()
        other.rankings, other.sizes = self.rankings.copy(), self.sizes.copy()
        return other


def finishes_of(result: TableResult) -> list[Finish]:
    """Return the finish of each seat."""
    places, absent = result.places, result.absent
    return [
        Finish(len(places), place, 0 if seat in absent else places.count(place)) for seat, place in enumerate(places)
    ]


def finished_before(tally: TableTally) -> dict[str, dict[str, int]]:
    """Return how often each bot finished before each other bot: a crosstable by the names of both."""
    crosstable: dict[str, dict[str, int]] = {name: {} for name in tally.bots}
    for (one, other), count in tally.before.items():
        if count:
            crosstable[one][other] = count
    return crosstable
