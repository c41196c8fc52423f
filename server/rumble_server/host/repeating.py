"""Tasks of the process that repeat their work until the end. An error is logged, and ends no such task."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

log = logging.getLogger(__name__)


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
