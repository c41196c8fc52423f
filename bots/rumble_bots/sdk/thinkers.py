"""Threads in which bots choose moves: a thread for each concurrent choice. No thread delays the program's end."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Tasks = SimpleQueue[Callable[[], None]]


class Thinkers:
    """A runner of functions in daemon threads. A thread is used again for later functions.

    If a function never returns, the program can still exit, and the next function need not wait. A
    `ThreadPoolExecutor` guarantees neither.
    """

    def __init__(self) -> None:
        self._idle: list[Tasks] = []

    async def run(self, thought: Callable[[], T]) -> T:
        """Run `thought` in a thread. Return the result of `thought`, or raise its error.

        A RuntimeError takes the place of a StopIteration, which a future of asyncio never raises.
        """
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        tasks = self._idle.pop() if self._idle else self._start()

        def work() -> None:
            try:
                result = thought()
            except BaseException as error:  # noqa: BLE001  # raised again where the result is awaited
                self._idle.append(tasks)
                if isinstance(error, StopIteration):
                    error = RuntimeError("StopIteration").with_traceback(error.__traceback__)
                future.set_exception(error)
            else:
                self._idle.append(tasks)
                future.set_result(result)

        tasks.put(work)
        return await asyncio.wrap_future(future)

    def _start(self) -> Tasks:
        tasks: Tasks = SimpleQueue()
        threading.Thread(target=_forever, args=(tasks,), name="rumble-thinker", daemon=True).start()
        return tasks


def _forever(tasks: Tasks) -> None:
    while True:
        tasks.get()()
