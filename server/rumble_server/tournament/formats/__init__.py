"""Formats of tournaments. To add a format, add a module with a `Schedule` here, and a line in `FORMATS`."""

from collections.abc import Callable

from rumble_server.tournament.formats.gauntlet import Gauntlet
from rumble_server.tournament.formats.knockout import Knockout
from rumble_server.tournament.formats.round_robin import RoundRobin
from rumble_server.tournament.formats.schedule import Plan, Played, Results, Round, Schedule, Task
from rumble_server.tournament.formats.swiss import Swiss

FORMATS: dict[str, Callable[[Plan], Schedule]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "swiss": Swiss,
}

__all__ = ["FORMATS", "Plan", "Played", "Results", "Round", "Schedule", "Task", "make_schedule"]


def make_schedule(name: str, plan: Plan) -> Schedule:
    """Make the schedule of a format by its name. Raises ValueError."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name](plan)
