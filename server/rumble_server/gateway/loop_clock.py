"""Server time on an asyncio loop, and the loop's lateness: the clock of the arena and the sessions."""

import asyncio
from collections.abc import Callable

from rumble_server.host.histogram import Histogram

BEAT_MS, REST_MS = 10, 100
"""Intervals in ms of the clock's timer: while the clock is watched, and while it measures for the metrics alone."""
LATE_MS = 20
"""Time in ms without a beat after which the loop counts as late. Lateness then counts from the clock's last reading."""
INPUT_MS = 1
"""Delay in ms of a timer that has to run after the loop has read its sockets (libuv runs due timers before reading)."""


NEVER = 1 << 62
"""A time in ms that never comes: the loop is not watched."""


class LoopClock:
    """Server time in ms: `wall_s` at the start, plus the loop's time since then, so that the time never goes back."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wall_s: float) -> None:
        self._loop = loop
        self._offset_s = wall_s - loop.time()
        self.suspended_until_ms = 0
        self.late_ms = 0
        """Total lateness of the loop in ms while it was watched, up to the newest `now_ms`."""
        self._seen_at_ms = 0
        """Time in ms of the clock's last reading, up to which lateness is counted."""
        self._late_from_ms = NEVER
        """Time in ms from which the loop is late, unless a beat comes before."""
        self._watchers: set[Callable[[], bool]] = set()
        """Predicates of the watchers. A predicate that returns False is removed."""
        self._is_measured = False
        self._timer: asyncio.TimerHandle | None = None
        self.lag_s = 0.0
        """Lateness of the newest beat, in s."""
        self.lags = Histogram()
        """Histogram of the lateness of all beats."""

    @property
    def lateness(self) -> "LoopClock":
        return self

    def now_ms(self) -> int:
        """Return the server time in ms. The first reading after a stall of the loop adds the stall to `late_ms`.

        The clock's own beat reads the time, too, so a stall is counted at the latest by the next beat.
        """
        now_ms = int((self._loop.time() + self._offset_s) * 1000)
        if now_ms >= self._late_from_ms:
            self.late_ms += now_ms - self._seen_at_ms
        self._seen_at_ms = now_ms
        return now_ms

    def measure(self) -> None:
        """Measure the loop's lateness from now on even without watchers, until `stop`."""
        self._is_measured = True
        self._beat_next()

    def stop(self) -> None:
        """Stop the timer, and forget the watchers."""
        self._is_measured = False
        self._watchers.clear()
        self._beat_next()

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Count the loop's lateness until `is_wanted` returns False. Several watchers share the count."""
        self._watchers.add(is_wanted)
        if self._late_from_ms == NEVER:
            self.now_ms()
            self._beat_next()

    def _beat(self, due_s: float) -> None:
        self.lag_s = max(0.0, self._loop.time() - due_s)
        self.lags.observe(self.lag_s)
        self.now_ms()
        self._beat_next()

    def _beat_next(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._watchers:
            self._watchers = {each for each in self._watchers if each()}
        is_watched = bool(self._watchers)
        self._late_from_ms = self._seen_at_ms + LATE_MS if is_watched else NEVER
        if is_watched or self._is_measured:
            beat_s = (BEAT_MS if is_watched else REST_MS) / 1000
            self._timer = self._loop.call_later(beat_s, self._beat, self._loop.time() + beat_s)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back when server time is at least `when_ms`."""
        # Half a ms is added because `now_ms` rounds down, and in the callback has to be at least `when_ms`.
        return self._loop.call_at((when_ms + 0.5) / 1000 - self._offset_s, callback)

    def after_input(self, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after the handling of all frames that were received before this call."""
        return self._loop.call_later(INPUT_MS / 1000, callback)
