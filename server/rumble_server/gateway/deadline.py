"""A timer of a connection, for one matter at a time."""

import asyncio
from collections.abc import Callable


class Deadline:
    """A timer that calls a function if a matter is not settled in time. Only a running timer refers to the function."""

    __slots__ = ("_loop", "_matter", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._matter: object = None
        """The matter for which the timer runs."""

    def begin(self, ms: int, late: Callable[[], None], matter: object = None) -> None:
        """Call `late` in `ms`. A timer for another matter is replaced, and a timer for the same matter runs on."""
        if self._timer is None or matter != self._matter:
            self.end()
            self._matter = matter
            self._timer = self._loop.call_later(ms / 1000, self._run, late)

    def end(self) -> None:
        """Cancel the timer, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self, late: Callable[[], None]) -> None:
        self._timer = None
        late()
