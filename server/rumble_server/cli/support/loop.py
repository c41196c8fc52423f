"""The event loop of commands and bot processes. The module imports very little, so that processes start fast."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from rumble_server.host.repeating import repeat

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on uvloop, or on asyncio's loop on Windows."""
    if sys.platform == "win32":
        return asyncio.run(main)
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def until_signal() -> asyncio.Event:
    """Return an event that is set by SIGINT and SIGTERM. The signals lose their usual effect."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # a loop on Windows has no signal handlers; Ctrl-C raises there
            loop.add_signal_handler(number, event.set)
    return event


async def first_of(*waiting: Awaitable[object]) -> None:
    """Wait until any of the awaitables has ended, and cancel the others."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


def on_hangup(callback: Callable[[], None]) -> None:
    """Call `callback` at each SIGHUP, in place of the signal's usual effect. Windows has no SIGHUP."""
    if hasattr(signal, "SIGHUP"):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, callback)


@asynccontextmanager
async def periodically(callback: Callable[[], None], every_s: float) -> AsyncIterator[None]:
    """Call `callback` now, and about every `every_s` seconds while the block runs. Log errors of the calls."""

    async def beat() -> None:
        callback()

    beating = asyncio.create_task(repeat(beat, every_s, "work that is done from time to time failed"))
    try:
        yield
    finally:
        beating.cancel()


def run_unless_stopped(main: Coroutine[Any, Any, T]) -> T | None:
    """Run a coroutine and return its result. If SIGINT or SIGTERM comes first, cancel the coroutine and return None."""
    return run(_unless_stopped(main))


async def _unless_stopped(main: Coroutine[Any, Any, T]) -> T | None:
    work = asyncio.create_task(main)
    try:
        await first_of(work, until_signal().wait())
        return work.result() if work.done() else None
    finally:
        await asyncio.gather(work, return_exceptions=True)
