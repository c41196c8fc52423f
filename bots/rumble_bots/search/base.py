"""The base class of all searches: values of positions, counts of nodes, and the clock.

A value is from the view of the seat to move: 1 for a win, 0 for a draw, -1 for a loss. Where a search stops early, the
value is an estimate between -1 and 1. Searches are for games of two seats in which the scores add up to 1. A short win
has the same value as a long win, so equal moves are common. A search takes the first of equal moves, in the order of
`State.codes`.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from rumble_engine import JointState, State

END = math.inf
"""Depth, in plies, that means a search to the end of the game."""
Clock = Callable[[], float]
"""Function that returns the time in s from some fixed moment. The time never goes back."""


class OutOfTime(Exception):
    """The error that stops a search at its time limit or its maximum number of nodes. `think` catches it."""


def hides(state: State) -> bool:
    """Return true if the game of `state` hides plies from some seats."""
    return type(state).seen is not State.seen


def beyond_two(state: State) -> str:
    """Return an empty text if two seats move in turn, without chance and without secrets.

    For any other game, return the difference, such as "seats move at the same time".
    """
    if isinstance(state, JointState):
        return "seats move at the same time"
    if state.seats > 2:
        return f"{state.seats} seats play"
    if hides(state):
        return "something is hidden"
    return "" if type(state).is_chance is State.is_chance else "chance takes part"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: the code of a move, and the move's value."""

    code: int
    value: float
    second: float | None = None
    """Second value, by which `streetwise` chooses among moves of equal value; None in the results of other searches."""
    complete: bool = True
    """True if the value follows only from ends of the game, without estimates."""


class Tally:
    """A counter of the nodes of a search. It stops the search at its deadline, or after `most_nodes`.

    A node is a position whose value was searched, including the root. Values found in a table do not count.
    """

    __slots__ = ("clock", "deadline", "depth", "guesses", "most_nodes", "nodes")

    def __init__(
        self, limit_ms: float | None = None, clock: Clock = time.monotonic, most_nodes: float = math.inf
    ) -> None:
        self.nodes = 0
        self.most_nodes = most_nodes
        self.depth: int | None = None
        """Last completed depth in plies; None for a search to the end of the game."""
        self.guesses = 0
        """Number of values that were only estimates."""
        self.clock = clock
        self.deadline = None if limit_ms is None else clock() + limit_ms / 1000

    def visit(self) -> None:
        """Count a node. Raises OutOfTime at the deadline or the maximum number of nodes."""
        self.nodes += 1
        if self.nodes > self.most_nodes or (self.deadline is not None and self.clock() >= self.deadline):
            raise OutOfTime

    def guess(self, state: State) -> float:
        """Return the estimated value of `state`, and add 1 to `guesses`."""
        self.guesses += 1
        return state.estimate()


def play_rounds(rounds: float, tally: Tally, play: Callable[[], object]) -> None:
    """Call `play`, which plays a round, `rounds` times, or less often if time runs out, but at least once."""
    played = 0
    try:
        while played < rounds:
            tally.visit()
            play()
            played += 1
    except OutOfTime:
        if not played:
            play()


class Search(ABC):
    """A way to search the value of a position. A search may keep a table between calls."""

    prunes = False
    """True if the search leaves out moves that cannot change the result."""
    node_limit = 200_000
    """Maximum number of nodes (about 3 s) of a search to the end of the game, if the search has no time limit."""

    @abstractmethod
    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """Return the value of `state` from the values of its moves.

        The game must not be over, and `depth` must be above 0.
        """

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        """Return the value of `state`, from a search of `depth` plies. Raises OutOfTime.

        A value between `alpha` and `beta` is exact; a value outside may be only a bound.
        """
        tally.visit()
        outcome = state.outcome
        if outcome is not None:
            return 2 * outcome.scores[state.to_move] - 1
        if depth <= 0:
            return tally.guess(state)
        return self.beyond(state, depth, tally, alpha, beta)

    def after(
        self, state: State, code: int, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0
    ) -> float:
        """Return the value of the move `code`, for the seat that makes the move."""
        later = state.after(code)
        if later.to_move == state.to_move:
            return self.value(later, depth - 1, tally, alpha, beta)
        return -self.value(later, depth - 1, tally, -beta, -alpha)

    def best(self, state: State, depth: float, tally: Tally) -> Found:
        """Return the first move with the highest value. Raises OutOfTime."""
        tally.visit()
        guesses = tally.guesses
        chosen, best = -1, -math.inf
        for code in state.codes():
            value = self.after(state, code, depth, tally, max(best, -1.0))
            if value > best:
                chosen, best = code, value
            if self.prunes and best >= 1:
                break
        return Found(chosen, best + 0.0, complete=tally.guesses == guesses)  # + 0.0: a draw is 0.0, never -0.0

    def line(self, state: State, code: int) -> list[str]:
        """Return the expected moves from `state` on, beginning with `code`.

        A search with a table may return more moves than `code` alone.
        """
        return [state.text_of(code)]
