"""Running a server and bot processes from a command."""

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar

from rumble_bots.sdk.processes import end_process

from rumble_server.app import Server, StartError
from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.config import ServerConfig
from rumble_server.store.errors import StoreError
from rumble_server.tournament.ports import House

T = TypeVar("T")


@asynccontextmanager
async def running_server(
    config: ServerConfig, make_house: Callable[[str], House] | None = None
) -> AsyncIterator[Server]:
    """A started server, stopped at the end. Raises CliError where it cannot start."""
    try:
        server = Server(config, make_house)
    except StoreError as error:
        raise CliError(str(error)) from None
    try:
        await server.start()
    except (StartError, StoreError) as error:
        raise CliError(str(error)) from None
    _spare_collector()
    try:
        yield server
    finally:
        await server.stop()


def _spare_collector() -> None:
    """Have the collector never look again at what is there now: modules, models, what was recovered.

    A full collection would go through all of it, some 100 ms in which no move is answered.
    """
    gc.collect()
    gc.freeze()


def until_signal() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set, instead of what they would do."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no signal handlers on the loop; Ctrl-C raises there
            loop.add_signal_handler(number, event.set)
    return event


async def unless_stopped(main: Coroutine[Any, Any, T], stopping: asyncio.Event) -> T | None:
    """What `main` gives; None where `stopping` is set first, and `main` then is cancelled."""
    work, stop = asyncio.create_task(main), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else None
    finally:
        for task in (work, stop):
            task.cancel()
        await asyncio.gather(work, stop, return_exceptions=True)


@asynccontextmanager
async def bot_processes(
    commands: Sequence[list[str]], **environment: str
) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Bots as processes of their own, ended at the end. Their output goes to standard error only if they fail."""
    async with AsyncExitStack() as stack:
        processes = []
        for command in commands:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                env={**os.environ, **environment},
            )
            stack.push_async_callback(end_process, process)
            processes.append(process)
        yield processes


def checked_players(names: Sequence[str]) -> list[str]:
    """Reference bots by name (or FILE.py:FUNCTION). Raises CliError for one that there is not."""
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.reference import REFERENCE_BOTS

    for name in names:
        if is_function(name):
            load_bot(name)
        elif name not in REFERENCE_BOTS:
            raise CliError(f"unknown bot {name!r}; known: {', '.join(REFERENCE_BOTS)}", ExitCode.USAGE)
    return list(names)


def split_names(text: str) -> list[str]:
    """`a,b` as a list. Raises CliError for an empty name."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise CliError(f"an empty name in {text!r}", ExitCode.USAGE)
    return names
