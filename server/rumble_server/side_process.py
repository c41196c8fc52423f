"""A process beside the server, for what would hold the event loop. It gives way to play, and ends with the server."""

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
"""By how much the process is nicer than the server (nice(2)): the processor is first of all for play."""
ATTEMPTS = 2
"""How often a task is given to a process that ends under it, before that is an error."""

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


class SideProcess:
    """Runs tasks one at a time, in a process that starts with the first of them, and again if it has died."""

    def __init__(self, prepare: "Callable[[*Given], object] | None" = None, *given: *Given) -> None:
        """`prepare` is called in the process before the first task; it must not raise."""
        self._begin = (prepare, given)
        self._pool: ProcessPoolExecutor | None = None
        self._before: ProcessPoolExecutor | None = None
        """The pool whose process died last. If its own thread freed it, it could wait for a lock that it holds,
        and the server would never end (seen with Python 3.13.0)."""

    async def run(self, task: Callable[[*Given], Made], *given: *Given) -> Made:
        """Return what a task makes, which is a function of a module, with what it is given: all of it is pickled.

        Raises what the task raises; BrokenExecutor if the process dies of it.
        """
        for attempt in range(1, ATTEMPTS + 1):
            if self._pool is None:
                context = get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=self._begin)
            pool = self._pool
            try:
                # On a thread: the first one starts the process, which takes some 10 ms.
                return await asyncio.wrap_future(await asyncio.to_thread(_submit, partial(pool.submit, task, *given)))
            except BrokenExecutor:
                if self._pool is pool:
                    self._pool, self._before = None, pool
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    def close(self) -> None:
        """End the process after the task that it is in; tasks that wait are cancelled."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool, self._before = None, self._pool


def _submit(submit: Callable[[], Future[Made]]) -> Future[Made]:
    """Submit on a thread that blocks Ctrl-C: a process that it starts inherits that, and is spared from the first."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return submit()


def _begin(prepare: Callable[..., object] | None, given: tuple[object, ...]) -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are for the server, which drains first
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
    """End this process when the server's has ended, however it did (`kill -9` asks nobody)."""
    wait([sentinel])
    os._exit(1)
