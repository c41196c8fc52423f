"""Time of one run of the server: it ends with the run, and stands still for it while it is stalled."""

from collections.abc import Callable

from rumble_server.gateway.loop_clock import LATE_MS

from tests.server.world import VirtualClock


class Timer:
    """A callback of a run that can be cancelled."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def fire(self) -> None:
        if self._callback is not None:
            self._callback()


class RunClock:
    """The `Clock` of one run. Whatever happens to the server goes through `enter`."""

    def __init__(self, timeline: VirtualClock) -> None:
        self.suspended_until_ms = 0
        self._timeline = timeline
        self._stalled_until_ms = 0
        self.stopped = False
        self.late_ms = 0

    def now_ms(self) -> int:
        return self._timeline.now_ms()

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Only `stall` makes this server late."""

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = Timer(callback)
        self._timeline.call_at(when_ms, lambda: self.enter(timer.fire))
        return timer

    def after_input(self, callback: Callable[[], None]) -> Timer:
        """Everything that is due by now was put on the timeline before this, and so comes first."""
        return self.call_at(self.now_ms(), callback)

    def enter(self, callback: Callable[[], None]) -> None:
        """Do something in the server: at once, after the stall, or never if it is not there any more."""
        if self.stopped:
            return
        if self.is_stalled:
            self._timeline.call_at(self._stalled_until_ms, lambda: self.enter(callback))
        else:
            callback()

    @property
    def is_stalled(self) -> bool:
        """Whether the server does nothing at the moment."""
        return self.now_ms() < self._stalled_until_ms

    def stall(self, ms: int) -> None:
        """The server does nothing for so long; timers and frames wait in their order. It notices what is long."""
        self._stalled_until_ms = self.now_ms() + ms
        if ms >= LATE_MS:
            self.late_ms += ms  # nothing reads it before the stall is over
