"""Server time on an asyncio loop: the clock that the arena and the sessions are given."""

import asyncio
from collections.abc import Callable

BEAT_MS = 10
"""How often the loop is to come round while the clock is watched, in ms."""
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
        self.late_ms = 0
        """How long the loop was late in all while it was watched, up to the newest `now_ms`."""
        self._seen_at_ms = 0
        """When the loop was last seen at work, or its lateness since then was counted."""
        self._late_from_ms = NEVER
        """When the loop is late if it has not come round before."""

    def now_ms(self) -> int:
        """Return the server time in ms. After a stall this, or the next beat, is the first to run: both notice it."""
        now_ms = int((self._loop.time() + self._offset_s) * 1000)
        if now_ms >= self._late_from_ms:
            self.late_ms += now_ms - self._seen_at_ms
        self._seen_at_ms = now_ms
        return now_ms

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Measure how late the loop is, until `is_wanted` says no."""
        if self._late_from_ms == NEVER:
            self._beat_next(self.now_ms(), is_wanted)

    def _beat(self, is_wanted: Callable[[], bool]) -> None:
        now_ms = self.now_ms()
        if is_wanted():
            self._beat_next(now_ms, is_wanted)
        else:
            self._late_from_ms = NEVER

    def _beat_next(self, now_ms: int, is_wanted: Callable[[], bool]) -> None:
        self._late_from_ms = now_ms + LATE_MS
        self._loop.call_later(BEAT_MS / 1000, self._beat, is_wanted)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back when server time is at least `when_ms`."""
        return self._loop.call_at((when_ms + 0.5) / 1000 - self._offset_s, callback)

    def after_input(self, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back once the frames that were received before this call have been handled."""
        return self._loop.call_later(INPUT_MS / 1000, callback)
