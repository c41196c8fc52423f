"""Waiting for what other processes do, of which no event tells."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

PATIENCE_S = 50.0
"""Maximum wait in s. The programs that tests start end by themselves after 60 s at the earliest."""
PAUSE_S = 0.01
"""Interval in s between two looks."""

T = TypeVar("T")


def until(what: Callable[[], T | None]) -> T:
    """Wait until `what` returns something true, and return the value. Raises AssertionError after `PATIENCE_S`."""
    until_s = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < until_s, f"after {PATIENCE_S:g} s it is still {found!r}"
        time.sleep(PAUSE_S)
    return found


def wait_until(true: Callable[[], object], within_s: float = 10.0) -> bool:
    """Look again and again until `true` is true. Return whether it was true in time."""
    until_s = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until_s:
            return False
        time.sleep(PAUSE_S)
    return True


async def until_true(condition: Callable[[], object]) -> None:
    """Wait until another process, or another thread, has made `condition` true."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # no event tells it
            await asyncio.sleep(PAUSE_S)


def has_ended(pid: int) -> bool:
    """Return whether a process has ended. A zombie has ended."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True
