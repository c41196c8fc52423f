"""The outbox: at the end of a turn of the loop each connection writes all its frames at once.

A bot that plays several matches is often asked in several at once, and a result, the next start and its first turn
belong together; a system call costs more than all that made the frame.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from rumble_server.histogram import Histogram

NOTICED_S = 0.001
"""Time in s for which frames may wait here unnoticed: what clocks count is ms."""
MOST_NOTED = 256
"""Maximum number of turns of the loop for which it is known that their frames waited; the newest are."""
MOST_WAITING = 256
"""Maximum number of connections that wait; one more has all of them written at once, so that the first is not late."""


class Writer(Protocol):
    """A connection with frames to write."""

    def write_out(self) -> None: ...


def at_end_of_turn(callback: Callable[[], None]) -> None:
    """Call back when this turn of the running loop has ended."""
    asyncio.get_running_loop().call_soon(callback)


class Outbox:
    """The connections that have something to write in this turn of the loop; `later` calls back at its end."""

    __slots__ = ("_began_s", "_later", "_noted", "_waiting", "latency")

    def __init__(self, later: Callable[[Callable[[], None]], None] = at_end_of_turn) -> None:
        self._later = later
        self._waiting: list[Writer] = []
        self._began_s = 0.0
        self._noted: deque[tuple[float, float]] = deque(maxlen=MOST_NOTED)
        """When frames began to wait, and when they were written, where that took long; in s of `perf_counter`."""
        self.latency = Histogram()
        """Time from the first frame of a turn of the loop until all of them were written."""

    def add(self, writer: Writer) -> None:
        """Queue a connection with its first pending frame; may flush at once."""
        waiting = self._waiting
        waiting.append(writer)
        if len(waiting) == 1:
            self._began_s = perf_counter()
            self._later(self._write)
        elif len(waiting) >= MOST_WAITING:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            # Before the first is written: a stop in the midst of it excuses nobody who has its frame already.
            began_s, writing_s = self._began_s, perf_counter()
            if writing_s - began_s > NOTICED_S:
                self._noted.append((began_s, writing_s))
            for writer in waiting:
                writer.write_out()
            self.latency.observe(perf_counter() - began_s)

    def waited_ms(self, ago_ms: int) -> int:
        """Return for how long a frame that was sent `ago_ms` ago waited to be written, in ms."""
        sent_s = perf_counter() - ago_ms / 1000
        for began_s, wrote_s in reversed(self._noted):
            if sent_s > wrote_s:
                break
            if sent_s >= began_s - NOTICED_S:
                return int((wrote_s - sent_s) * 1000)
        return 0
