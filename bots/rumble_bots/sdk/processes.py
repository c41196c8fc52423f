"""Child processes: started in a process group of their own, and ended for certain, with all their descendants.

A process in a group of its own does not get the Ctrl-C of a terminal.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

KILL_AFTER_S = 3.0
"""Time in s that a process has to end after the request to end. A process that still runs after this time is killed."""


def filled(command: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """Return a command with each of the `places`, such as `{join}`, replaced by its value."""
    words = list(command)
    for place, value in places.items():
        words = [word.replace(place, value) for word in words]
    return words


async def start_group(command: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """Start a program in a group of its own. `options` are passed on to `create_subprocess_exec`.

    Raises OSError and ValueError as `create_subprocess_exec` does. If the caller is cancelled during the start, the
    whole group is ended. Asyncio alone would end the program, but not the program's own children.
    """
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(*command, start_new_session=sys.platform != "win32", **options)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError, ValueError):  # the program was not started
            process = await starting
            kill(process, group=True)
            await process.wait()
        raise


async def end_process(
    process: asyncio.subprocess.Process,
    *,
    group: bool = False,
    patience_s: float = KILL_AFTER_S,
    ask: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Ask a process to end. Kill a process that still runs after `patience_s` seconds, or when the caller is cancelled.

    `ask` is called to ask the process; if `ask` is None, SIGTERM is sent. If `group` is true, SIGTERM and the kill go
    to the process's whole group. Only a process of `start_group` has such a group.
    """
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                if ask is None:
                    _signal(process, signal.SIGTERM, group)
                else:
                    await ask()
                await process.wait()
    finally:
        kill(process, group=group)
    await process.wait()


def kill(process: asyncio.subprocess.Process, *, group: bool) -> None:
    """Kill a process; if `group` is true, kill its descendants, too. Do not wait for the end."""
    _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL, group)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals, group: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the process has ended
        if group and sys.platform != "win32":
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
