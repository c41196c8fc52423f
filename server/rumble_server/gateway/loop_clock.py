"""Server time on an asyncio loop: the clock that the arena and the sessions are given."""

import asyncio
from collections.abc import Callable

INPUT_MS = 1
"""A timer this many ms ahead runs after the loop has read its sockets once more (libuv runs due timers first)."""


class LoopClock:
    """Milliseconds since the epoch at the start, and from then on as the loop counts: it never goes back."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wall_s: float) -> None:
        self._loop = loop
        self._offset_s = wall_s - loop.time()

    def now_ms(self) -> int:
        """Return the server time in ms."""
        return int((self._loop.time() + self._offset_s) * 1000)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back when server time is at least `when_ms`."""
        return self._loop.call_at((when_ms + 0.5) / 1000 - self._offset_s, callback)

    def after_input(self, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back once the frames that were received before this call have been handled."""
        return self._loop.call_later(INPUT_MS / 1000, callback)
