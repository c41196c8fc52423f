"""The result of a match with any number of seats, as plain data for the points and ratings of tables."""

from dataclasses import dataclass

from rumble_engine import Termination
from rumble_engine.outcome import places_of

from rumble_server.match.facts import MatchOver
from rumble_server.results.result import FAULTS


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of a table by seat: bots, places (1 for the first; tied seats share a place), and payoffs."""

    seats: tuple[str, ...]
    places: tuple[int, ...]
    payoffs: tuple[float, ...] | None = None
    falls: tuple[tuple[int, Termination], ...] = ()
    """Seats that fell out, each with the reason."""
    match_id: str = ""

    @property
    def absent(self) -> frozenset[int]:
        """Seats of bots that never came."""
        return frozenset([seat for seat, kind in self.falls if kind is Termination.NO_SHOW])

    @property
    def faults(self) -> tuple[tuple[int, Termination], ...]:
        """Seats that fell out by a fault, each with the fault. A resignation is not a fault."""
        return tuple([(seat, kind) for seat, kind in self.falls if kind in FAULTS])


def table_result_of(over: MatchOver) -> TableResult:
    """Return the `TableResult` of a match. Absent bots finish behind the bots that played.

    In a plain match, seats that lost by a fault count as fallen out. The payoff of an absent bot is the lowest of the
    table, or 0 if all are positive. So absence does not pay. Raises ValueError for a void attempt.
    """
    if over.scores is None:
        raise ValueError(f"match {over.match}, attempt {over.attempt}, has no result")
    placed, by_scores = over.placement, places_of([-score for score in over.scores])
    if placed is None:
        places, payoffs = by_scores, None
        falls = tuple([(seat, over.termination) for seat in over.at_fault])
    else:
        places, payoffs = placed.places or by_scores, placed.payoffs
        falls = tuple([(seat, kind) for seat, _, kind in placed.falls])
    played, absent = len(over.seats), len(over.absent)
    return TableResult(
        over.seats + over.absent,
        places + (played + 1,) * absent,
        None if payoffs is None else payoffs + (min(0.0, *payoffs),) * absent,
        falls + tuple([(played + number, Termination.NO_SHOW) for number in range(absent)]),
        over.match,
    )
