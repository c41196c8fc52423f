"""The outbox: at the end of a turn of the loop each connection writes all its frames at once.

A bot with several matches is often asked in several of them at once, and a result, the next start and its first turn
belong together; a system call costs more than making the frame.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from rumble_server.host.histogram import Histogram

NOTICED_S = 0.001
"""Waiting time of frames in s that need not be noted, since clocks count in ms."""
MOST_NOTED = 256
"""Maximum number of notes about waiting frames, a note for a turn of the loop; the newest are kept."""
MOST_WAITING = 256
"""Number of waiting connections at which all write at once, so that the first is not late."""


class OutboxConnection(Protocol):
    """A connection with frames to write."""

    def write_out(self) -> None: ...


def at_end_of_turn(callback: Callable[[], None]) -> None:
    """Call back when this turn of the running loop has ended."""
    asyncio.get_running_loop().call_soon(callback)


class Outbox:
    """The connections with frames to write in this turn of the loop; `later` calls back at the end of the turn."""

    __slots__ = ("_began_s", "_later", "_noted", "_waiting", "latency")

    def __init__(self, later: Callable[[Callable[[], None]], None] = at_end_of_turn) -> None:
        self._later = later
        self._waiting: list[OutboxConnection] = []
        self._began_s = 0.0
        self._noted: deque[tuple[float, float]] = deque(maxlen=MOST_NOTED)
        """Times in s (`perf_counter`) at which frames began to wait and were written, where the wait was long."""
        self.latency = Histogram()
        """Time from the first frame of a turn of the loop until the end of all writes."""

    def add(self, writer: OutboxConnection) -> None:
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
            # Noted before the first write: a bot that already has its frame is not excused for a stop during later
            # writes.
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
            if sent_s >= began_s - NOTICED_S:  # `ago_ms` is in whole ms, so `sent_s` may be a ms too early
                return int((wrote_s - sent_s) * 1000)
        return 0
