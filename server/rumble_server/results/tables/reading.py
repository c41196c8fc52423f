"""Checking the values of a table from any kind of file, and making the table's result."""

from collections.abc import Callable, Mapping, Sequence

from rumble_engine import Termination
from rumble_engine.outcome import places_of

from rumble_server.results.file_contents import TERMINATIONS, FileNames
from rumble_server.results.table_result import TableResult
from rumble_server.results.tally import MOST_POINTS

FALLS = {name: kind for name, kind in TERMINATIONS.items() if kind is not Termination.NORMAL}


def read_table(
    columns: Mapping[str, Sequence[object]], match: str, names: FileNames, where: Callable[[str, int], str]
) -> TableResult | list[str]:
    """Return the result of a table, or a list of problems.

    `columns` has four lists with a value for each seat: `seat` (the bot), `place`, `payoff` and `fall`. A payoff or a
    fall may be None. `where(name, seat)` describes where the file has the value for `seat` in the list `name`.
    """
    bots, payoffs = columns["seat"], columns["payoff"]
    problems: list[str] = []
    for seat, bot in enumerate(bots):
        again = f"{where('seat', seat)}: {bot} has a second seat" if bot in bots[:seat] else ""
        problems += filter(None, [names.check_name(bot, where("seat", seat)) or again])
    for name, fits in (("place", _is_place), ("payoff", _is_payoff), ("fall", _is_fall)):
        values = enumerate(columns[name])
        problems += [f"{where(name, seat)}: {value!r} is not a {name}" for seat, value in values if not fits(value)]
    if problems:
        return problems
    places = tuple([place for place in columns["place"] if isinstance(place, int)])
    paid = tuple([float(value) for value in payoffs if isinstance(value, int | float)])
    if places != places_of(places):
        should = ", ".join(map(str, places_of(places)))
        problems.append(f"{where('place', 0)}: the places {', '.join(map(str, places))} should be {should}")
    if paid and len(paid) < len(bots):
        problems.append(f"{where('payoff', payoffs.index(None))}: a payoff is missing")
    falls = tuple([(seat, FALLS[str(kind)]) for seat, kind in enumerate(columns["fall"]) if kind is not None])
    return problems or TableResult(tuple(map(str, bots)), places, paid or None, falls, match)


def _is_place(value: object) -> bool:
    return type(value) is int and value > 0


def _is_payoff(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST_POINTS
    return value is None or is_number


def _is_fall(value: object) -> bool:
    return value is None or (isinstance(value, str) and value in FALLS)
