"""The turns of the loop that connections take to read what came in.

Moves are handled as they come. A connection that has more to read than one turn of the loop allows it stops reading
from its socket, and goes on in the next turn, after those that waited before it. So nobody makes others wait for long,
however many bytes a socket hands over at once, and however many sockets do so.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol


class Reader(Protocol):
    """A connection with bytes to read."""

    def read_on(self) -> None:
        """Handle as much of what waits as one turn allows; wait again with the rest."""


def next_turn(callback: Callable[[], None]) -> None:
    """Call back in the next turn of the running loop."""
    asyncio.get_running_loop().call_soon(callback)


class Turns:
    """The connections that wait, and what all together may still read in this turn of the loop.

    `most` is the maximum number of uncommon frames (all but whole texts) in a turn; `later` calls back in the next.
    """

    __slots__ = ("_is_due", "_later", "_most", "_waiting", "left")

    def __init__(self, most: int, later: Callable[[Callable[[], None]], None] = next_turn) -> None:
        self._most = most
        self._later = later
        self._waiting: deque[Reader] = deque()
        self._is_due = False
        self.left = most
        """How many uncommon frames may still be read in this turn."""

    def spend(self, frames: int) -> None:
        """Count uncommon frames that were read."""
        self.left -= frames
        self._call()

    def wait(self, reader: Reader) -> None:
        """Have a connection read on in its turn."""
        self._waiting.append(reader)
        self._call()

    def _call(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._later(self._begin)

    def _begin(self) -> None:
        self._is_due = False
        self.left = self._most
        for _ in range(len(self._waiting)):
            if self.left <= 0:
                break
            self._waiting.popleft().read_on()
        if self._waiting:
            self._call()
