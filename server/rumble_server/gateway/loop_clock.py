"""Server time on an asyncio loop, and how late the loop is: the clock that the arena and the sessions are given."""

import asyncio
from collections.abc import Callable

from rumble_server.histogram import Histogram

BEAT_MS, REST_MS = 10, 100
"""How often the loop is to come round while the clock is watched, in ms; and otherwise, for the metrics."""
LATE_MS = 20
"""How long a loop may not come round before it is late, in ms: it is then late since it was last seen at work."""
INPUT_MS = 1
"""A timer this many ms ahead runs after the loop has read its sockets once more (libuv runs due timers first)."""


NEVER = 1 << 62
"""In the place of a time in ms: the loop is not watched."""


class LoopClock:
    """Milliseconds since the epoch at the start, and from then on as the loop counts: it never goes back."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wall_s: float) -> None:
        self._loop = loop
        self._offset_s = wall_s - loop.time()
        self.suspended_until_ms = 0
        self.late_ms = 0
        """How long the loop was late in all while it was watched, up to the newest `now_ms`."""
        self._seen_at_ms = 0
        """When the loop was last seen at work, or its lateness since then was counted."""
        self._late_from_ms = NEVER
        """When the loop is late if it has not come round before."""
        self._watchers: set[Callable[[], bool]] = set()
        """What tells of each of those who watch whether it is still wanted."""
        self._is_measured = False
        self._timer: asyncio.TimerHandle | None = None
        self.lag_s = 0.0
        """How late the newest beat came."""
        self.lags = Histogram()
        """How late all of them came."""

    def now_ms(self) -> int:
        """Return the server time in ms. After a stall this, or the next beat, is the first to run: both notice it."""
        now_ms = int((self._loop.time() + self._offset_s) * 1000)
        if now_ms >= self._late_from_ms:
            self.late_ms += now_ms - self._seen_at_ms
        self._seen_at_ms = now_ms
        return now_ms

    def measure(self) -> None:
        """Measure from now on how late the loop is also where nobody watches, until `stop`."""
        self._is_measured = True
        self._beat_next()

    def stop(self) -> None:
        """Beat no more."""
        self._is_measured = False
        self._watchers.clear()
        self._beat_next()

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Count how late the loop is, until `is_wanted` says no; so do all others who watch."""
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
        return self._loop.call_at((when_ms + 0.5) / 1000 - self._offset_s, callback)

    def after_input(self, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back once the frames that were received before this call have been handled."""
        return self._loop.call_later(INPUT_MS / 1000, callback)
