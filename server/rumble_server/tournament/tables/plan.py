"""The parts of schedules of tables: the plan, seatings of numbered bots, and the sizes of a round's tables. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

from rumble_server.match.match_id import MatchKey
from rumble_server.results.tables.points import TablePoints


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The organiser's choices for a schedule of tables. A format ignores choices that are only for other formats.

    Raises ValueError if the field is too small for a table.
    """

    bots: int
    seats: int
    """Number of seats of a full table."""
    least: int = 2
    """Minimum number of bots with which the game can be played."""
    cycles: int = 1
    rounds: int | None = None
    """Number of rounds; None for the format's own number."""
    challengers: int = 1
    """Number of challengers of a gauntlet. The challengers are the bots with the lowest numbers."""
    replays: int = 1
    """Maximum number of replays of a tie in a knockout. Only a tie that decides which bots go on is played again."""
    seed: int = 0
    points: TablePoints = field(default_factory=TablePoints)
    """Rules for the points of a Swiss."""

    def __post_init__(self) -> None:
        if self.seats < 3 or not 2 <= self.least <= self.seats or self.cycles < 1:
            raise ValueError(f"tables have three seats at least, and {self.seats} at most here: not {self.least}")
        if self.bots < self.smallest:
            raise ValueError(f"a table of {self.seats} needs {self.smallest} bots, and there are {self.bots}")

    @property
    def smallest(self) -> int:
        """Number of bots at the smallest table that a round may have."""
        return smallest_table(self.seats, self.least)


def smallest_table(seats: int, least: int) -> int:
    """Return the number of bots at the smallest table that a round may have.

    `least` is the minimum number of bots with which the game can be played. The smallest table has one bot less than a
    full table if the number of bots is then at least `least`. Otherwise the smallest table is a full table.
    """
    return max(seats - 1, least)


@dataclass(frozen=True, slots=True)
class Seating:
    """The bots of a table in seat order. Cycle, round and board count from 1. A replay counts as the next cycle."""

    cycle: int
    round: int
    board: int
    bots: tuple[int, ...]

    @property
    def match_key(self) -> MatchKey:
        return self.cycle, self.round, self.board, 1


@dataclass(frozen=True, slots=True)
class TableRound:
    """Tables that may be played now, and the bots with a bye in the same round."""

    seatings: tuple[Seating, ...]
    byes: tuple[int, ...] = ()
    half_byes: ClassVar[tuple[int, ...]] = ()
    """Always empty: the host gives no half-point byes in a tournament of tables."""
    pairs: ClassVar[tuple[tuple[int, int], ...]] = ()
    """Always empty, because the bots of a table do not meet in pairs."""

    @property
    def bots(self) -> list[int]:
        """The bots with a match."""
        return [bot for seating in self.seatings for bot in seating.bots]


def table_round(number: int, tables: Iterable[Sequence[int]], byes: Iterable[int] = ()) -> TableRound:
    """Make a round from the bots of each table in seat order, and the bots with a bye."""
    return TableRound(
        tuple(Seating(1, number, board, tuple(bots)) for board, bots in enumerate(tables, 1)), tuple(byes)
    )


def table_sizes(bots: int, full: int, smallest: int) -> list[int]:
    """Return the sizes of a round's tables, full tables first. Bots without a seat at a table have a bye.

    Tables of `full - 1` bots are made only if `smallest` allows such tables, and if no bot then has a bye.
    """
    tables = -(-bots // full)
    if smallest < full and tables * (full - 1) <= bots:
        smaller = tables * full - bots
        return [full] * (tables - smaller) + [full - 1] * smaller
    return [full] * (bots // full)


def meetings(played: Iterable[TableRound]) -> Counter[tuple[int, int]]:
    """Count how often each pair of bots has met. A key is the numbers of two bots, the lower number first."""
    tables = (sorted(seating.bots) for round_ in played for seating in round_.seatings)
    return Counter(pair for bots in tables for pair in combinations(bots, 2))
