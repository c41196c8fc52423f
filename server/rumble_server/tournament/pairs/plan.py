"""The parts of schedules of pairs: the plan, pairings of numbered bots, and rounds. Pure."""

from dataclasses import dataclass

from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.pairs.pairing_rules import NEWEST


@dataclass(frozen=True, slots=True)
class Plan:
    """The organiser's choices for a schedule. A format ignores choices that are only for other formats."""

    bots: int
    cycles: int = 1
    legs: int = 2
    rounds: int | None = None
    """Number of rounds of a Swiss; None for the number of rounds that a knockout of the field would have."""
    challengers: int = 1
    """Number of challengers of a gauntlet. The challengers are the bots with the lowest numbers."""
    replays: int = 1
    """Maximum number of times that a tied pairing of a knockout is played again. After that the better seed goes on."""
    points: tuple[float, float, float] = (1, 0.5, 0)
    """The points of a Swiss for a win, a draw and a loss."""
    pairing_rules: str = NEWEST
    """The edition of a Swiss's pairing rules, a key of `PAIRING_RULES`."""
    acceleration: str = "none"
    """The acceleration of a Swiss: `baku` or `none`."""


@dataclass(slots=True, unsafe_hash=True)  # a frozen pairing takes twice as long to make
class Pairing:
    """Two bots that meet. `first` has seat 0 in odd legs. Cycles, rounds and boards are numbered from 1."""

    cycle: int
    round: int
    board: int
    first: int
    second: int

    def match_key(self, leg: int) -> MatchKey:
        return self.cycle, self.round, self.board, leg

    def seats(self, leg: int) -> tuple[int, int]:
        """Return the bots by seat; `leg` counts from 1."""
        return (self.first, self.second) if leg % 2 else (self.second, self.first)


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that may be played now, and the bots with a bye in the same round."""

    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()
    half_byes: tuple[int, ...] = ()
    """The bots with a half-point bye, which the host gave before the round was paired."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The first and the second bot of each pairing."""
        return [(pairing.first, pairing.second) for pairing in self.pairings]

    @property
    def bots(self) -> list[int]:
        """The bots with a match."""
        return [bot for pairing in self.pairings for bot in (pairing.first, pairing.second)]
