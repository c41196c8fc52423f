"""Counts of results, for ratings and for tie-breaks that need no rounds. Counting a result takes constant time.

A `Tally` only counts. Points are computed from the counts when read, under any points scheme. Points are exact integers
in the units of a `Scheme`, because rounding could break or make a tie.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, Generic, Protocol, Self, TypeVar

from rumble_engine import Termination

from rumble_server.results.result import Result

FIRST_WON, DRAWN, SECOND_WON, FIRST_BY_FORFEIT, SECOND_BY_FORFEIT, NOBODY = range(6)
Meetings = tuple[int, int, int, int, int, int]
"""Counts of matches between two bots in fixed seats. There is a count for each outcome from `FIRST_WON` to `NOBODY`."""
NONE: Meetings = (0, 0, 0, 0, 0, 0)
MOST_POINTS = 10**15
"""Maximum absolute value of the points for a result. Sums and products of such points can be shown as float."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """Points for a win, a draw and a loss, as integers: the organiser's points times `scale`."""

    win: int
    draw: int
    loss: int
    scale: int

    @classmethod
    def of(cls, points: tuple[float, float, float]) -> Self:
        """Make a scheme from the organiser's points for a win, a draw and a loss. Raises ValueError."""
        if not all(abs(value) <= MOST_POINTS for value in points):
            rule = f"points for a win, a draw and a loss must be between {-MOST_POINTS:g} and {MOST_POINTS:g}"
            raise ValueError(f"{rule}, not {points!r}")
        win, draw, loss = (Fraction(str(value)) for value in points)
        if not win > loss or not win >= draw >= loss:
            raise ValueError(f"a win must be worth more than a loss, and a draw neither more nor less: {points!r}")
        scale = lcm(win.denominator, draw.denominator, loss.denominator)
        return cls(int(win * scale), int(draw * scale), int(loss * scale), scale)

    def points(self, score: float) -> int:
        """Return the points for a score: 1 (won), 0.5 (drawn) or 0 (lost)."""
        return self.win if score == 1 else self.draw if score > 0 else self.loss


@dataclass(slots=True)
class Count:
    """Counts of a bot's matches."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    won: int = 0
    """Matches won over the board. `wins` also includes wins by the opponent's `no_show`."""
    won_second: int = 0
    """Matches won over the board in the second seat."""
    faults: dict[Termination, int] = field(default_factory=dict)
    """Matches that ended by the bot's own fault, by kind of fault. To copy a Counter takes much longer."""
    unplayed: int = 0
    """Matches won or lost by `no_show`."""
    byes: int = 0
    """Matches that count as won without an opponent."""
    half_byes: int = 0
    """Matches that count as drawn without an opponent."""

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses

    def copy(self) -> "Count":
        own = self.wins, self.draws, self.losses, self.won, self.won_second, self.faults.copy(), self.unplayed
        return Count(*own, self.byes, self.half_byes)

    def points(self, scheme: Scheme) -> int:
        """Return the points in units of the scheme. Byes count as wins, half byes as draws."""
        won, drawn = self.wins + self.byes, self.draws + self.half_byes
        return won * scheme.win + drawn * scheme.draw + self.losses * scheme.loss


