"""What a schedule is, whether or not it depends on results. Pure.

Bots are numbers from 0, in the order of their seeding. A schedule is asked (`prepare`) for the next round, which
changes nothing, and is given (`add`) each round that is to be played; None means "not before more results are in". The
ids of the matches do not depend on which finishes first.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.formats.pairing_rules import NEWEST
from rumble_server.tournament.pairing import Pairing


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has a result: scores by seat, and whether it was lost by `no_show`."""

    scores: tuple[float, float]
    forfeit: bool = False


Results = Mapping[MatchKey, Played]

Place = tuple[int, int]
"""A pairing's place in a bracket: round and board, from 1."""


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that may be played now, and the bots that have a bye with them."""

    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()
    half_byes: tuple[int, ...] = ()
    """The bots that have half a point instead, as the host gave it before."""


Task = Callable[[], Round]
"""Pairs a round; of a schedule that is `slow` it can be pickled."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser chooses for a schedule. Each format reads what concerns it."""

    bots: int
    cycles: int = 1
    legs: int = 2
    rounds: int | None = None
    """Swiss: how many rounds; None: the number that a knockout of the field would have."""
    challengers: int = 1
    """Gauntlet: how many bots, the first by number, meet all others."""
    replays: int = 1
    """Knockout: how often a tied pairing is played again before the better seed goes on."""
    points: tuple[float, float, float] = (1, 0.5, 0)
    """Swiss: for a win, a draw and a loss."""
    pairing_rules: str = NEWEST
    """Swiss: the edition of the rules, a key of `PAIRING_RULES`."""
    acceleration: str = "none"
    """Swiss: `baku`, or none."""


class Schedule(ABC):
    """The rounds of one tournament. Its state is the rounds that were added; the rest it computes from results."""

    slow = False
    """Whether a task of `prepare` may take more than some milliseconds: then it is to run off the event loop."""
    follows_results = True
    """Whether the rounds depend on results, so that the log must have each of them."""
    has_bracket = False
    """Whether bots are ranked by how far they come (`places`) and not by points."""
    number_of_rounds = 0
    """Where rounds follow from results: how many there are if it is played to the end."""

    def __init__(self, plan: Plan) -> None:
        if plan.bots < 2 or plan.cycles < 1 or plan.legs < 1:
            raise ValueError("a schedule needs two bots, one cycle and one leg at least")
        self.plan = plan
        self.went_on: dict[Place, int] = {}
        """With a bracket: the bot that went on from each place, as far as rounds were added."""
        self.half_byes: dict[int, set[int]] = {}
        """Swiss: by round, the bots that are not paired in it and get half a point."""

    @property
    def rounds_in_all(self) -> int:
        """How many rounds there are if it is played to the end; each bot has one pairing at most in each."""
        return self.number_of_rounds

    @abstractmethod
    def prepare(self, results: Results, gone: Collection[int] = ()) -> Task | None:
        """Return the task that pairs the next round; None if it waits for results, or none comes (`is_finished`).

        `gone` bots have withdrawn. Changes nothing.
        """

    @abstractmethod
    def add(self, paired: Round) -> None:
        """Take in the next round. Raises ValueError if it cannot be the next."""

    @abstractmethod
    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        """Whether no round will come any more."""

    @abstractmethod
    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        """Return how many matches there will be when all is played, as far as is known now."""

    @property
    def rounds_added(self) -> Sequence[Round]:
        """The rounds of a Swiss so far."""
        return ()

    def stopped(self, results: Results, gone: Collection[int] = ()) -> str:
        """Return why it is finished before its last round; empty if it is not."""
        return ""

    def places(self, results: Results) -> dict[int, int]:
        """Return the rank of each bot, with a bracket."""
        return {}


class FixedSchedule(Schedule):
    """A schedule that does not depend on results: it never waits for any."""

    follows_results = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._rounds = self.rounds()
        self._next = next(self._rounds, None)

    @abstractmethod
    def rounds(self) -> Iterator[Round]:
        """Make all rounds, lazily: `rounds_in_all`."""

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
    """Return the results of all legs, each as (score of `first`, score of `second`); None until the last is in."""
    found = []
    for leg in range(1, legs + 1):
        played = results.get(pairing.match_key(leg))
        if played is None:
            return None
        if leg % 2 == 0:
            played = Played((played.scores[1], played.scores[0]), played.forfeit)
        found.append(played)
    return found
