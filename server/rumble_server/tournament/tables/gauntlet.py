"""Gauntlet of tables: each table has one challenger, and other bots of the field.

Any challenger meets any other bot about equally often, and any two of the other bots meet about equally often. The
numbers of byes differ by one at most among the challengers, and among the other bots. The rounds are the result of a
seeded search.
"""

from itertools import product

from rumble_server.tournament.tables.plan import TablePlan, TableRound, meetings, table_sizes
from rumble_server.tournament.tables.round_robin import seated_rounds
from rumble_server.tournament.tables.schedule import SearchedTables
from rumble_server.tournament.tables.search import BYE, search_rounds

MOST_FURTHER_ROUNDS = 3
"""Maximum number of rounds added to the default number, if the plan names no number.

Rounds are added until every challenger meets each of the other bots at least once a cycle.
"""


class GauntletOfTables(SearchedTables):
    """A gauntlet: one challenger at each table."""

    def __init__(self, plan: TablePlan) -> None:
        self._others = others_by_table(plan)
        super().__init__(plan, rounds_of_gauntlet(plan), len(self._others))

    def rounds(self) -> list[TableRound]:
        plan, others, least = self.plan, self._others, self.number_of_rounds
        pairs = list(product(range(plan.challengers), range(plan.challengers, plan.bots)))
        layout = [*range(len(others)), *[BYE] * (plan.challengers - len(others))]
        layout += [table for table, number in enumerate(others) for _ in range(number)]
        layout += [BYE] * (plan.bots - len(layout))
        groups = [0 if bot < plan.challengers else 1 for bot in range(plan.bots)]
        for number in range(least, least + MOST_FURTHER_ROUNDS + 1):
            rounds = seated_rounds(search_rounds(layout, groups, number, plan.seed))
            met = meetings(rounds)
            if plan.rounds is not None or all(met[pair] >= plan.cycles for pair in pairs):
                break
        return rounds


def rounds_of_gauntlet(plan: TablePlan) -> int:
    """Return the number of rounds of `plan`.

    The default is the smallest number with which a challenger, on average, meets each of the other bots at least once a
    cycle. The other bots are all bots except the challengers.

    Raises ValueError if there can be no table.
    """
    meetings_in_all = plan.cycles * plan.challengers * (plan.bots - plan.challengers)
    return plan.rounds or -(-meetings_in_all // sum(others_by_table(plan)))


def others_by_table(plan: TablePlan) -> list[int]:
    """Return, for each table of a round, the number of bots besides the challenger.

    Raises ValueError if there can be no table.
    """
    others = plan.bots - plan.challengers
    sizes = table_sizes(others, plan.seats - 1, plan.smallest - 1) if plan.challengers > 0 else []
    if not sizes:
        raise ValueError(f"a gauntlet at tables of {plan.seats} needs a challenger and {plan.smallest - 1} other bots")
    return sizes if len(sizes) <= plan.challengers else [plan.seats - 1] * plan.challengers
