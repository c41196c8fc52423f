"""Points of tables: by the host's scheme of places, by payoffs, or, by default, by the number of worse places.

- By default, a last place is worth 0 points. A first place at a full table of the event is worth as many points as a
  full table has seats, minus 1. All steps from a place to the next place are worth the same. A smaller table has the
  same points for the first and the last place. For example, if a full table has four seats, its places are worth 3, 2,
  1 and 0 points, and the places of a table of three are worth 3, 1.5 and 0 points.
- A scheme of places has the points of the first place, of the second, and so on. The last number of the scheme
  also counts for all further places.
- Bots that share places share the points of these places equally.
- A bot that lost by `no_show` gets the points of the last place of the table.
- A bye gives the points of a first place at a full table, but no payoff.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Self

from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.tally import Finish, TableCount, TableTally, finishes_of
from rumble_server.results.tally import MOST_POINTS

PLACES = "places"
"""The word in options and files that stands for the default points by places."""
PAYOFFS = "payoffs"
"""The word in options and files that stands for payoffs as points."""


@dataclass(frozen=True, slots=True)
class TablePoints:
    """The rules for points of tables. By default, a bot at a full table gets a point for each worse place."""

    by_place: tuple[Fraction, ...] = ()
    """Points for the first place, for the second, and so on; empty for the default."""
    counts_payoffs: bool = False
    seats: int | None = None
    """Number of seats of a full table; None means the size of the largest table in the results."""

    @classmethod
    def of(cls, points: Sequence[float]) -> Self:
        """Make the rules from the host's points for the first place, the second, and so on. Raises ValueError."""
        if len(points) < 2 or not all(abs(value) <= MOST_POINTS for value in points):
            rule = f"points by places are two numbers or more, up to {MOST_POINTS}"
            raise ValueError(f"{rule}, not {', '.join(map(str, points))!r}")
        exact = tuple([Fraction(str(value)) for value in points])
        if list(exact) != sorted(exact, reverse=True) or exact[0] == exact[-1]:
            raise ValueError(f"a better place must not be worth less, and the first more than the last: {points!r}")
        return cls(exact)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the rules from a text such as `10,6,3,0` or `payoffs`. Raises ValueError."""
        if text == PAYOFFS:
            return cls(counts_payoffs=True)
        try:
            points = [float(value) for value in text.split(",")]
        except ValueError:
            raise ValueError(f"points of tables are numbers like 10,6,3,0, or {PAYOFFS}, not {text!r}") from None
        return cls.of(points)

    def worth(self, finish: Finish, most_seats: int) -> Fraction:
        """Return the points for the place in `finish`. `most_seats` is the number of seats of a full table."""
        first = finish.place if finish.sharing else finish.seats
        last = first + max(finish.sharing - 1, 0)
        if self.by_place:
            shared = [self.by_place[min(place, len(self.by_place)) - 1] for place in range(first, last + 1)]
            return sum(shared, Fraction(0)) / len(shared)
        return Fraction((2 * finish.seats - first - last) * (most_seats - 1), 2 * (finish.seats - 1))

    def worth_of_bye(self, most_seats: int) -> Fraction:
        """Return the points for a bye. `most_seats` is the number of seats of a full table."""
        return Fraction(0) if self.counts_payoffs else self.worth(Finish(most_seats, 1, 1), most_seats)

    def each(self, result: TableResult, most_seats: int) -> list[Fraction]:
        """Return the points of each seat of a result. `most_seats` is the number of seats of a full table.

        If payoffs are the points, each seat of a result without payoffs gets 0 points.
        """
        if self.counts_payoffs:
            return [Fraction(str(payoff)) for payoff in result.payoffs or (0,) * len(result.seats)]
        return [self.worth(finish, most_seats) for finish in finishes_of(result)]

    def count(self, tally: TableTally) -> tuple[dict[str, int], int]:
        """Return each bot's points in whole units, and the number of units in a point.

        Raises ValueError if payoffs are the points, and some result has no payoffs.
        """
        if self.counts_payoffs and tally.paid < tally.sizes.total():
            raise ValueError(f"{tally.sizes.total() - tally.paid} results have no payoffs")
        most = self.seats or max(size for size, count in {2: 1, **tally.sizes}.items() if count)
        return in_units({name: self._sum(count, most) for name, count in tally.bots.items()})

    def _sum(self, count: TableCount, most_seats: int) -> Fraction:
        if self.counts_payoffs:
            return count.payoff
        byes = count.byes * self.worth_of_bye(most_seats)
        return sum((number * self.worth(finish, most_seats) for finish, number in count.finishes.items()), byes)


def in_units(values: Mapping[str, Fraction]) -> tuple[dict[str, int], int]:
    """Return the values as whole numbers of a common unit, and the number of units in 1."""
    unit = lcm(*[value.denominator for value in values.values()])
    return {name: int(value * unit) for name, value in values.items()}, unit
