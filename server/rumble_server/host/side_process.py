"""A process beside the server, for work that would hold up the event loop.

The process has a lower priority than the server's process, and ends with the server.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar, TypeVarTuple

NICENESS = 5
"""Amount by which the process's nice value (nice(2)) exceeds the server's, so that matches have priority."""
ATTEMPTS = 2
"""Maximum number of attempts at a task whose process dies; after the last attempt, the death is an error."""

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


class SideProcess:
    """A process that runs tasks one at a time. The first task starts the process. A new process replaces a dead one."""

    def __init__(self, prepare: "Callable[[*Given], object] | None" = None, *given: *Given) -> None:
        """`prepare` is called in the process before the first task; it must not raise."""
        self._begin = (prepare, given)
        self._pool: ProcessPoolExecutor | None = None
        self._before: ProcessPoolExecutor | None = None
        """The pool that was given up last, because its process died, or by `close`.

        This reference keeps the pool's own thread from freeing the pool. The thread could then wait for a lock that it
        holds itself, and the server would never end (seen with Python 3.13.0).
        """

    async def run(self, task: Callable[[*Given], Made], *given: *Given) -> Made:
        """Run a module-level function in the process, and return its result. The arguments and the result are pickled.

        Raises the errors of the function, and BrokenExecutor if the process dies at each attempt.
        """
        for attempt in range(1, ATTEMPTS + 1):
            if self._pool is None:
                context = get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=self._begin)
            pool = self._pool
            try:
                # On a thread, because the first submission starts the process, which takes some 10 ms.
                return await asyncio.wrap_future(await asyncio.to_thread(_submit, partial(pool.submit, task, *given)))
            except BrokenExecutor:
                if self._pool is pool:
                    self._pool, self._before = None, pool
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    def close(self) -> None:
        """End the process after its current task; waiting tasks are cancelled."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool, self._before = None, self._pool


def _submit(submit: Callable[[], Future[Made]]) -> Future[Made]:
    """Submit a task with Ctrl-C blocked in this thread; a process started by the thread inherits the block."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return submit()


def _begin(prepare: Callable[..., object] | None, given: tuple[object, ...]) -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # these signals are for the server, which drains first
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    server = parent_process()
    if server is not None:
        Thread(target=_end_with, args=(server.sentinel,), daemon=True).start()
    if prepare is not None:
        prepare(*given)


def _end_with(sentinel: int) -> None:
    """End this process when the server's process has ended, even by `kill -9`."""
    wait([sentinel])
    os._exit(1)
