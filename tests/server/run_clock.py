"""The clock of one run of the server: it ends with the run, and its timers wait during a stall."""

from collections.abc import Callable

from rumble_server.gateway.loop_clock import LATE_MS

from tests.server.virtual_clock import Timer, VirtualClock


class RunClock:
    """The `Clock` of one run. Every call into the server goes through `enter`."""

    def __init__(self, timeline: VirtualClock) -> None:
        self.suspended_until_ms = 0
        self._timeline = timeline
        self._stalled_until_ms = 0
        self.stopped = False
        self.late_ms = 0

    @property
    def lateness(self) -> "RunClock":
        return self

    def now_ms(self) -> int:
        return self._timeline.now_ms()

    def measure_lateness(self, is_wanted: Callable[[], bool]) -> None:
        """Do nothing: only `stall` makes this server late."""

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = Timer(when_ms, callback)
        self._timeline.call_at(when_ms, lambda: self.enter(timer.fire))
        return timer

    def after_input(self, callback: Callable[[], None]) -> Timer:
        """Call `callback` after all callbacks due by now, which are already on the timeline."""
        return self.call_at(self.now_ms(), callback)

    def enter(self, callback: Callable[[], None]) -> None:
        """Call `callback` in the server: at once, after the stall, or never if the run has ended."""
        if self.stopped:
            return
        if self.is_stalled:
            self._timeline.call_at(self._stalled_until_ms, lambda: self.enter(callback))
        else:
            callback()

    @property
    def is_stalled(self) -> bool:
        """True while the server does nothing."""
        return self.now_ms() < self._stalled_until_ms

    def stall(self, ms: int) -> None:
        """Stop the server for `ms` ms; timers and frames wait in order. The server notices `LATE_MS` or more."""
        self._stalled_until_ms = self.now_ms() + ms
        if ms >= LATE_MS:
            self.late_ms += ms  # read only after the stall
