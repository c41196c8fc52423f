"""The outbox: at the end of a turn of the loop each connection writes all its frames at once.

A bot that plays several matches is often asked in several at once, and a result, the next start and its first turn
belong together; a system call costs more than all that made the frame.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from rumble_server.histogram import Histogram

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

    __slots__ = ("_began_s", "_later", "_waiting", "latency")

    def __init__(self, later: Callable[[Callable[[], None]], None] = at_end_of_turn) -> None:
        self._later = later
        self._waiting: list[Writer] = []
        self._began_s = 0.0
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
        for writer in waiting:
            writer.write_out()
        if waiting:
            self.latency.observe(perf_counter() - self._began_s)
