"""The base classes of schedules of tables. Pure."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchKey
from rumble_server.results.table_result import table_result_of
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.tables.plan import TablePlan, TableRound
from rumble_server.tournament.tables.queue import TableQueue
from rumble_server.tournament.tables.search import check_search


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

    is_slow = True

    def __init__(self, plan: TablePlan, rounds: int, tables: int) -> None:
        """Make the schedule. Until the rounds are made, `rounds` rounds of `tables` tables are expected.

        Raises ValueError if the field is too big for the search, or has too many rounds.
        """
        check_search(plan.bots, rounds)
        super().__init__(plan)
        self.number_of_rounds = rounds
        self._expected = rounds * tables
        self._made: TableRound | None = None

    @abstractmethod
    def rounds(self) -> list[TableRound]:
        """Make all rounds. The call may take seconds, and changes nothing."""

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> RoundTask | None:
        """Return the task that makes all rounds; the task returns all their tables in a single `TableRound`."""
        return self._all_at_once if self._made is None else None

    def _all_at_once(self) -> TableRound:
        return TableRound(tuple([seating for made in self.rounds() for seating in made.seatings]))

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        return self._expected if self._made is None else len(self._made.seatings)

    def add(self, new_round: TableRound) -> None:
        self._made = new_round
        self.number_of_rounds = max((seating.round for seating in new_round.seatings), default=0)

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return self._made is not None


class TablesFromResults(TableSchedule):
    """A schedule whose rounds depend on results."""

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        self.is_slow = plan.bots > MOST_BOTS_ON_LOOP
