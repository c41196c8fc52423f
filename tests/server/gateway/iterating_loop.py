"""A loop and a clock for tests of the time budget of an iteration."""

from collections.abc import Callable
from itertools import count

from rumble_server.gateway.read_fairness import ReadFairness


class Loop:
    """A loop that keeps callbacks for the next iteration, with a clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self._ticks = count()

    def fairness(self, pieces: int) -> ReadFairness:
        """Return a budget with time for `pieces` pieces of work in an iteration."""
        return ReadFairness(pieces * 1000, lambda callback: self.due.append(callback), lambda: next(self._ticks))

    def iterate(self) -> None:
        due, self.due = self.due, []
        for each in due:
            each()
