"""The base classes of schedules of tables. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchKey
from rumble_server.results.table_result import table_result_of
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.tables.plan import TablePlan, TableRound
from rumble_server.tournament.tables.queue import TableQueue


@dataclass(frozen=True, slots=True)
class TableScores:
    """The result of a table: the bots by scheduled seat, and the place and points of each, in the same order."""

    seats: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[float, ...]


MOST_BOTS_ON_LOOP = 16
"""Maximum number of bots for which the event loop itself makes a round that depends on results.

With so many bots, a round takes the event loop some milliseconds.
"""
Results = Mapping[MatchKey, TableScores]
RoundTask = Callable[[], TableRound]


class TableSchedule(Schedule[TableRound, TableScores]):
    """A schedule of tables."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__()
        self.plan: TablePlan = plan

    def queue(self, bots: Iterable[str]) -> TableQueue:
        return TableQueue(bots, self.plan.least)

    def matches(self, new_round: TableRound) -> Iterator[tuple[MatchKey, tuple[int, ...]]]:
        for seating in new_round.seatings:
            yield seating.match_key, seating.bots

    def read_result(self, over: MatchOver, seats: tuple[str, ...]) -> TableScores:
        result = table_result_of(over)
        points = dict(zip(result.seats, map(float, self.plan.points.each(result, self.plan.seats)), strict=True))
        places = dict(zip(result.seats, result.places, strict=True))
        return TableScores(seats, tuple([places[bot] for bot in seats]), tuple([points[bot] for bot in seats]))

    def scheduled_seats(self, over: MatchOver, played: TableScores | None) -> tuple[str, ...]:
        return over.seats if played is None else played.seats


class SearchedTables(TableSchedule):
    """A schedule whose rounds do not depend on results. A seeded search makes all rounds at once."""

    slow = True

    def __init__(self, plan: TablePlan, task: Callable[[], list[TableRound]], rounds: int, tables: int) -> None:
        """Make the schedule. Until `task` has made the rounds, `rounds` rounds of `tables` tables are expected."""
        super().__init__(plan)
        self.number_of_rounds = rounds
        self._task = task
        self._expected = rounds * tables
        self._made: TableRound | None = None

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> RoundTask | None:
        return partial(_all_at_once, self._task) if self._made is None else None

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        return self._expected if self._made is None else len(self._made.seatings)

    def add(self, new_round: TableRound) -> None:
        self._made = new_round
        self.number_of_rounds = max((seating.round for seating in new_round.seatings), default=0)

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return self._made is not None


def _all_at_once(task: Callable[[], list[TableRound]]) -> TableRound:
    """Make all rounds of a schedule, and return all their tables in a single `TableRound`."""
    return TableRound(tuple([seating for made in task() for seating in made.seatings]))


class TablesFromResults(TableSchedule):
    """A schedule whose rounds depend on results."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        self.slow = plan.bots > MOST_BOTS_ON_LOOP
