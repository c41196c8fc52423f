"""Several reference bots (or functions) in one process: what `rumble demo` starts when the field is large."""

import asyncio
import json
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve

from rumble_server.cli.errors import ExitCode, as_cli_error
from rumble_server.cli.loop import run


@dataclass(frozen=True, slots=True)
class Entry:
    """One bot of the field: who plays, under which name, and how long it may think (None: as long as it likes)."""

    player: str
    name: str
    seed: int
    time_ms: int | None = None


def many_command(entries: Sequence[Entry], server: str, join: str, matches_at_once: int) -> list[str]:
    """The command line of a process for these bots: this Python, this Rumble."""
    told = json.dumps([asdict(entry) for entry in entries])
    return [sys.executable, "-m", "rumble_server.cli.many", server, join, str(matches_at_once), told]


def make_bot(entry: Entry) -> Bot:
    """The bot of an entry. Raises BadFunction, ReferenceBotError."""
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.reference.remote import RemoteReferenceBot

    if is_function(entry.player):
        return load_bot(entry.player)
    options: dict[str, Any] = {} if entry.time_ms is None else {"time_ms": entry.time_ms}
    return RemoteReferenceBot(entry.player, seed=entry.seed, **options)


async def play(entries: Sequence[Entry], server: str, join: str, matches_at_once: int) -> None:
    """All of them play until the tournament is over."""
    bots = [(make_bot(entry), entry.name) for entry in entries]
    await asyncio.gather(*(serve(bot, server, name=name, join=join, max_matches=matches_at_once) for bot, name in bots))


def run_to_exit_code(playing: Coroutine[Any, Any, None], who: str) -> int:
    """Run a process's bots. Returns the exit code; what goes wrong is a line on standard error, after `who`."""
    try:
        run(playing)
    except Exception as error:
        known = as_cli_error(error)
        if known is None:
            raise
        sys.stderr.write(f"{who}: {known.message}\n")
        return known.exit_code
    return ExitCode.DONE


def main(arguments: Sequence[str]) -> int:
    """Play as the arguments say. Returns the exit code."""
    server, join, matches_at_once, told = arguments
    entries = [Entry(**each) for each in json.loads(told)]
    return run_to_exit_code(play(entries, server, join, int(matches_at_once)), "rumble")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
