"""The base classes of schedules, which may depend on results or not. Pure. The tournament's agenda calls them.

Bots are numbers from 0, in the order of their seeding. `prepare` returns the task that pairs the next round, or None
until more results are known, and changes nothing. `add` takes in each round that will be played. The two are separate
because a slow task runs in another process, and because rounds are read from the log after a restart. The ids of
matches do not depend on the order in which matches finish.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.formats.pairing_rules import NEWEST
from rumble_server.tournament.pairing import Pairing


@dataclass(frozen=True, slots=True)
class Played:
    """A match with a result: the scores by seat; `forfeit` is true if the match was lost by `no_show`."""

    scores: tuple[float, float]
    forfeit: bool = False


Results = Mapping[MatchKey, Played]

Place = tuple[int, int]
"""A pairing's place in a bracket: round and board, from 1."""


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that may be played now, and the bots with a bye in the same round."""

    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()
    half_byes: tuple[int, ...] = ()
    """The bots with a half-point bye, which the host gave before the round was paired."""


Task = Callable[[], Round]
"""Function that pairs a round. The task of a `slow` schedule can be pickled."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The organiser's choices for a schedule; a format ignores the choices of other formats."""

    bots: int
    cycles: int = 1
    legs: int = 2
    rounds: int | None = None
    """Number of rounds of a Swiss; None for the number of rounds that a knockout of the field would have."""
    challengers: int = 1
    """Number of challengers of a gauntlet: the first bots by number."""
    replays: int = 1
    """Maximum number of times that a tied pairing of a knockout is played again. After that the better seed goes on."""
    points: tuple[float, float, float] = (1, 0.5, 0)
    """The points of a Swiss for a win, a draw and a loss."""
    pairing_rules: str = NEWEST
    """The edition of a Swiss's pairing rules, a key of `PAIRING_RULES`."""
    acceleration: str = "none"
    """The acceleration of a Swiss: `baku` or `none`."""


class Schedule(ABC):
    """The rounds of a tournament. Its only state is the rounds added so far; the rest is computed from results."""

    slow = False
    """True if a task of `prepare` may take more than some milliseconds, and must run off the event loop."""
    follows_results = True
    """True if the rounds depend on results, so that the log must have each round."""
    has_bracket = False
    """True if bots are ranked by `places` (the round they reach), not by points."""
    number_of_rounds = 0
    """The number of rounds of a complete tournament, set by schedules that depend on results."""

    def __init__(self, plan: Plan) -> None:
        if plan.bots < 2 or plan.cycles < 1 or plan.legs < 1:
            raise ValueError("a schedule needs two bots, one cycle and one leg at least")
        self.plan = plan
        self.went_on: dict[Place, int] = {}
        """The bot that went on from each place of a bracket, as determined by the rounds added so far."""
        self.half_byes: dict[int, set[int]] = {}
        """The bots that get half a point in place of a pairing, by round of a Swiss."""

    @property
    def rounds_in_all(self) -> int:
        """The number of rounds of a complete tournament. A bot has at most one pairing in each round."""
        return self.number_of_rounds

    @abstractmethod
    def prepare(self, results: Results, gone: Collection[int] = ()) -> Task | None:
        """Return the task that pairs the next round; the schedule itself does not change.

        Return None while results are missing, and after the last round (`is_finished`). The bots in `gone` have
        withdrawn.
        """

    @abstractmethod
    def add(self, paired: Round) -> None:
        """Add the next round. Raises ValueError if the round cannot be next."""

    @abstractmethod
    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        """Return whether no further round will come."""

    @abstractmethod
    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        """Return the number of matches in the whole tournament, as far as known now."""

    @property
    def rounds_added(self) -> Sequence[Round]:
        """The rounds of a Swiss so far; empty for other schedules."""
        return ()

    def stopped(self, results: Results, gone: Collection[int] = ()) -> str:
        """Return the reason why the schedule finished before its last round; empty if it did not."""
        return ""

    def places(self, results: Results) -> dict[int, int]:
        """Return the rank of each bot in a bracket; empty for other schedules."""
        return {}


class FixedSchedule(Schedule):
    """A schedule that does not depend on results and never waits for results."""

    follows_results = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._rounds = self.rounds()
        self._next = next(self._rounds, None)

    @abstractmethod
    def rounds(self) -> Iterator[Round]:
        """Yield all rounds, `rounds_in_all` in number, lazily."""

    @property
    @abstractmethod
    def rounds_in_all(self) -> int: ...

    def prepare(self, results: Results, gone: Collection[int] = ()) -> Task | None:
        following = self._next
        return None if following is None else lambda: following

    def add(self, paired: Round) -> None:
        if paired != self._next:
            raise ValueError("the schedule has another round here than the log")
        self._next = next(self._rounds, None)

    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        return self._next is None


def pairing_results(pairing: Pairing, legs: int, results: Results) -> list[Played] | None:
    """Return the results of all legs, with the score of `first` before the score of `second`; None if a result is
    missing.
    """
    found = []
    for leg in range(1, legs + 1):
        played = results.get(pairing.match_key(leg))
        if played is None:
            return None
        if leg % 2 == 0:
            played = Played((played.scores[1], played.scores[0]), played.forfeit)
        found.append(played)
    return found
