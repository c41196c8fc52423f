"""Virtual time: a clock that jumps from timer to timer."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Timer:
    """A callback due at a time."""

    when_ms: int
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True

    def fire(self) -> None:
        if not self.cancelled:
            self.callback()


class VirtualClock:
    """A clock that stands still until the next timer runs."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms
        self.late_ms = 0
        self.suspended_until_ms = 0
        self.end_iteration: Callable[[], None] = lambda: None
        """Function called before time passes, and after each callback of a timer."""
        self._timers: list[tuple[int, int, Timer]] = []
        """Timers by time; timers of the same time run in the order of their creation."""
        self._numbers = itertools.count()

    @property
    def lateness(self) -> "VirtualClock":
        return self

    def now_ms(self) -> int:
        return self._now_ms

    def measure_lateness(self, is_wanted: Callable[[], bool]) -> None:
        """Check that lateness is wanted at first, and do no more: only `stall` makes a virtual server late."""
        assert is_wanted()

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = Timer(max(when_ms, self._now_ms), callback)
        heapq.heappush(self._timers, (timer.when_ms, next(self._numbers), timer))
        return timer

    def call_in(self, ms: int, callback: Callable[[], None]) -> None:
        self.call_at(self._now_ms + ms, callback)

    def after_input(self, callback: Callable[[], None]) -> Timer:
        return self.call_at(self._now_ms, callback)

    def step(self, until_ms: int | None = None) -> bool:
        """Run the next timer due by `until_ms`; return False if there is none."""
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        if not self._timers or (until_ms is not None and self._timers[0][0] > until_ms):
            return False
        timer = heapq.heappop(self._timers)[2]
        self._now_ms = max(self._now_ms, timer.when_ms)
        timer.callback()
        self.end_iteration()
        return True

    def stall(self, ms: int) -> None:
        """Stop the server for `ms` ms; timers due meanwhile are late."""
        self._now_ms += ms
        self.late_ms += ms

    def advance(self, ms: int) -> None:
        """Let `ms` ms pass, and run all timers due meanwhile."""
        self.end_iteration()
        until_ms = self._now_ms + ms
        while self.step(until_ms):
            pass
        self._now_ms = until_ms
