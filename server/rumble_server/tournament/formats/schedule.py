"""What a schedule is, whether or not it depends on results. Pure.

Bots are numbers from 0, in the order of their seeding. A schedule gives rounds, the caller plays them: it asks
(`pull`) whenever somebody free could use a match, and None means "not before more results are in". The id of a match
is `<cycle>.<round>.<board>.<leg>`, the same whatever finishes first.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from rumble_server.tournament.pairing import Pairing


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has a result: scores by seat, and whether it was lost by `no_show`."""

    scores: tuple[float, float]
    forfeit: bool = False


Results = Mapping[str, Played]
"""By match id without the tournament: `<cycle>.<round>.<board>.<leg>`."""


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that may be played now, and the bots that have a bye with them."""

    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a host chooses for a schedule. Each format reads what concerns it."""

    bots: int
    cycles: int = 1
    legs: int = 2
    rounds: int | None = None
    """Swiss: how many rounds; None: as many as a knockout of the field would have."""
    challengers: int = 1
    """Gauntlet: the first so many bots meet all others."""
    replays: int = 1
    """Knockout: how often a tied pairing is played again before the better seed goes on."""
    points: tuple[float, float, float] = (1, 0.5, 0)
    """Swiss: for a win, a draw and a loss."""


class Schedule(ABC):
    """The rounds of one tournament, pulled one by one."""

    slow = False
    """Whether `pull` may take more than some milliseconds: then it is to be called off the event loop."""
    follows_results = True
    """Whether what is pulled depends on results, so that the log must say what was pulled."""

    def __init__(self, plan: Plan) -> None:
        if plan.bots < 2 or plan.cycles < 1 or plan.legs < 1:
            raise ValueError("a schedule needs two bots, one cycle and one leg at least")
        self.plan = plan
        self.finished = False
        """Whether every round was pulled: nothing more will come."""

    @abstractmethod
    def pull(self, results: Results, gone: Collection[int] = ()) -> Round | None:
        """The next pairings, or None: wait for results (or for nothing, if `finished`). `gone` bots have withdrawn."""

    @abstractmethod
    def restore(self, pulled: Round) -> None:
        """Take up a round that was pulled before a restart, in the order of pulling. Raises ValueError."""

    def reopen(self, number: int) -> None:
        """A match of the round of that number has lost its result, and is to be played again."""

    @property
    @abstractmethod
    def matches_total(self) -> int | None:
        """How many matches there will be when all is played, as far as is known now; None if not at all."""

    def byes_with_points(self) -> dict[int, int]:
        """For each bot the matches it was given as won, without an opponent (see `rank`, `byes`)."""
        return {}


class FixedSchedule(Schedule):
    """A schedule that does not depend on results: a pull never waits."""

    follows_results = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._rounds = self.rounds()
        self._next = next(self._rounds, None)
        self.finished = self._next is None

    @abstractmethod
    def rounds(self) -> Iterator[Round]:
        """All rounds, lazily."""

    def pull(self, results: Results, gone: Collection[int] = ()) -> Round | None:
        """The next round."""
        pulled, self._next = self._next, next(self._rounds, None)
        self.finished = self._next is None
        return pulled

    def restore(self, pulled: Round) -> None:
        """Pull again what was pulled, and see that it is the same."""
        if self.pull({}) != pulled:
            raise ValueError("the schedule has another round here than the log")


def match_key(pairing: Pairing, leg: int) -> str:
    """The id of a match, without the tournament."""
    return f"{pairing.cycle}.{pairing.round}.{pairing.board}.{leg}"


def pairing_results(pairing: Pairing, legs: int, results: Results) -> list[Played] | None:
    """The results of all legs, each as (score of `first`, score of `second`); None until the last is in."""
    found = []
    for leg in range(1, legs + 1):
        played = results.get(match_key(pairing, leg))
        if played is None:
            return None
        if leg % 2 == 0:
            played = Played((played.scores[1], played.scores[0]), played.forfeit)
        found.append(played)
    return found
