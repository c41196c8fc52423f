"""Swiss of tables: in each round bots with about equal points meet, and bots that have met avoid each other.

A round is made when every table of the previous round has its result. Bots are ordered by points, then by number, and
cut into tables from the top, the smaller tables last. A bot's table at this point is called its own table. Then bots of
near tables are swapped. A swap must lower the number of earlier meetings between bots of the same table, or keep this
number and bring bots nearer to their own tables. The search is bounded, and equal arguments give equal rounds.

A bye goes to a bot with the fewest byes. If several bots have the fewest byes, the last of these bots in the order gets
the bye.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rumble_server.tournament.tables.plan import TablePlan, TableRound, meetings, table_round, table_sizes
from rumble_server.tournament.tables.schedule import Results, RoundTask, TablesFromResults
from rumble_server.tournament.tables.seats import seated_by, seats_had

DIGITS = 9
"""Number of decimal digits to which sums of points are rounded, so that the order of adding makes no difference."""
MOST_SHIFT = 3
"""Maximum number of tables by which a bot is moved away from its own table, so that bots do not meet again."""
MOST_SWEEPS = 50
"""Maximum number of times that all swaps are tried for each distance from 1 to `MOST_SHIFT`."""


@dataclass(frozen=True, slots=True)
class TableSwissTask:
    """The task that makes the next round. `points` has the points of each bot. The bots in `withdrawn` have withdrawn.

    A round without tables means that too few bots are left.
    """

    plan: TablePlan
    played: tuple[TableRound, ...]
    points: tuple[float, ...]
    withdrawn: frozenset[int] = frozenset()

    def __call__(self) -> TableRound:
        order = sorted(set(range(self.plan.bots)) - self.withdrawn, key=lambda bot: (-self.points[bot], bot))
        sizes = table_sizes(len(order), self.plan.seats, self.plan.smallest)
        if not sizes:
            return TableRound(())
        byes = next_byes(self.played, order, len(order) - sum(sizes))
        tables = _Search([bot for bot in order if bot not in byes], sizes, meetings(self.played)).tables()
        had = seats_had(seating.bots for round_ in self.played for seating in round_.seatings)
        return table_round(len(self.played) + 1, [seated_by(had, bots) for bots in tables], byes)


class SwissOfTables(TablesFromResults):
    """A Swiss: in each round, bots with about equal points meet."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        self.number_of_rounds = rounds_of_swiss(plan)
        self._has_no_table = False
        """True if a round without tables was added, because too few bots are left."""

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> RoundTask | None:
        if self.is_finished(results, withdrawn):
            return None
        points = [0.0] * self.plan.bots
        of_bye = float(self.plan.points.worth_of_bye(self.plan.seats))
        for made in self.rounds_added:
            for key, bots in self.matches(made):
                placed = results.get(key)
                if placed is None:
                    return None
                for bot, own in zip(bots, placed.points, strict=True):
                    points[bot] += own
            for bot in made.byes:
                points[bot] += of_bye
        rounded = tuple([round(own, DIGITS) for own in points])
        return TableSwissTask(self.plan, tuple(self.rounds_added), rounded, frozenset(withdrawn))

    def add(self, new_round: TableRound) -> None:
        if new_round.seatings:
            self.rounds_added.append(new_round)
        else:
            self._has_no_table = True

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return len(self.rounds_added) == self.number_of_rounds or self._has_no_table

    def stop_reason(self, results: Results, withdrawn: Collection[int] = ()) -> str:
        return "too few bots are left for a table" if self._has_no_table else ""

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        to_come = 0 if self.is_finished(results, withdrawn) else self.number_of_rounds - len(self.rounds_added)
        tables = len(table_sizes(self.plan.bots, self.plan.seats, self.plan.smallest))
        return sum(len(table_round.seatings) for table_round in self.rounds_added) + tables * to_come


def rounds_of_swiss(plan: TablePlan) -> int:
    """Return the number of rounds: by default, as many as the bots would need for a knockout with two seats."""
    return (plan.bots - 1).bit_length() if plan.rounds is None else plan.rounds


def next_byes(played: Iterable[TableRound], order: Sequence[int], byes: int) -> tuple[int, ...]:
    """Return the bots that get the next `byes` byes: the bots with the fewest byes; of equals, the last in `order`."""
    had = Counter(bot for round_ in played for bot in round_.byes)
    last_first = list(reversed(order))
    return tuple(sorted(sorted(last_first, key=had.__getitem__)[:byes]))


class _Search:
    """The search for the tables of a round. A bot's index decides its table, and bots are swapped.

    At first the bots are in the order of their points.
    """

    def __init__(self, order: Sequence[int], sizes: Sequence[int], met: Counter[tuple[int, int]]) -> None:
        self._bots = list(order)
        self._sizes = sizes
        self._table = [table for table, size in enumerate(sizes) for _ in range(size)]
        self._own = dict(zip(order, self._table, strict=False))
        """The own table of each bot: its table before any swap, according to its points."""
        self._starts = [sum(sizes[:table]) for table in range(len(sizes))]
        self._met = met

    def tables(self) -> list[list[int]]:
        """Make the swaps, and return the bots of each table.

        At first, a bot moves away from its own table by one table at most. As long as some table has bots that have
        met before, this maximum grows, up to `MOST_SHIFT` tables.
        """
        for shift in range(1, MOST_SHIFT + 1):
            if not any(self._count_repeats(bot, index) for index, bot in enumerate(self._bots)):
                break
            for _ in range(MOST_SWEEPS):
                if not self._sweep(shift):
                    break
        return [self._bots[start : start + size] for start, size in zip(self._starts, self._sizes, strict=True)]

    def _sweep(self, shift: int) -> bool:
        """Make every swap that lowers the cost. Return whether a swap was made."""
        bots, table, improved = self._bots, self._table, False
        for one in range(len(bots)):
            for other in range(one + 1, len(bots)):
                if table[other] > table[one] + shift:
                    break
                if table[other] != table[one] and max(self._moved(one, other), self._moved(other, one)) <= shift:
                    before = self._cost(one, other)
                    bots[one], bots[other] = bots[other], bots[one]
                    if self._cost(one, other) < before:
                        improved = True
                    else:
                        bots[one], bots[other] = bots[other], bots[one]
        return improved

    def _moved(self, index: int, to: int) -> int:
        """Return the distance in tables between the table of the index `to` and the own table of the bot at `index`."""
        return abs(self._own[self._bots[index]] - self._table[to])

    def _cost(self, *indexes: int) -> tuple[int, int]:
        """Return the cost of the bots at `indexes`; a lower cost is better.

        Both numbers are sums over these bots. The first number adds up a bot's earlier meetings with the other bots of
        its present table. The second number adds up the squares of the distances between a bot's present table and its
        own table.
        """
        again = sum(self._count_repeats(self._bots[index], index) for index in indexes)
        return again, sum(self._moved(index, index) ** 2 for index in indexes)

    def _count_repeats(self, bot: int, index: int) -> int:
        """Return how often `bot` has met the bots at the table of `index`."""
        table, met = self._table[index], self._met
        start = self._starts[table]
        mates = self._bots[start : start + self._sizes[table]]
        return sum(met.get((bot, mate) if bot < mate else (mate, bot), 0) for mate in mates)
