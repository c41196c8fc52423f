"""An event loop whose clock stands still while something happens, and jumps to the next timer when nothing does.

It is for bots and servers in one process: what one writes to a socket of this machine, the other can read at once, so
nothing is under way when no socket is ready. Waits take no time then, and no limit of time is missed on a busy machine.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


DELIVERY_S = 0.001
"""Time in s that the kernel has, before each jump, for what a busy processor has not yet delivered."""


class _Jumping(selectors.DefaultSelector):
    """Tells how long the loop would have waited for sockets of which none is ready."""

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
    """Run a coroutine to its result on such a loop."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
