"""The outbox: at the end of a turn of the loop each connection writes all its frames at once.

A bot with several matches is often asked in several matches at once. A result, the start of the next match and its
first turn are sent together, too. A single write saves system calls, which cost more than making the frames.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from rumble_server.host.histogram import Histogram

NOTICED_S = 0.001
"""Maximum waiting time of frames, in s, that is not noted, because clocks count in ms."""
MOST_NOTED = 256
"""Maximum number of notes about waiting frames; the newest notes are kept. A write makes at most one note."""
MOST_WAITING = 256
"""Number of waiting connections that write without waiting for the end of the turn, so that the first is not late."""


class OutboxConnection(Protocol):
    """A connection with frames to write."""

    def write_out(self) -> None: ...


def at_end_of_turn(callback: Callable[[], None]) -> None:
    """Call back when this turn of the running loop has ended."""
    asyncio.get_running_loop().call_soon(callback)


class Outbox:
    """The connections with frames to write in this turn of the loop. `later` calls a function when the turn ends."""

    __slots__ = ("_began_s", "_later", "_noted", "_waiting", "latency")

    def __init__(self, later: Callable[[Callable[[], None]], None] = at_end_of_turn) -> None:
        self._later = later
        self._waiting: list[OutboxConnection] = []
        self._began_s = 0.0
        self._noted: deque[tuple[float, float]] = deque(maxlen=MOST_NOTED)
        """Notes of long waits: when frames began to wait, and when the frames were written, in s (`perf_counter`)."""
        self.latency = Histogram()
        """Histogram of times in s, from the first frame of a turn of the loop to the end of all writes."""

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
            # Noted before the first write, so that a stall during later writes does not excuse a bot that already has
            # its frame.
            began_s, writing_s = self._began_s, perf_counter()
            if writing_s - began_s > NOTICED_S:
                self._noted.append((began_s, writing_s))
            for writer in waiting:
                writer.write_out()
            self.latency.observe(perf_counter() - began_s)

    def waited_ms(self, ago_ms: int) -> int:
        """Return for how many ms a frame that was sent `ago_ms` ago waited to be written."""
        sent_s = perf_counter() - ago_ms / 1000
        for began_s, wrote_s in reversed(self._noted):
            if sent_s > wrote_s:
                break
            if sent_s >= began_s - NOTICED_S:  # `ago_ms` is in whole ms, so `sent_s` may be a ms too early
                return int((wrote_s - sent_s) * 1000)
        return 0
