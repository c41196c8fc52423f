"""A loop whose time and timers are in the test's hands."""

from collections.abc import Callable
from functools import partial


class Timer:
    """A timer of a loop."""

    def __init__(self, loop: "HandLoop", due_s: float, call: Callable[[], None]) -> None:
        self._loop = loop
        self.due_s = due_s
        self.call = call

    def cancel(self) -> None:
        if self in self._loop.timers:
            self._loop.timers.remove(self)


class HandLoop:
    """A loop whose time is set by the test, and whose timers run on the test's word."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now_s

    def call_later(self, delay_s: float, callback: Callable[..., None], *given: object) -> Timer:
        self.timers.append(Timer(self, self.now_s + delay_s, partial(callback, *given)))
        return self.timers[-1]

    def pass_ms(self, ms: float) -> None:
        """Pass some ms in which the loop is busy, or stopped, and runs no timer."""
        self.now_s += ms / 1000

    def come_round(self) -> None:
        """Run the due timers."""
        for timer in [timer for timer in self.timers if timer.due_s <= self.now_s]:
            timer.cancel()
            timer.call()

    def run_ms(self, ms: int) -> None:
        """Let the loop come round each ms."""
        for _ in range(ms):
            self.pass_ms(1)
            self.come_round()
