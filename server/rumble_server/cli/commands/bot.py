"""`rumble bot`: play as a reference bot or as any Python function."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer
from rumble_protocol.plain import plain_text

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import completion, options
from rumble_server.cli.support.bot_names import own_name

FAULTY = "faulty"
FAULTS = (
    *("timeout", "illegal", "garbage", "drop", "flood", "slow-reader", "crash"),
    *("stale", "duplicate", "wrong-match", "huge", "silent", "absent"),
)
"""The names of the faults in `rumble_bots.reference.faulty`. With a copy, `--help` need not import the slow module."""


@partial(options.with_parameters, parameters=options.PLAYING, defaults=options.PLAYING_DEFAULTS)
def bot(
    context: typer.Context,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.py:FUNCTION", help="A reference bot, or a function.", autocompletion=completion.bots
        ),
    ],
    *,
    search: options.Search = None,
    depth: options.Depth = None,
    time_ms: options.TimeMs = None,
    iterations: options.Iterations = None,
    seed: options.Seed = 0,
    fault: Annotated[
        str | None, typer.Option(metavar="FAULT", help=f"Which fault the bot `faulty` has: {', '.join(FAULTS)}.")
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    **playing: Any,
) -> int:
    """Play as a reference bot, or as any Python function, until the tournament is over."""
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.sdk.bot import Bot

    from rumble_server.cli.processes import workers as processes
    from rumble_server.cli.processes.playing import play, run_to_summary

    options.check_purpose(playing["join"], playing["challenges"])
    if playing["workers"] is not None and processes.own is None:
        return processes.run_workers(context.obj, playing["workers"], playing["worker"])
    name, worker = playing["name"], processes.own or playing["worker"]
    if bot == FAULTY:
        if worker is not None:
            raise CliError("a faulty bot has no workers", ExitCode.USAGE)
        _play_faulty(fault, playing, name or f"{FAULTY}-{fault}")
        return ExitCode.DONE
    chosen = options.without_none(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    if is_function(bot):
        options.no_options_for_functions(chosen)
        player: Bot = load_bot(bot)
    else:
        from rumble_bots.reference.remote import RemoteReferenceBot

        player = RemoteReferenceBot(bot, seed=seed, **chosen)
    say = processes.line_writer(worker, quiet=quiet, verbose=verbose)
    return run_to_summary(play(player, playing, name or own_name(bot), worker, say))


def _play_faulty(fault: str | None, playing: Mapping[str, Any], name: str) -> None:
    from rumble_bots.reference.faulty import run_faulty

    server, access = playing["server"], {option: playing[option] for option in ("join", "key", "invite")}
    if fault not in FAULTS or access["join"] is None:
        raise CliError(f"a faulty bot needs --join ID and --fault: {', '.join(FAULTS)}", ExitCode.USAGE)
    typer.echo(plain_text(run_faulty(server, fault=fault, name=name, **access)))
