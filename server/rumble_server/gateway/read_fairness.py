"""Time budget of one turn of the event loop for all requests and frames except short answers to open turns.

A reader asks for time before each piece of work. When the budget is spent, the reader waits for a later turn. Waiting
addresses are served in rotation. The budget bounds a turn for any number of sockets and addresses.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol


class WaitingReader(Protocol):
    """A connection with bytes to read, or a request."""

    @property
    def address(self) -> str:
        """Address that is charged for the work."""

    def read_on(self) -> None:
        """Handle as much of the waiting bytes as the budget of the turn allows; wait again with the rest."""


def next_turn(callback: Callable[[], None]) -> None:
    """Call back in the next turn of the running loop."""
    asyncio.get_running_loop().call_soon(callback)


class ReadFairness:
    """Waiting connections and requests. Each turn of the loop has `most_ms` for all of them together.

    `later` calls back in the next turn; `now_s` is a clock in seconds.
    """

    __slots__ = ("_ends_s", "_is_due", "_later", "_most_s", "_now_s", "_waiting", "wasted")

    def __init__(
        self,
        most_ms: int,
        later: Callable[[Callable[[], None]], None] = next_turn,
        now_s: Callable[[], float] = perf_counter,
    ) -> None:
        self._most_s = most_ms / 1000
        self._later = later
        self._now_s = now_s
        self._waiting: dict[str, deque[WaitingReader]] = {}
        """Waiting readers by address; the next address to be served is first."""
        self._is_due = False
        self._ends_s = 0.0
        """Time at which the budget of this turn ends, in s."""
        self.wasted = 0
        """Number of messages in this turn that were handled at once as answers, and answered no open turn."""

    def has_time(self) -> bool:
        """Return True if this turn has time left. The first call in a turn starts the budget."""
        now_s = self._now_s()
        if not self._is_due:
            self._ends_s = now_s + self._most_s
            self._call()
        return now_s < self._ends_s

    def wait(self, reader: WaitingReader) -> None:
        """Have a connection read on in a later turn, when its address is served."""
        self._waiting.setdefault(reader.address, deque()).append(reader)
        self._call()

    def do(self, address: str, work: Callable[[], None]) -> None:
        """Do short work at once if this turn has time left; otherwise do the work when the address is served."""
        if self.has_time():
            work()
        else:
            self.wait(_Work(address, work))

    async def come(self, address: str) -> None:
        """Return at once if this turn has time left; otherwise wait until the address is served."""
        if not self.has_time():
            request = _Request(address, self)
            self.wait(request)
            await request.turn

    def waste(self) -> None:
        """Count a message that was handled at once as an answer, and answered no open turn."""
        self.wasted += 1
        self.has_time()  # starts the budget, of which later work has the rest

    def end(self) -> None:
        """Spend the rest of this turn."""
        self._ends_s = 0.0

    def _call(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._later(self._begin)

    def _begin(self) -> None:
        self._is_due = False
        self.wasted = 0
        for _ in range(sum(map(len, self._waiting.values()))):
            if not self.has_time():
                break
            address = next(iter(self._waiting))
            readers = self._waiting.pop(address)
            reader = readers.popleft()
            if readers:
                self._waiting[address] = readers
            reader.read_on()
        if self._waiting:
            self._call()


class _Work:
    """Waiting work of a connection that has ended."""

    def __init__(self, address: str, work: Callable[[], None]) -> None:
        self.address = address
        self.read_on = work


class _Request:
    """Waiting request."""

    def __init__(self, address: str, turns: ReadFairness) -> None:
        self.address = address
        self.turn = asyncio.get_running_loop().create_future()
        self._turns = turns

    def read_on(self) -> None:
        """Resume the request, and end this turn, because the work of the request runs after this call."""
        if not self.turn.done():
            self.turn.set_result(None)
            self._turns.end()