class MatchNumbers(Protocol):
    """Counts of a bot's matches, as the standings show them."""

    byes: int
    """Matches that count as won without an opponent."""

    @property
    def played(self) -> int: ...
    @property
    def wins(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def losses(self) -> int: ...
    @property
    def half_byes(self) -> int: ...
    @property
    def faults(self) -> Mapping[Termination, int]: ...


R = TypeVar("R")
C = TypeVar("C", bound=MatchNumbers)


class FieldTally(ABC, Generic[R, C]):
    """Counts of the results of a field. A subclass counts one kind of result."""

    new_count: type[C]
    bots: dict[str, C]

    def __init__(self, field: Iterable[str] = ()) -> None:
        self.bots = {name: self.new_count() for name in field}

    @classmethod
    def of(cls, results: Iterable[R], field: Iterable[str] = (), byes: Mapping[str, int] | None = None) -> Self:
        """Return a tally of results. The tally also has the bots in `field`, even without a result.

        `byes` has, by bot, the number of matches that count as won without an opponent.
        """
        tally = cls(field)
        for result in results:
            tally.add(result)
        for name, matches in (byes or {}).items():
            tally.give_bye(name, matches)
        return tally

    @abstractmethod
    def add(self, result: R, sign: int = 1) -> None:
        """Count a result. With `sign` -1, remove the result from the counts."""

    def add_bot(self, name: str) -> None:
        """Add a bot to the field, so that the standings show the bot even without results."""
        self.bots.setdefault(name, self.new_count())

    def give_bye(self, name: str, matches: int = 1) -> None:
        """Add `matches` to the matches that count as won, for a bot without an opponent in a Swiss round."""
        self.bots.setdefault(name, self.new_count()).byes += matches

    @abstractmethod
    def between(self, one: str, other: str) -> tuple[Any, ...] | None:
        """Return the counts of the matches between two bots, as an immutable value; None if the bots have not met."""

    @abstractmethod
    def snapshot(self) -> Self:
        """Return a copy that another thread may read, while results are added to the original."""


class Tally(FieldTally[Result, Count]):
    """Counts of the results of matches of two: by bot, and by pair of bots in fixed seats."""

    new_count = Count

    def __init__(self, field: Iterable[str] = ()) -> None:
        super().__init__(field)
        self.meetings: dict[tuple[str, str], Meetings] = {}
        """Counts of matches by (bot in the first seat, bot in the second seat).

        The values are immutable, so that `snapshot` need not copy the values.
        """

    def add(self, result: Result, sign: int = 1) -> None:
        seats, scores, forfeit = result.seats, result.scores, result.is_forfeit
        for seat, name in enumerate(seats):
            count = self.bots.get(name)
            if count is None:
                count = self.bots[name] = Count()
            score = scores[seat]
            if score == 1.0:
                count.wins += sign
                if not forfeit:
                    count.won += sign
                    count.won_second += sign * seat
            elif score > 0:
                count.draws += sign
            else:
                count.losses += sign
            if forfeit:
                count.unplayed += sign
        for seat in result.at_fault:
            faults = self.bots[seats[seat]].faults
            faults[result.termination] = faults.get(result.termination, 0) + sign
        counts = list(self.meetings.get(seats, NONE))
        counts[_outcome(scores, forfeit)] += sign
        if sign > 0 or any(counts):
            self.meetings[seats] = tuple(counts)  # type: ignore[assignment]  # six counts, as before
        else:
            del self.meetings[seats]

    def give_half_bye(self, name: str, matches: int = 1) -> None:
        """Add `matches` to the matches that count as drawn, for a bot that asked to miss a Swiss round."""
        self.bots.setdefault(name, Count()).half_byes += matches

    def between(self, one: str, other: str) -> tuple[Meetings, Meetings] | None:
        """Return the counts with `one` in the first seat, and the counts with `other` in the first seat."""
        ours, theirs = self.meetings.get((one, other)), self.meetings.get((other, one))
        return (ours or NONE, theirs or NONE) if ours or theirs else None

    def snapshot(self) -> Self:
        other = type(self)()
        other.bots = {name: count.copy() for name, count in self.bots.items()}
        other.meetings = self.meetings.copy()
        return other


def _outcome(scores: tuple[float, float], forfeit: bool) -> int:
    first, second = scores
    if first == second:
        return NOBODY if first == 0 else DRAWN
    if first > second:
        return FIRST_BY_FORFEIT if forfeit else FIRST_WON
    return SECOND_BY_FORFEIT if forfeit else SECOND_WON


def scores_of(met: tuple[Meetings, Meetings], scheme: Scheme) -> tuple[int, int, int]:
    """Return the points of two bots against each other, and the number of their matches.

    `met` comes from `Tally.between`. Points are in units of the scheme.
    """
    ours, theirs = met
    points = points_of_first(ours, scheme) + points_of_second(theirs, scheme)
    others = points_of_second(ours, scheme) + points_of_first(theirs, scheme)
    return points, others, sum(ours) + sum(theirs)


def points_of_first(meetings: Meetings, scheme: Scheme) -> int:
    """Return the points, in units of the scheme, of the bot in the first seat of these matches."""
    won = meetings[FIRST_WON] + meetings[FIRST_BY_FORFEIT]
    lost = meetings[SECOND_WON] + meetings[SECOND_BY_FORFEIT] + meetings[NOBODY]
    return won * scheme.win + meetings[DRAWN] * scheme.draw + lost * scheme.loss


def points_of_second(meetings: Meetings, scheme: Scheme) -> int:
    """Return the points, in units of the scheme, of the bot in the second seat of these matches."""
    won = meetings[SECOND_WON] + meetings[SECOND_BY_FORFEIT]
    lost = meetings[FIRST_WON] + meetings[FIRST_BY_FORFEIT] + meetings[NOBODY]
    return won * scheme.win + meetings[DRAWN] * scheme.draw + lost * scheme.loss
