"""The base of every search: the value of a position, the count of nodes, the clock.

A value is from the view of the seat to move: 1 for a win, 0 for a draw, -1 for a loss; an estimate, where the search
stopped early, lies between. Games here have two seats and a single point to share. The length of a win does not change
its value, so equal moves are common; a search takes the first of them in the order of `State.codes`.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from rumble_engine import JointState, State

END = math.inf
"""The depth, in plies, of a search to the end of the game."""
Clock = Callable[[], float]
"""Returns the time in seconds from some fixed moment, and never goes back."""


class OutOfTime(Exception):
    """A search was stopped by its clock or its bound of nodes; `think` catches this error."""


def hides(state: State) -> bool:
    """Return whether the game of `state` hides plies from some seats."""
    return type(state).seen is not State.seen


def beyond_two(state: State) -> str:
    """Return a clause about the game's difference from open play of two seats in turn; empty without a difference."""
    if isinstance(state, JointState):
        return "seats move at the same time"
    if state.seats > 2:
        return f"{state.seats} seats play"
    if hides(state):
        return "something is hidden"
    return "" if type(state).is_chance is State.is_chance else "chance takes part"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: a move (as a code) and its value."""

    code: int
    value: float
    second: float | None = None
    """The second value, by which `streetwise` decides between moves of the same value; None without a second value."""
    complete: bool = True
    """True if the value rests on ends of the game alone, not on estimates."""


class Tally:
    """Counts the nodes of a search, and stops the search at its deadline or after `most_nodes`.

    A node is a position whose value was searched, the root included; a value found in a table does not count.
    """

    __slots__ = ("clock", "deadline", "depth", "guesses", "most_nodes", "nodes")

    def __init__(
        self, limit_ms: float | None = None, clock: Clock = time.monotonic, most_nodes: float = math.inf
    ) -> None:
        self.nodes = 0
        self.most_nodes = most_nodes
        self.depth: int | None = None
        """The last finished depth in plies; None for a search to the end of the game."""
        self.guesses = 0
        """Number of values that were estimates."""
        self.clock = clock
        self.deadline = None if limit_ms is None else clock() + limit_ms / 1000

    def visit(self) -> None:
        """Count a node. Raises OutOfTime at a limit; reading the clock costs far less than a node."""
        self.nodes += 1
        if self.nodes > self.most_nodes or (self.deadline is not None and self.clock() >= self.deadline):
            raise OutOfTime

    def guess(self, state: State) -> float:
        """Return the estimate of `state`, and count it."""
        self.guesses += 1
        return state.estimate()


class Search(ABC):
    """A way to find the value of a position. A search may keep a table from call to call."""

    prunes = False
    """True if the search leaves out moves that cannot change the result."""
    patience = 200_000
    """Number of nodes (some 3 s) after which a search to the end of the game is given up, if no time is chosen."""

    @abstractmethod
    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """Return the value of `state` from the values of its moves; the game is not over, and `depth` is above 0."""

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        """Return the value of `state` looking `depth` plies ahead.

        A value from `alpha` to `beta` is exact; a value outside may be only a bound. Raises OutOfTime.
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
        """Return the value of the move `code` for the seat that makes the move."""
        later = state.after(code)
        if later.to_move == state.to_move:
            return self.value(later, depth - 1, tally, alpha, beta)
        return -self.value(later, depth - 1, tally, -beta, -alpha)

    def best(self, state: State, depth: float, tally: Tally) -> Found:
        """Return the first move of the highest value. Raises OutOfTime."""
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
        """Return the moves expected from `state` on, `code` first, as far as the search remembers them."""
        return [state.text_of(code)]
