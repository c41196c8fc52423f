"""Schedules of tables, one for each format, as the agenda calls them. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchKey
from rumble_server.results.table_result import table_result_of
from rumble_server.results.tables.tally import Finish
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.tables.gauntlet import GauntletTask, others_by_table, rounds_of_gauntlet
from rumble_server.tournament.tables.knockout import TableKnockout, TablePlaces, sizes_of_rounds
from rumble_server.tournament.tables.plan import TablePlan, TableRound, table_sizes
from rumble_server.tournament.tables.queue import TableQueue
from rumble_server.tournament.tables.round_robin import RoundRobinTask, rounds_of_round_robin
from rumble_server.tournament.tables.swiss import TableSwissTask, rounds_of_swiss


@dataclass(frozen=True, slots=True)
class Placed:
    """The result of a table: the bots by scheduled seat, and the place and points of each, in the same order."""

    seats: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[float, ...]


MOST_AT_ONCE = 16
"""Maximum number of bots for which the event loop itself makes a round that depends on results.

With so many bots, a round takes the event loop some milliseconds.
"""
DIGITS = 9
"""Number of decimal digits to which sums of points are rounded, so that the order of adding makes no difference."""
Results = Mapping[MatchKey, Placed]
Made = Callable[[], TableRound]


class TableSchedule(Schedule[TableRound, Placed]):
    """A schedule of tables."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__()
        self.plan: TablePlan = plan

    def queue(self, bots: Iterable[str]) -> TableQueue:
        return TableQueue(bots, self.plan.least)

    def matches(self, made: TableRound) -> Iterator[tuple[MatchKey, tuple[int, ...]]]:
        for seating in made.seatings:
            yield seating.match_key, seating.bots

    def played(self, over: MatchOver, seats: tuple[str, ...]) -> Placed:
        result = table_result_of(over)
        points = dict(zip(result.seats, map(float, self.plan.points.each(result, self.plan.seats)), strict=True))
        places = dict(zip(result.seats, result.places, strict=True))
        return Placed(seats, tuple([places[bot] for bot in seats]), tuple([points[bot] for bot in seats]))

    def scheduled_seats(self, over: MatchOver, played: Placed | None) -> tuple[str, ...]:
        return over.seats if played is None else played.seats


@dataclass(frozen=True, slots=True)
class _AtOnce:
    """The task that makes all rounds of a schedule, and returns all their tables in a single `TableRound`."""

    task: Callable[[], list[TableRound]]

    def __call__(self) -> TableRound:
        return TableRound(tuple([seating for made in self.task() for seating in made.seatings]))


class SearchedTables(TableSchedule):
    """A schedule whose rounds do not depend on results. A seeded search makes all rounds at once."""

    slow = True

    def __init__(self, plan: TablePlan, task: Callable[[], list[TableRound]]) -> None:
        super().__init__(plan)
        self._task = task
        self._made: TableRound | None = None

    def prepare(self, results: Results, gone: Collection[int] = ()) -> Made | None:
        return _AtOnce(self._task) if self._made is None else None

    def add(self, made: TableRound) -> None:
        self._made = made
        self.number_of_rounds = max((seating.round for seating in made.seatings), default=0)

    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        return self._made is not None


class RoundRobinOfTables(SearchedTables):
    """A round-robin: any two bots meet about equally often."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan, RoundRobinTask(plan))
        self.number_of_rounds = rounds_of_round_robin(plan)

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        tables = len(table_sizes(self.plan.bots, self.plan.seats, self.plan.smallest))
        return self.number_of_rounds * tables if self._made is None else len(self._made.seatings)


class GauntletOfTables(SearchedTables):
    """A gauntlet: one challenger at each table."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan, GauntletTask(plan))
        self._others = others_by_table(plan)
        self.number_of_rounds = rounds_of_gauntlet(plan)

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        return self.number_of_rounds * len(self._others) if self._made is None else len(self._made.seatings)


class SwissOfTables(TableSchedule):
    """A Swiss: in each round, bots with about equal points meet."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        self.slow = plan.bots > MOST_AT_ONCE
        self.number_of_rounds = rounds_of_swiss(plan)
        self._rounds: list[TableRound] = []
        self._has_no_table = False
        """True if a round without tables was added, because too few bots are left."""

    @property
    def rounds_added(self) -> Sequence[TableRound]:
        return self._rounds

    def prepare(self, results: Results, gone: Collection[int] = ()) -> Made | None:
        if self.is_finished(results, gone):
            return None
        points = [0.0] * self.plan.bots
        first = 0.0 if self.plan.points.by_payoffs else self._first_place()
        for made in self._rounds:
            for key, bots in self.matches(made):
                placed = results.get(key)
                if placed is None:
                    return None
                for bot, own in zip(bots, placed.points, strict=True):
                    points[bot] += own
            for bot in made.byes:
                points[bot] += first
        rounded = tuple([round(own, DIGITS) for own in points])
        return TableSwissTask(self.plan, tuple(self._rounds), rounded, frozenset(gone))

    def _first_place(self) -> float:
        seats = self.plan.seats
        return float(self.plan.points.worth(Finish(seats, 1, 1), seats))

    def add(self, made: TableRound) -> None:
        if made.seatings:
            self._rounds.append(made)
        else:
            self._has_no_table = True

    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        return len(self._rounds) == self.number_of_rounds or self._has_no_table

    def stopped(self, results: Results, gone: Collection[int] = ()) -> str:
        return "too few bots are left for a table" if self._has_no_table else ""

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        to_come = 0 if self.is_finished(results, gone) else self.number_of_rounds - len(self._rounds)
        tables = len(table_sizes(self.plan.bots, self.plan.seats, self.plan.smallest))
        return sum(len(made.seatings) for made in self._rounds) + tables * to_come


class KnockoutOfTables(TableSchedule):
    """A knockout: the better half of each table goes on."""

    has_bracket = True

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        self.slow = plan.bots > MOST_AT_ONCE
        self._knockout = TableKnockout(plan)
        self._tables = sum(map(len, sizes_of_rounds(plan)))
        self.number_of_rounds = len(sizes_of_rounds(plan))

    def prepare(self, results: Results, gone: Collection[int] = ()) -> Made | None:
        places, knockout = _places(results), self._knockout
        if self.slow:
            has_next = knockout.is_decided(places) and not knockout.is_finished(places, gone)
            return partial(_next_round, knockout, places, frozenset(gone)) if has_next else None
        made = knockout.prepare(places, gone)
        return None if made is None else lambda: made

    def add(self, made: TableRound) -> None:
        self._knockout.add(made)
        self.went_on = self._knockout.went_on()

    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        return self._knockout.is_finished(_places(results), gone)

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        return self._tables + self._knockout.repeats

    def places(self, results: Results, gone: Collection[int] = ()) -> dict[int, int]:
        return self._knockout.places(_places(results), gone)


def _next_round(knockout: TableKnockout, places: TablePlaces, gone: frozenset[int]) -> TableRound:
    """Make the next round. If the last round has tied tables, the new round only repeats these tables."""
    made = knockout.prepare(places, gone)
    if made is None:
        raise ValueError("the knockout has no next round")
    return made


def _places(results: Results) -> dict[MatchKey, tuple[int, ...]]:
    return {key: placed.places for key, placed in results.items()}
