"""A process that plays as several bots, each a reference bot or a function; `rumble demo` starts such processes.

The process ends when its standard input ends, and so never outlives the parent process.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve

from rumble_server.cli.output.errors import ExitCode, as_cli_error
from rumble_server.cli.support.loop import run

SEARCH_MS = 50
"""Time in ms for a move of a bot that cannot search to the end of the game. Short, because a person watches."""

MATCHES_AT_ONCE = 2
"""Maximum number of matches of a bot at a time."""
STDIN = 0
"""File descriptor of standard input."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot to play: `bot` is a reference bot or FILE.py:FUNCTION, `time_ms` the time for a move (None: no limit)."""

    bot: str
    name: str
    seed: int
    time_ms: int | None = None


def search_ms(bot: str, game: str) -> int | None:
    """Return a bot's search time for a move in ms.

    Return None if the bot does not search, or searches to the end of the game.
    """
    if bot == "mcts":
        return SEARCH_MS
    return SEARCH_MS if bot in ("minimax", "streetwise") and game != "tictactoe" else None


def process_command(bots: Sequence[BotSpec], server: str, join: str) -> list[str]:
    """Return the command line of a process that plays as `bots`. The process uses this process's Python and Rumble."""
    specs = json.dumps([asdict(bot) for bot in bots])
    return [sys.executable, "-m", "rumble_server.cli.processes.bot_process", server, join, specs]


def make_bot(spec: BotSpec, cwd: Path) -> Bot:
    """Make the bot described by `spec`. Raises BadFunction, ReferenceBotError.

    FILE.py is found from the folder `cwd`, since an earlier bot may have changed the working directory.
    """
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.reference.remote import RemoteReferenceBot

    if is_function(spec.bot):
        return load_bot(spec.bot, cwd / spec.bot.rpartition(":")[0])
    options: dict[str, Any] = {} if spec.time_ms is None else {"time_ms": spec.time_ms}
    return RemoteReferenceBot(spec.bot, seed=spec.seed, **options)


async def play(specs: Sequence[BotSpec], server: str, join: str) -> None:
    """Play as all bots of `specs` until their tournament, named by `join`, is over."""
    cwd = Path.cwd()
    bots = [(make_bot(spec, cwd), spec.name) for spec in specs]
    await asyncio.gather(*(serve(bot, server, name=name, join=join, max_matches=MATCHES_AT_ONCE) for bot, name in bots))


def run_to_exit_code(playing: Coroutine[Any, Any, None], prefix: str) -> int:
    """Run `playing`, and return the exit code. An expected error becomes a line on standard error, after `prefix`."""
    try:
        run(playing)
    except Exception as error:
        known = as_cli_error(error)
        if known is None:
            raise
        sys.stderr.write(f"{prefix}: {known.message}\n")
        return known.exit_code
    return ExitCode.DONE


def end_with_parent() -> None:
    """End this process as soon as standard input ends."""
    read_input(lambda _: None)


def read_input(take: Callable[[bytes], object]) -> None:
    """Call `take` with each line of standard input, on a thread, and end this process when the input ends."""

    def read() -> None:
        # Not sys.stdin: a thread waiting in its `read` holds a lock, and Python would abort when the process exits.
        rest = b""
        while data := os.read(STDIN, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                take(line)
        os._exit(ExitCode.DONE)

    threading.Thread(target=read, daemon=True).start()


def main(arguments: Sequence[str]) -> int:
    """Play as all bots in the arguments, which `process_command` has written. Return the exit code."""
    server, join, bots = arguments
    specs = [BotSpec(**spec) for spec in json.loads(bots)]
    return run_to_exit_code(play(specs, server, join), "rumble")


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(sys.argv[1:]))
