"""The outbox. At the end of each iteration of the event loop, each connection writes all its new frames at once.

A bot often gets several frames in one iteration of the loop, such as a result and the start of the next match. A single
write saves system calls, and these cost more than making the frames.
"""

import logging
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from rumble_server.gateway.read_fairness import next_iteration
from rumble_server.host.histogram import Histogram

log = logging.getLogger(__name__)

NOTICED_S = 0.001
"""Time in s above which a wait of frames is noted. Shorter waits do not matter, because clocks count in ms."""
MOST_NOTED = 256
"""Maximum number of notes about waiting frames. Older notes are dropped.

Each write of the outbox makes at most one note.
"""
MOST_WAITING_CONNECTIONS = 256
"""When this many connections wait, the outbox writes before the end of the loop's iteration, to bound the wait."""


class OutboxConnection(Protocol):
    """A connection that has frames to write."""

    def write_out(self) -> None: ...

    def abort(self) -> None:
        """End the connection at once."""


class Outbox:
    """The connections that have frames to write in this iteration of the loop.

    `later` calls a function after the iteration.
    """

    __slots__ = ("_began_s", "_later", "_noted", "_waiting", "latency")

    def __init__(self, later: Callable[[Callable[[], None]], None] = next_iteration) -> None:
        self._later = later
        self._waiting: list[OutboxConnection] = []
        self._began_s = 0.0
        self._noted: deque[tuple[float, float]] = deque(maxlen=MOST_NOTED)
        """Notes of long waits: the times at which frames began to wait and were written, in s of `perf_counter`."""
        self.latency = Histogram()
        """Histogram of the times in s from the first frame of an iteration of the loop to the end of the outbox's
        writes."""

    def add(self, writer: OutboxConnection) -> None:
        """Add a connection with frames to write. If too many connections wait, write all frames now."""
        waiting = self._waiting
        waiting.append(writer)
        if len(waiting) == 1:
            self._began_s = perf_counter()
            self._later(self._write)
        elif len(waiting) >= MOST_WAITING_CONNECTIONS:
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
                try:
                    writer.write_out()
                except Exception:
                    log.exception("a connection ends because its frames could not be written")
                    writer.abort()
            self.latency.observe(perf_counter() - began_s)

    def waited_ms(self, ago_ms: int) -> int:
        """Return the time in ms for which a frame waited in the outbox. The outbox got the frame `ago_ms` before now.

        Return 0 if the outbox noted no wait for that moment.
        """
        sent_s = perf_counter() - ago_ms / 1000
        for began_s, wrote_s in reversed(self._noted):
            if sent_s > wrote_s:
                break
            if sent_s >= began_s - NOTICED_S:  # `ago_ms` is in whole ms, so `sent_s` may be a ms too early
                return int((wrote_s - sent_s) * 1000)
        return 0
