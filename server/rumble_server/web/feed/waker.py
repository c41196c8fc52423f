"""A queue through which the readers of feeds are woken, a few in each iteration of the event loop.

If thousands of readers were woken at once, moves would be delayed by tenths of a second.
Each `feed.Feed` has a waker for all readers of its club.
"""

from collections.abc import Callable
from itertools import islice

from rumble_server.arena.ports import Clock

READERS_AT_ONCE = 100
"""Maximum number of readers woken in an iteration of the event loop; sending to a reader takes about 40 us."""

Resume = Callable[[], None]
"""A function that lets a sleeping reader continue. A reader's functions are equal."""


class Waker:
    """A queue of readers to wake, in the order of the calls of `wake`. A reader in the queue is not queued again."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._room = READERS_AT_ONCE
        self._waiting: dict[Resume, None] = {}
        self._is_armed = False

    def wake(self, resume: Resume) -> None:
        """Wake a reader: now, or after `READERS_AT_ONCE` readers in an iteration of the event loop, later."""
        if not self._is_armed:
            self._is_armed = True
            self._clock.after_input(self._on_next_iteration)
        if self._room > 0:
            self._room -= 1
            resume()
        else:
            self._waiting[resume] = None

    def _on_next_iteration(self) -> None:
        self._is_armed, self._room = False, READERS_AT_ONCE
        for resume in list(islice(self._waiting, READERS_AT_ONCE)):
            del self._waiting[resume]
            self.wake(resume)
