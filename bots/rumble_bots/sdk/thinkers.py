"""Threads to think in: as many as there are thoughts at a time. None holds up the program's end."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Tasks = SimpleQueue[Callable[[], None]]


class Thinkers:
    """Runs functions in daemon threads, which are used again.

    Unlike with `ThreadPoolExecutor`, a thought that never ends neither holds the program when it wants to exit nor
    makes the next one wait.
    """

    def __init__(self) -> None:
        self._idle: list[Tasks] = []

    async def run(self, thought: Callable[[], T]) -> T:
        """What `thought()` gives, or raises."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        tasks = self._idle.pop() if self._idle else self._start()

        def work() -> None:
            try:
                result = thought()
            except BaseException as error:  # noqa: BLE001  # handed on, whole, to the one who awaits it
                self._idle.append(tasks)
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
