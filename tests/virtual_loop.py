"""An event loop whose clock stands still during work, and jumps to the next timer when idle.

The loop is for bots and servers in one process. Sockets of this machine deliver at once, so no data is under way when
no socket is ready. Waits therefore take no time, and no time limit is missed on a busy machine.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


DELIVERY_S = 0.001
"""Time in s that the kernel gets before each jump, to deliver data on a busy processor."""


class _Jumping(selectors.DefaultSelector):
    """Counts the time in s that the loop would have waited while no socket was ready."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(min(timeout, DELIVERY_S))
        if not ready:
            self.now_s += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its result on a loop with a jumping clock."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
