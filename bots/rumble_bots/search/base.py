"""What every search shares: how a position is valued, how nodes are counted, how the clock stops it.

A value is from the view of the seat to move: 1 a win, 0 a draw, -1 a loss, and between them an estimate where
the search stopped early. Games here have two seats and one point to share. How long a win takes does not matter
to its value, so equal moves are common; the first of them, in the order of `State.codes`, is taken.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from rumble_engine import State

END = math.inf
"""The depth, in plies, of a search to the end of the game."""

Clock = Callable[[], float]
"""Tells the time in seconds from some fixed moment, and never goes back."""


class OutOfTime(Exception):
    """The search was stopped by its clock; `think` catches it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: a move (as a code) and its value."""

    code: int
    value: float
    second: float | None = None
    """What chose between moves of this same value, if anything did."""
    complete: bool = True
    """Whether the value was worked out to the end of the game everywhere, with no estimate in it."""


class Tally:
    """Counts the nodes of a search and stops it at its deadline.

    A node is a position whose value was worked out, the root included; a value found in a table costs none.
    """

    __slots__ = ("clock", "deadline", "guesses", "nodes")

    def __init__(self, limit_ms: float | None = None, clock: Clock = time.monotonic) -> None:
        self.nodes = 0
        self.guesses = 0
        """How many values rested on an estimate."""
        self.clock = clock
        self.deadline = None if limit_ms is None else clock() + limit_ms / 1000

    def visit(self) -> None:
        """Count a node. Raises OutOfTime at the deadline: reading the clock costs far less than a node does."""
        self.nodes += 1
        if self.deadline is not None and self.clock() >= self.deadline:
            raise OutOfTime

    def guess(self, state: State) -> float:
        """The estimate of `state`, remembered as one."""
        self.guesses += 1
        return state.estimate()


class Search(ABC):
    """A way to find the value of a position. What it has learned it may keep for the next time."""

    prunes = False
    """Whether it leaves out moves that cannot change the result."""

    @abstractmethod
    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """The value of `state`, where the game is not over and `depth` is left, from the values of its moves."""

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        """The value of `state` looking `depth` plies ahead.

        Exact if it is from `alpha` to `beta`; below or above them it may be only a bound. Raises OutOfTime.
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
        """The value of the move `code`, from the view of who makes it: usually the other side of its result's."""
        later = state.after(code)
        if later.to_move == state.to_move:
            return self.value(later, depth - 1, tally, alpha, beta)
        return -self.value(later, depth - 1, tally, -beta, -alpha)

    def best(self, state: State, depth: float, tally: Tally) -> Found:
        """The first move of the highest value. Raises OutOfTime."""
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
