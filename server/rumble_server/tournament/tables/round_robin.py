"""Round-robin of tables: any two bots meet about equally often, and a bot has each seat about equally often.

The tables are the result of a seeded search, which runs off the event loop. Some pairs of bots meet more often than
others. The difference is 2 meetings at most for 8, 16 and 32 bots at tables of 4, and for most fields at tables of up
to 6. The difference is 4 meetings at most for every field of up to 40 bots at tables of up to 8. The bots' numbers of
byes differ by one at most. For the numbers of seats, see `balanced_seats`.
"""

from collections.abc import Iterable, Sequence
from math import ceil

from rumble_server.tournament.tables.plan import TablePlan, TableRound, table_round, table_sizes
from rumble_server.tournament.tables.schedule import SearchedTables
from rumble_server.tournament.tables.search import BYE, search_rounds
from rumble_server.tournament.tables.seats import balanced_seats


def rounds_of_round_robin(plan: TablePlan) -> int:
    """Return the number of rounds of `plan`.

    By default there are enough rounds for two bots to meet, on average, at least once in each cycle.

    The default is a multiple of the number of seats. So a bot with a full table in every round has each seat equally
    often.
    """
    if plan.rounds is not None:
        return plan.rounds
    company = sum(size * (size - 1) for size in table_sizes(plan.bots, plan.seats, plan.smallest))
    return plan.seats * ceil(plan.cycles * plan.bots * (plan.bots - 1) / (company * plan.seats))


class RoundRobinOfTables(SearchedTables):
    """A round-robin: any two bots meet about equally often."""

    def __init__(self, plan: TablePlan) -> None:
        self._sizes = table_sizes(plan.bots, plan.seats, plan.smallest)
        super().__init__(plan, rounds_of_round_robin(plan), len(self._sizes))

    def rounds(self) -> list[TableRound]:
        plan = self.plan
        layout = [table for table, size in enumerate(self._sizes) for _ in range(size)]
        layout += [BYE] * (plan.bots - len(layout))
        return seated_rounds(search_rounds(layout, [0] * plan.bots, self.number_of_rounds, plan.seed))


def seated_rounds(found: Iterable[Sequence[int]]) -> list[TableRound]:
    """Return the rounds that a search found, with the bots of each table in seat order.

    For each round, `found` has the table of each bot, or `BYE`.
    """
    rounds = [
        {table: [bot for bot, own in enumerate(of_bot) if own == table] for table in sorted(set(of_bot))}
        for of_bot in found
    ]
    seated = iter(balanced_seats([bots for tables in rounds for table, bots in tables.items() if table != BYE]))
    return [
        table_round(number, [next(seated) for table in tables if table != BYE], tables.get(BYE, ()))
        for number, tables in enumerate(rounds, 1)
    ]
