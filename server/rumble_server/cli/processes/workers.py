"""A bot of several processes, for `--workers`: each process runs the same command as a different worker."""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.bot_names import as_bot_name

LONGEST_NAME = 32
"""Maximum number of characters of a worker's name. The same maximum holds for a bot's name."""
MOST_OF_HOST_NAME = 16
"""Maximum number of characters that `names` takes from this machine's name for a worker's name."""

own: str | None = None
"""The worker's name, in a process started by `--workers`; otherwise None."""


def names(count: int, worker: str | None) -> list[str]:
    """Return the names of `count` workers: each is a prefix and a number. Raises CliError for a name that is too long.

    The prefix is `worker`. If `worker` is None, the prefix is made of this machine's name and the process id.
    """
    if worker is None:  # a unique prefix, because commands on one machine or on many must not take each other's names
        worker = f"{as_bot_name(socket.gethostname(), 'host')[:MOST_OF_HOST_NAME]}-{os.getpid()}"
    longest = f"{worker}-{count}"
    if len(longest) > LONGEST_NAME:
        raise CliError(f"--worker: {longest} has more than {LONGEST_NAME} characters", ExitCode.USAGE)
    return [f"{worker}-{number}" for number in range(1, count + 1)]


def process_command(worker: str, args: Sequence[str]) -> list[str]:
    """Return the command line of a process that runs `rumble` with `args`, as the worker `worker`."""
    return [sys.executable, "-m", "rumble_server.cli.worker_process", worker, *args]


def run_workers(args: Sequence[str], count: int, worker: str | None) -> int:
    """Run `rumble` with `args` in `count` processes, each a worker, until all have ended. Return the exit code.

    A failed worker is reported on standard error, and the rest go on. The exit code is 0 if every worker succeeded, and
    otherwise the exit code of the first worker that failed. SIGINT and SIGTERM end all workers; the exit code then is
    `ExitCode.INTERRUPTED`.
    """
    from rumble_server.cli.support.loop import run_unless_stopped

    code = run_unless_stopped(_play(args, names(count, worker)))
    return ExitCode.INTERRUPTED if code is None else code


async def _play(args: Sequence[str], workers: Sequence[str]) -> int:
    from rumble_server.cli.processes.running import bot_processes

    failed: list[int] = []
    playing = set(workers)
    results: dict[str, None] = {}

    async def await_end(worker: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        output = (await process.stdout.read()).decode("utf-8", "replace")
        code = await process.wait()
        playing.discard(worker)
        if code == 0:
            results.update(dict.fromkeys(output.splitlines()))  # once, because all workers report the same result
            return
        failed.append(code if code > 0 else ExitCode.FAILED)
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        left = " The others go on." if playing else ""
        typer.echo(f"rumble: worker {worker} has ended with {how}.{left}", err=True)

    async with bot_processes((process_command(each, args) for each in workers), asyncio.subprocess.PIPE) as processes:
        await asyncio.gather(*map(await_end, workers, processes))
    for line in results:
        typer.echo(line)
    return failed[0] if failed else ExitCode.DONE


def line_writer(worker: str | None, *, quiet: bool, verbose: bool) -> Callable[[str], None] | None:
    """Return a function that writes a line to standard error. With `--workers`, lines begin with the worker's name.

    With `quiet`, return None. With `verbose`, return None, and log to standard error everything except debug messages
    of the library websockets.
    """
    from rumble_bots.sdk.serve import to_stderr

    if verbose:
        logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)s %(message)s")
        logging.getLogger("websockets").setLevel(logging.INFO)
    if quiet or verbose:
        return None
    return to_stderr if own is None else lambda line: to_stderr(f"{worker}: {line}")
