"""Standings: a table that takes one result at constant cost, and ranks that are computed when read. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rumble_engine import Termination


@dataclass(slots=True)
class Record:
    """What one bot has done so far. `faults` counts the matches it lost by its own fault, by termination."""

    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: dict[Termination, int] = field(default_factory=dict)

    @property
    def played(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    def add(self, score: float, fault: Termination | None, sign: int = 1) -> None:
        """Count one result; `sign` -1 takes it back."""
        self.points += sign * score
        if score == 1.0:
            self.wins += sign
        elif score > 0:
            self.draws += sign
        else:
            self.losses += sign
        if fault is not None:
            self.faults[fault] = self.faults.get(fault, 0) + sign


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. Equal bots share a rank."""

    rank: int
    name: str
    record: Record

    def as_json(self) -> dict[str, Any]:
        """The line as the API and the command line show it."""
        record = self.record
        return {
            "rank": self.rank,
            "name": self.name,
            "points": record.points,
            "played": record.played,
            "wins": record.wins,
            "draws": record.draws,
            "losses": record.losses,
            "faults": {str(kind): count for kind, count in record.faults.items() if count},
        }


class Table:
    """The records of a field and its crosstable: the scores of each bot against each other."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.records: dict[str, Record] = {name: Record() for name in names}
        self.cells: dict[tuple[str, str], dict[str, float]] = {}
        """For (bot, opponent): the bot's score by match id."""

    def add(
        self,
        match: str,
        seats: Sequence[str],
        scores: Sequence[float],
        termination: Termination = Termination.NORMAL,
        at_fault: Sequence[int] = (),
    ) -> None:
        """Count a result."""
        self._count(seats, scores, termination, at_fault, 1)
        for seat, name in enumerate(seats):
            self.cells.setdefault((name, seats[1 - seat]), {})[match] = scores[seat]

    def take_back(
        self,
        match: str,
        seats: Sequence[str],
        scores: Sequence[float],
        termination: Termination = Termination.NORMAL,
        at_fault: Sequence[int] = (),
    ) -> None:
        """Undo `add` with the same arguments: the result does not count any more."""
        self._count(seats, scores, termination, at_fault, -1)
        for seat, name in enumerate(seats):
            del self.cells[name, seats[1 - seat]][match]

    def _count(
        self,
        seats: Sequence[str],
        scores: Sequence[float],
        termination: Termination,
        at_fault: Sequence[int],
        sign: int,
    ) -> None:
        for seat, name in enumerate(seats):
            record = self.records.setdefault(name, Record())
            record.add(scores[seat], termination if seat in at_fault else None, sign)

    def standings(self) -> list[Standing]:
        """The lines by rank: points, then wins; what is not broken shares a rank and stands in order of name."""
        ordered = sorted(self.records.items(), key=lambda item: (-item[1].points, -item[1].wins, item[0].casefold()))
        lines: list[Standing] = []
        for place, (name, record) in enumerate(ordered, 1):
            last = lines[-1] if lines else None
            tied = last is not None and (last.record.points, last.record.wins) == (record.points, record.wins)
            lines.append(Standing(last.rank if last is not None and tied else place, name, record))
        return lines
