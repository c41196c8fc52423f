"""The result of a match with any number of seats, as plain data: the input of points and ratings of tables."""

from dataclasses import dataclass

from rumble_engine import Termination
from rumble_engine.outcome import places_of

from rumble_server.match.facts import MatchOver
from rumble_server.results.result import FAULTS


@dataclass(frozen=True, slots=True)
class TableResult:
    """A result by seat: the bots, their places (1 for the first; seats that tie share a place) and their payoffs."""

    seats: tuple[str, ...]
    places: tuple[int, ...]
    payoffs: tuple[float, ...] | None = None
    falls: tuple[tuple[int, Termination], ...] = ()
    """The seats that fell out, each with the reason."""
    match_id: str = ""

    @property
    def absent(self) -> frozenset[int]:
        """The seats that never played."""
        return frozenset([seat for seat, kind in self.falls if kind is Termination.NO_SHOW])

    @property
    def faults(self) -> tuple[tuple[int, Termination], ...]:
        """The seats that fell out by a fault, each with the fault; a resignation is no fault."""
        return tuple([(seat, kind) for seat, kind in self.falls if kind in FAULTS])


def table_result_of(over: MatchOver) -> TableResult:
    """Return the result of a match. Raises ValueError for a void attempt, and for a plain match of two seats."""
    table = over.table
    if over.scores is None or table is None:
        raise ValueError(f"match {over.match}, attempt {over.attempt}, has no result of a table")
    places = table.places or places_of([-score for score in over.scores])
    falls = tuple([(seat, kind) for seat, _, kind in table.falls])
    return TableResult(over.seats, places, table.payoffs, falls, over.match)
