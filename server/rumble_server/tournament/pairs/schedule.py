"""The base classes of schedules of matches between two bots. Pure."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.queue import PairQueue
from rumble_server.tournament.schedule import Schedule


@dataclass(frozen=True, slots=True)
class PairScores:
    """A match with a result: the scores by seat; `is_forfeit` is true if the match was lost by `no_show`."""

    scores: tuple[float, float]
    is_forfeit: bool = False


Results = Mapping[MatchKey, PairScores]


class PairSchedule(Schedule[Round, PairScores]):
    """A schedule of matches between two bots."""

    def __init__(self, plan: Plan) -> None:
        if plan.bots < 2 or plan.cycles < 1 or plan.legs < 1:
            raise ValueError("a schedule needs two bots, one cycle and one leg at least")
        super().__init__()
        self.plan: Plan = plan

    def queue(self, bots: Iterable[str]) -> PairQueue:
        return PairQueue(bots)

    def matches(self, new_round: Round) -> Iterator[tuple[MatchKey, tuple[int, ...]]]:
        for pairing in new_round.pairings:
            for leg in range(1, self.plan.legs + 1):
                yield pairing.match_key(leg), pairing.seats(leg)

    def read_result(self, over: MatchOver, seats: tuple[str, ...]) -> PairScores:
        if over.scores is None:
            raise ValueError(f"match {over.match}, attempt {over.attempt}, is void")
        return PairScores((over.scores[0], over.scores[1]), over.termination is Termination.NO_SHOW)

    def scheduled_seats(self, over: MatchOver, played: PairScores | None) -> tuple[str, ...]:
        return over.seats


class FixedSchedule(PairSchedule):
    """A schedule that does not depend on results and never waits for results."""

    has_logged_rounds = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._rounds = self.rounds()
        self._next = next(self._rounds, None)

    @abstractmethod
    def rounds(self) -> Iterator[Round]:
        """Yield all rounds. Each round is made only when asked for. The number of rounds is `number_of_rounds`."""

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> Callable[[], Round] | None:
        following = self._next
        return None if following is None else lambda: following

    def add(self, new_round: Round) -> None:
        if new_round != self._next:
            raise ValueError("the schedule has another round here than the log")
        self._next = next(self._rounds, None)

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return self._next is None


def pairing_results(pairing: Pairing, legs: int, results: Results) -> list[PairScores] | None:
    """Return the results of all legs, or None if a result is missing. In each result, the score of `pairing.first`
    comes before the score of `pairing.second`.
    """
    legs_played = list[PairScores]()
    for leg in range(1, legs + 1):
        result = results.get(pairing.match_key(leg))
        if result is None:
            return None
        if leg % 2 == 0:
            result = PairScores((result.scores[1], result.scores[0]), result.is_forfeit)
        legs_played.append(result)
    return legs_played
