from collections.abc import Callable
from typing import Any

from rumble_server.loop_lag import BEAT_S, LoopLag


class FakeLoop:
    """A loop whose one timer runs when the test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.timer: Callable[[], None] | None = None

    def time(self) -> float:
        return self.now_s

    def call_later(self, _delay_s: float, callback: Callable[..., None], *given: Any) -> "FakeLoop":
        self.timer = lambda: callback(*given)
        return self

    def cancel(self) -> None:
        self.timer = None

    def run_after(self, late_s: float) -> None:
        self.now_s += BEAT_S + late_s
        assert self.timer is not None
        self.timer()


def test_a_loop_that_is_held_up_is_late_by_as_long() -> None:
    lag, loop = LoopLag(), FakeLoop()
    lag.start(loop)  # type: ignore[arg-type]
    loop.run_after(0.0)
    loop.run_after(0.3)
    assert round(lag.newest_s, 6) == round(lag.all.sum_s, 6) == 0.3
    loop.run_after(-0.01)
    assert lag.newest_s == 0
    assert (dict(lag.all.buckets())["0.25"], dict(lag.all.buckets())["0.5"]) == (2, 3)
    lag.stop()
    assert loop.timer is None
