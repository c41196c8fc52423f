"""Running a server and bot processes from a command."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.loop import periodically
from rumble_server.host.gc_tuning import GcTuner

if TYPE_CHECKING:
    from rumble_server.app import MakeHouse, Server
    from rumble_server.config import ServerConfig

LOOK_S = 0.05
"""Interval in s at which the garbage collector may make a pass. At a busy server such a pass takes 1 ms to 2 ms."""


@asynccontextmanager
async def server_unless_stopped(
    config: "ServerConfig", make_house: "MakeHouse | None", stopping: asyncio.Event
) -> "AsyncIterator[Server | None]":
    """Run a server until the block ends. Raises CliError if the server cannot start.

    A server may first stand by while another server leads. Yield None if `stopping` is set during this wait.
    """
    from rumble_server.app import Server, StartError
    from rumble_server.store.errors import StoreError

    try:
        server = Server(config, make_house)
        if not await server.start(stopping):
            yield None
            return
    except (StartError, StoreError) as error:
        raise CliError(str(error)) from None
    gc_tuner = GcTuner(lambda: server.clubs.is_playing)
    try:
        with gc_tuner.tuned():
            async with periodically(gc_tuner.collect_if_due, LOOK_S):
                yield server
    finally:
        await server.stop()


@asynccontextmanager
async def bot_processes(
    commands: Iterable[list[str]], stdout: int = asyncio.subprocess.DEVNULL
) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Start a process for each of `commands`, and end all processes when the block ends.

    The processes' standard output goes to `stdout`. Their standard input stays open.
    """
    from rumble_bots.sdk.processes import end_process, start_group

    async with AsyncExitStack() as stack:
        processes = []
        for command in commands:
            process = await start_group(command, stdin=asyncio.subprocess.PIPE, stdout=stdout)
            stack.push_async_callback(end_process, process)
            processes.append(process)
        yield processes
