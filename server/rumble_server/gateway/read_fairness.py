"""The time budget of an iteration of the event loop, which bounds the work for requests and frames of all connections.

A reader claims time before each piece of work. When the budget is spent, the reader waits for a later iteration, and
waiting addresses are served in rotation. Only the short frames with which bots answer open turns need no budget.

Reading a socket takes time, too, even if the bytes then wait. When many readers have claimed time after the budget was
spent, the sockets of the connections without a login are left unread. In each later iteration some of these sockets are
read again.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from time import perf_counter
from typing import Protocol

log = logging.getLogger(__name__)

MOST_OVER_BUDGET = 16
"""When this many readers of an iteration are over budget, strangers' sockets are left unread.

A reader is over budget if it claims time after the budget was spent. Each socket that is still read takes about 50 us.
"""
MOST_REREAD = 50
"""Maximum number of unread sockets that are read again in an iteration. They take 2 to 3 ms in addition to the
budget."""


class WaitingReader(Protocol):
    """A connection or request that waits for time."""

    @property
    def address(self) -> str:
        """The address to which the work is charged. Waiting addresses are served in rotation."""

    def on_scheduled(self) -> None:
        """Handle waiting bytes as far as the budget of this iteration allows.

        If bytes are left, queue the reader again.
        """

    def abort(self) -> None:
        """End the connection at once, because `on_scheduled` has failed."""


class SocketReader(Protocol):
    """A connection whose socket can be left unread."""

    @property
    def transport(self) -> asyncio.Transport | None:
        """The transport of the socket."""

    def resume_socket(self) -> None:
        """Resume reading from the socket if no reason is against it: bytes that wait, or `ReadFairness.unread`, say."""


def next_iteration(callback: Callable[[], None]) -> None:
    """Call `callback` in the next iteration of the running loop."""
    asyncio.get_running_loop().call_soon(callback)


class ReadFairness:
    """The connections and requests that wait for time. All of them share a budget of `most_ms` in each iteration.

    `later` is a function that calls another function in the next iteration. `now_s` is a clock in s.
    """

    def __init__(
        self,
        most_ms: int,
        later: Callable[[Callable[[], None]], None] = next_iteration,
        now_s: Callable[[], float] = perf_counter,
    ) -> None:
        self._most_s = most_ms / 1000
        self._later = later
        self._now_s = now_s
        self._waiting: dict[str, OrderedDict[WaitingReader, None]] = {}
        """Waiting readers in their order, keyed by address. The address to be served next is first."""
        self._is_due = False
        """True if the next iteration calls `_begin`."""
        self._has_budget = False
        """True if the budget of this iteration has started."""
        self._ends_s = 0.0
        """Time in s at which the budget of this iteration ends."""
        self.sockets: set[SocketReader] = set()
        """The open connections without a login that are not in `unread`. Some may be paused for other reasons."""
        self.unread: dict[SocketReader, None] = {}
        """The connections whose sockets are left unread, in the order in which they are read again."""
        self._reread: set[SocketReader] = set()
        """The connections whose sockets are read again in this iteration, in which `claim_time` does not stop them."""
        self._over_budget = 0
        """Number of readers over budget in this iteration (see `MOST_OVER_BUDGET`)."""
        self.wasted = 0
        """Number of messages wasted in this iteration of the loop (see `count_wasted`)."""

    def claim_time(self) -> bool:
        """Start the budget of this iteration at the first call in the iteration. Return false if the budget is spent.

        Each call after the budget is spent adds 1 to `_over_budget`. When the number reaches `MOST_OVER_BUDGET`, leave
        `sockets` unread.
        """
        now_s = self._now_s()
        if not self._has_budget:
            self._has_budget = True
            self._ends_s = now_s + self._most_s
            self._call()
        if now_s < self._ends_s:
            return True
        self._over_budget += 1
        if self._over_budget == MOST_OVER_BUDGET:
            for reader in self.sockets - self._reread:
                transport = reader.transport
                if transport is not None and transport.is_reading():
                    transport.pause_reading()
                    self.unread[reader] = None
            self.sockets.difference_update(self.unread)
        return False

    def forget_socket(self, reader: SocketReader) -> None:
        """Leave the socket of a connection unread no more, because a bot has logged in, or the connection has ended."""
        self.sockets.discard(reader)
        self.unread.pop(reader, None)

    def enqueue(self, reader: WaitingReader, *, is_first: bool = False) -> None:
        """Queue a reader behind the other readers of its address, or before them if `is_first` is true.

        A queued reader is not queued a second time. In a later iteration, `on_scheduled` of the reader is called.
        """
        readers = self._waiting.setdefault(reader.address, OrderedDict())
        readers[reader] = None
        if is_first:
            readers.move_to_end(reader, last=False)
        self._call()

    def run_or_enqueue(self, address: str, work: Callable[[], None]) -> None:
        """Do some short work: at once if this iteration of the loop has time left, or else when `address` is served."""
        if self.claim_time():
            work()
        else:
            self.enqueue(_Work(address, work))

    async def wait_for_time(self, address: str, *, has_begun: bool = False) -> None:
        """Return at once if this iteration of the loop has time left. Otherwise wait until `address` is served.

        Work that has begun is served before new work of the address, because other tasks may wait for a resource that
        it holds.
        """
        if self.claim_time():
            return
        served = asyncio.get_running_loop().create_future()

        def serve() -> None:
            """Resume the request, and end the budget of this iteration.

            The request works only after this call, so its time cannot be measured by the budget.
            """
            if not served.done():
                served.set_result(None)
                self.end()

        self.enqueue(_Work(address, serve), is_first=has_begun)
        await served

    def count_wasted(self) -> None:
        """Count a wasted message.

        Such a message looked like an answer to a turn, and was therefore handled without budget, but no turn was open.
        """
        self.wasted += 1
        self.claim_time()  # starts the budget, of which later work has the rest

    def end(self) -> None:
        """End the budget of this iteration: `claim_time` returns false until the next iteration."""
        self._ends_s = 0.0

    def _call(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._later(self._begin)

    def _begin(self) -> None:
        self._is_due = self._has_budget = False
        self.wasted = self._over_budget = 0
        self._reread = set(islice(self.unread, MOST_REREAD))
        self.sockets |= self._reread
        for socket in self._reread:
            del self.unread[socket]
            socket.resume_socket()
        for _ in range(sum(map(len, self._waiting.values()))):
            if not self.claim_time():
                break
            address = next(iter(self._waiting))
            readers = self._waiting.pop(address)
            reader, _ = readers.popitem(last=False)
            if readers:
                self._waiting[address] = readers
            try:
                reader.on_scheduled()
            except Exception:
                log.exception("a connection ends because its bytes could not be handled")
                reader.abort()
        if self._waiting or self.unread or self._reread:
            self._call()


class _Work:
    """Work that waits for time: the clean-up of an ended connection, or the resumption of a request."""

    def __init__(self, address: str, work: Callable[[], None]) -> None:
        self.address = address
        self.on_scheduled = work

    def abort(self) -> None:
        """Do nothing: the connection has ended already, and the resumption of a request does not fail."""
