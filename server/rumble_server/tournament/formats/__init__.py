"""Formats of tournaments.

To add a format, write a `PairSchedule` in a module of this package, and a `TableSchedule` in `tables/schedules.py`. Add
a line to `FORMATS`, and a line to `TABLE_FORMATS`.
"""

from collections.abc import Callable
from typing import Any

from rumble_server.tournament.formats.gauntlet import Gauntlet
from rumble_server.tournament.formats.knockout import Knockout
from rumble_server.tournament.formats.round_robin import RoundRobin
from rumble_server.tournament.formats.schedule import PairSchedule, Plan, Played, Results, Round
from rumble_server.tournament.formats.swiss import Swiss
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.tables import schedules
from rumble_server.tournament.tables.plan import TablePlan, TableRound
from rumble_server.tournament.tables.schedules import Placed

FORMATS: dict[str, Callable[[Plan], PairSchedule]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "swiss": Swiss,
}
TABLE_FORMATS: dict[str, Callable[[TablePlan], schedules.TableSchedule]] = {
    "round-robin": schedules.RoundRobinOfTables,
    "gauntlet": schedules.GauntletOfTables,
    "knockout": schedules.KnockoutOfTables,
    "swiss": schedules.SwissOfTables,
}
"""The schedules of the formats for matches of more than two seats."""
AnyRound = Round | TableRound
Task = Callable[[], AnyRound]
"""Function that makes a round of a schedule."""

__all__ = ["FORMATS", "AnyRound", "PairSchedule", "Placed", "Plan", "Played", "Results", "Round"]
__all__ += ["Schedule", "TablePlan", "TableRound", "Task", "make_schedule"]


def make_schedule(name: str, plan: Plan | TablePlan) -> Schedule[Any, Any]:
    """Make the schedule of the format `name`. Raises ValueError for an unknown format or an impossible plan."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; there are: {', '.join(FORMATS)}")
    return TABLE_FORMATS[name](plan) if isinstance(plan, TablePlan) else FORMATS[name](plan)
