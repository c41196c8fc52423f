"""Playing as a bot until its tournament is over: the common part of `rumble bot` and `rumble bridge`."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import typer
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.bot import Bot
from rumble_protocol.plain import plain_text

from rumble_server.cli.output.errors import ExitCode
from rumble_server.cli.support.loop import run_unless_stopped

SERVED = ("key", "same_server", "join", "invite", "challenges", "follow")
"""The options of a command that `serve` takes under the same names."""


async def play(
    bot: Bot, playing: Mapping[str, Any], name: str, worker: str | None, say: Callable[[str], None] | None
) -> Summary:
    """Play as a bot until its tournament is over. `playing` has the options (`options.PLAYING`) of the command."""
    from rumble_bots.sdk.serve import serve

    served = {option: playing[option] for option in SERVED}
    most = playing["matches_at_once"]
    return await serve(bot, playing["server"], name=name, worker=worker, max_matches=most, say=say, **served)


def run_to_summary(playing: Coroutine[Any, Any, Summary]) -> ExitCode:
    """Run `playing`, and print the summary. Return the exit code."""
    summary = run_unless_stopped(playing)
    if summary is None:
        return ExitCode.INTERRUPTED
    typer.echo(plain_text(str(summary)))
    return ExitCode.DONE
