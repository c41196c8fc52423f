"""How late the event loop is, measured all the time."""

import asyncio

from rumble_server.histogram import Histogram

BEAT_S = 0.1
"""Time in s between two measurements: a timer is set, and is late by as long as the loop was at work."""


class LoopLag:
    """Measures from `start` to `stop`."""

    def __init__(self) -> None:
        self.newest_s = 0.0
        self.all = Histogram()
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(BEAT_S, self._beat, loop, loop.time() + BEAT_S)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _beat(self, loop: asyncio.AbstractEventLoop, due_s: float) -> None:
        self.newest_s = max(0.0, loop.time() - due_s)
        self.all.observe(self.newest_s)
        self.start(loop)
