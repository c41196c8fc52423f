"""`rumble` with a watched event loop: each stretch in which the loop did not come round is a line of a file.

    RUMBLE_STRETCHES=FILE python benchmarks/watched_loop.py serve ...

A line has the monotonic time in s, then the CPU time of the loop's thread and of the whole process in this stretch,
and its duration by the clock, in ms. Other processes on the machine count in the last alone. The second is larger than
the first where the loop waited for another thread, which had the interpreter.
"""

import asyncio
import os
import time

from rumble_server import app
from rumble_server.cli.__main__ import main

BEAT_S = 0.001
"""Time in s between two looks, by which a stretch may be told too long."""
LEAST_MS = 2.0
"""Shorter stretches are not written."""


def watch(loop: asyncio.AbstractEventLoop, file: int, thread_s: float, process_s: float, due_s: float) -> None:
    """Look how much was computed since the last look, and look again soon."""
    in_thread_s, in_process_s, now_s = time.thread_time(), time.process_time(), time.monotonic()
    took_ms = (in_thread_s - thread_s) * 1000, (in_process_s - process_s) * 1000, (now_s - due_s) * 1000
    if max(took_ms) >= LEAST_MS:
        os.write(file, b"%.4f %.2f %.2f %.2f\n" % (now_s, *took_ms))
    loop.call_later(BEAT_S, watch, loop, file, in_thread_s, in_process_s, now_s + BEAT_S)


class WatchedServer(app.Server):
    """A server whose loop is watched from its start on."""

    async def start(self, stopping: asyncio.Event | None = None) -> bool:
        started = await super().start(stopping)
        file = os.open(os.environ["RUMBLE_STRETCHES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        watch(asyncio.get_running_loop(), file, time.thread_time(), time.process_time(), time.monotonic())
        return started


if __name__ == "__main__":
    app.Server = WatchedServer  # type: ignore[misc]  # the command line makes one
    main()
