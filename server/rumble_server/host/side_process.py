"""A second process, for work that would hold up the event loop of the server.

The process has a lower priority than the server, and ends when the server ends.
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

from rumble_server.host.signals import ignore_stop_signals

NICENESS = 5
"""Value added to the server's nice value (nice(2)), so that matches have priority over this process."""
TRIES = 2
"""Maximum number of tries of a task if its process dies. After the last try, an error is raised."""

Args = TypeVarTuple("Args")
T = TypeVar("T")


class SideProcess:
    """A process that runs tasks one at a time. The first task starts the process.

    If the process dies, a new process is started.
    """

    def __init__(self, prepare: "Callable[[*Args], object] | None" = None, *args: *Args) -> None:
        """Keep `prepare` and `args`. Each new process calls `prepare(*args)` before its first task.

        `prepare` must not raise an error.
        """
        self._begin = (prepare, args)
        self._pool: ProcessPoolExecutor | None = None
        self._before: ProcessPoolExecutor | None = None
        """The newest pool that is no longer used, because the pool's process died or `close` was called.

        The reference keeps the pool in memory, so that its own thread does not free it. Otherwise the thread could wait
        for a lock that it holds itself, and the server would never end (seen with Python 3.13.0).
        """

    async def run(self, task: Callable[[*Args], T], *args: *Args) -> T:
        """Run a function of a module in the process, and return the result. Arguments and result are pickled.

        Raises the errors of the function, and BrokenExecutor if the process dies at every try.
        """
        for tries in range(1, TRIES + 1):
            if self._pool is None:
                context = get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=self._begin)
            pool = self._pool
            try:
                # On a thread, because the first submission starts the process, which takes some 10 ms.
                return await asyncio.wrap_future(await asyncio.to_thread(_submit, partial(pool.submit, task, *args)))
            except BrokenExecutor:
                if self._pool is pool:
                    self._pool, self._before = None, pool
                if tries == TRIES:
                    raise
        raise AssertionError  # pragma: no cover  # the last try returns or raises

    async def close(self) -> None:
        """Finish the current task, cancel the waiting tasks, and wait until the process has ended.

        The pool's own thread has then ended, too. Python 3.11 may print a traceback if Python exits while the pool's
        thread is ending.
        """
        pool = self._pool
        if pool is not None:
            self._pool, self._before = None, pool
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)


def _submit(submit: Callable[[], Future[T]]) -> Future[T]:
    """Block SIGINT (Ctrl-C) in this thread, and submit a task. A process started by the thread then ignores Ctrl-C."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return submit()


def _begin(prepare: Callable[..., object] | None, args: tuple[object, ...]) -> None:
    ignore_stop_signals()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    server = parent_process()
    if server is not None:
        Thread(target=_end_with, args=(server.sentinel,), daemon=True).start()
    if prepare is not None:
        prepare(*args)


def _end_with(sentinel: int) -> None:
    """Wait until the server's process has ended or was killed, and then end this process."""
    wait([sentinel])
    os._exit(1)
