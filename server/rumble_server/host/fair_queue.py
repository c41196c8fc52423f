"""The order of tasks that are served one at a time.

Addresses are served in rotation. Each time, the oldest task of the address is served.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from math import ceil
from time import perf_counter

MOST_WAITING_TASKS = 64
"""Maximum number of waiting tasks. If there are more, the newest task of the address with the most tasks is refused."""


class Crowded(Exception):
    """Raised when an address asks for more than its share. The text of the error is for people."""

    def __init__(self) -> None:
        super().__init__("too much work for your address; try again in a minute")


class Asker:
    """The sender of a request whose tasks are queued. `address` is empty for the server's own tasks."""

    def __init__(
        self,
        address: str = "",
        may_ask: Callable[[], bool] = lambda: True,
        spend: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Make an asker. `may_ask` returns true if the address has time left. `spend` counts used time in ms."""
        self.address = address
        self.spend = spend
        self.is_served = False
        """True after a task was served. Further tasks of the request then come before other requests of the address."""
        self._may_ask = may_ask
        self._has_begun = False

    def begin(self) -> None:
        """Begin the request with its first task. Raises Crowded if the address has no time left for the request.

        Later tasks of the request are not checked.
        """
        if not self._has_begun and not self._may_ask():
            raise Crowded
        self._has_begun = True


_asker: ContextVar[Asker] = ContextVar("asker")


def set_asker(asker: Asker) -> None:
    """Set the asker of the current asyncio task, and of the tasks that it starts."""
    _asker.set(asker)


def current_asker() -> Asker:
    """Return the asker of the current asyncio task."""
    return _asker.get(None) or Asker()


class FairQueue:
    """A queue that serves one task at a time."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Waiting tasks of each address. The first address is served next."""
        self._is_taken = False

    @asynccontextmanager
    async def service(self) -> AsyncIterator[None]:
        """Wait until the task is served. The time that the `async with` block takes is charged to the asker.

        Raises Crowded if the address asks for more than its share.
        """
        asker = current_asker()
        asker.begin()
        if self._is_taken:
            await self._wait(asker)
        self._is_taken = asker.is_served = True
        began_s = perf_counter()
        try:
            yield
        finally:
            asker.spend(ceil((perf_counter() - began_s) * 1000))
            self._serve_next()

    async def _wait(self, asker: Asker) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiters = self._waiting.setdefault(asker.address, deque())
        (waiters.appendleft if asker.is_served else waiters.append)(waiter)
        if sum(map(len, self._waiting.values())) > MOST_WAITING_TASKS:
            newest = max(self._waiting.values(), key=len).pop()
            if not newest.done():
                newest.set_exception(Crowded())
        try:
            await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled() and waiter.exception() is None:  # served just before the cancellation
                self._serve_next()
            raise

    def _serve_next(self) -> None:
        self._is_taken = False
        while self._waiting and not self._is_taken:
            address = next(iter(self._waiting))
            waiters = self._waiting.pop(address)
            while waiters and not self._is_taken:
                waiter = waiters.popleft()
                if not waiter.done():  # a waiter that is done was cancelled
                    self._is_taken = True
                    waiter.set_result(None)
            if waiters:
                self._waiting[address] = waiters
