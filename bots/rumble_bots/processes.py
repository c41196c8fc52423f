"""Programs with a process group of their own: Ctrl-C does not reach them, and all that they start ends with them."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any


async def start_group(command: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """Start a program; `options` are those of `create_subprocess_exec`. Raises OSError and ValueError as that does.

    Whoever is cancelled meanwhile leaves nothing behind. (asyncio alone would end the program, but not what that has
    started by then.)
    """
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(*command, start_new_session=sys.platform != "win32", **options)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError, ValueError):  # it was not started
            process = await starting
            end_group(process)
            await process.wait()
        raise


def end_group(process: asyncio.subprocess.Process) -> None:
    """End at once a process that has a group of its own, and all that it started."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended, and so has its group
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
