"""The base class of the schedules of `pairs` and of `tables`. A schedule may depend on results. Pure.

A tournament's agenda calls its schedule, and treats both kinds alike. The seats of a match decide the kind.

Bots are numbers from 0, in the order of their seeding. `prepare` returns the task that pairs the next round, or None
until more results are known. `prepare` changes nothing. `add` is called for each round that will be played. `prepare`
and `add` are separate because a slow task runs in another process, and because rounds are read from the log after a
restart. The ids of matches do not depend on the order in which matches finish.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Generic, TypeVar

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.queue import Queue

BoardKey = tuple[int, int]
"""Round and board of a bracket, from 1. A pairing and its repetitions have the same key."""
R = TypeVar("R")
"""The type of a schedule's rounds."""
P = TypeVar("P")
"""The type of results as a schedule reads them."""


class Schedule(ABC, Generic[R, P]):
    """The rounds of a tournament. Its only state is the rounds added so far, and the late joiners; the rest is computed
    from results.

    A task of `prepare` makes a round. The task of a slow schedule can be pickled.
    """

    is_slow = False
    """True if a task of `prepare` may take more than a few milliseconds, and must run off the event loop."""
    has_logged_rounds = True
    """True if each round must be written to the log, because rounds depend on results or come from a search."""
    has_bracket = False
    """True if bots are ranked by `places` (the round they reach), not by points."""
    number_of_rounds: int
    """The number of rounds of a complete tournament. A bot has at most one pairing in each round."""

    plan: Any
    """The organiser's choices: a `Plan` for matches of two, a `TablePlan` for tables."""

    def __init__(self) -> None:
        self.advanced: dict[BoardKey, int] = {}
        """The bot that went on from each board of a bracket, as determined by the rounds added so far."""
        self.half_byes: dict[int, set[int]] = {}
        """The bots that get half a point in place of a pairing, by round of a Swiss."""
        self.rounds_added: list[R] = []
        """The rounds of a Swiss so far; empty for other schedules."""

    @abstractmethod
    def queue(self, bots: Iterable[str]) -> Queue:
        """Return an empty queue for the waiting matches of a field."""

    @abstractmethod
    def matches(self, new_round: R) -> Iterable[tuple[MatchKey, tuple[int, ...]]]:
        """Return the matches of a round, each with its bots by seat."""

    @abstractmethod
    def read_result(self, over: MatchOver, seats: tuple[str, ...]) -> P:
        """Return the result of a match as this schedule reads it.

        `seats` has the bots in the order of their scheduled seats.
        """

    @abstractmethod
    def scheduled_seats(self, over: MatchOver, played: P | None) -> tuple[str, ...]:
        """Return the bots of a match in the order of their scheduled seats.

        `played` is the result of the match as this schedule reads it; None if this schedule has no logged rounds.
        """

    @abstractmethod
    def prepare(self, results: Mapping[MatchKey, P], withdrawn: Collection[int] = ()) -> Callable[[], R] | None:
        """Return the task that pairs the next round; the schedule itself does not change.

        Return None while results are missing, and after the last round (`is_finished`). The bots in `withdrawn` have
        withdrawn.
        """

    @abstractmethod
    def add(self, new_round: R) -> None:
        """Add the next round. Raises ValueError if the round cannot be next."""

    @abstractmethod
    def is_finished(self, results: Mapping[MatchKey, P], withdrawn: Collection[int] = ()) -> bool:
        """Return whether no further round will come."""

    @abstractmethod
    def matches_total(self, results: Mapping[MatchKey, P], withdrawn: Collection[int] = ()) -> int:
        """Return the number of matches in the whole tournament, as far as known now."""

    def late_round(self) -> R:
        """Give the next number to a bot that joins late, and return its matches as a round, which is not to be added.

        Raises ValueError if the schedule takes no late joiner.
        """
        raise ValueError("only a round-robin of matches of two seats takes a late bot")

    def stop_reason(self, results: Mapping[MatchKey, P], withdrawn: Collection[int] = ()) -> str:
        """Return the reason why the schedule finished before its last round; empty in any other case."""
        return ""

    def places(self, results: Mapping[MatchKey, P], withdrawn: Collection[int] = ()) -> dict[int, int]:
        """Return the rank of each bot; empty for a schedule without a bracket."""
        return {}
