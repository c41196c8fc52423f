"""Repeated work: tasks that repeat their work until the end, and waits that repeat a question."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

log = logging.getLogger(__name__)

POLL_S = 0.02
"""Interval in s between two questions of `until`."""


async def repeat(
    work: Callable[[], Awaitable[None]], pause_s: float, failed: str, stopping: asyncio.Event | None = None
) -> None:
    """Call `work` with a pause of `pause_s` after each call, until `stopping` is set or this task is cancelled.

    Log each error of `work` with its traceback, under the line `failed`.
    """
    stopping = stopping or asyncio.Event()
    while not stopping.is_set():
        try:
            await work()
        except Exception:
            log.exception("%s", failed)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await stopping.wait()


async def until(condition: Callable[[], bool], timeout_s: float) -> None:
    """Wait until `condition` returns true, or for `timeout_s`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while not condition():  # noqa: ASYNC110  # no event tells the change
                await asyncio.sleep(POLL_S)
