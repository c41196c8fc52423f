"""`rumble bot`: play as a reference bot or as any Python function."""

from typing import Annotated

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


def bot(
    context: typer.Context,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.py:FUNCTION", help="A reference bot, or a function.", autocompletion=completion.bots
        ),
    ],
    server: options.Server = options.LOCAL_SERVER,
    join: options.Join = None,
    name: options.Name = None,
    key: options.Key = None,
    same_server: options.SameServer = None,
    matches_at_once: options.MatchesAtOnce = 1,
    worker: options.Worker = None,
    workers: options.Workers = None,
    follow: options.Follow = False,
    invite: options.Invite = None,
    challenges: options.Challenges = False,
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
) -> int:
    """Play as a reference bot, or as any Python function, until the tournament is over."""
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.sdk.bot import Bot
    from rumble_bots.sdk.serve import serve

    from rumble_server.cli.processes import workers as processes
    from rumble_server.cli.support.loop import run_unless_stopped

    options.check_purpose(join, challenges)
    if workers is not None and processes.own is None:
        return processes.run_workers(context.obj, workers, worker)
    worker = processes.own or worker
    if bot == FAULTY:
        if worker is not None:
            raise CliError("a faulty bot has no workers", ExitCode.USAGE)
        _play_faulty(fault, server, name or f"{FAULTY}-{fault}", join, key, invite)
        return ExitCode.DONE
    chosen = options.given(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    if is_function(bot):
        options.no_options_for_functions(chosen)
        playing: Bot = load_bot(bot)
    else:
        from rumble_bots.reference.remote import RemoteReferenceBot

        playing = RemoteReferenceBot(bot, seed=seed, **chosen)
    if verbose:
        options.log_everything()
    summary = run_unless_stopped(
        serve(
            playing,
            server,
            name=name or own_name(bot),
            key=key,
            same_server=same_server,
            join=join,
            invite=invite,
            challenges=challenges,
            max_matches=matches_at_once,
            worker=worker,
            follow=follow,
            say=None if quiet or verbose else processes.said_by(worker),
        )
    )
    if summary is None:
        return ExitCode.INTERRUPTED
    typer.echo(plain_text(str(summary)))
    return ExitCode.DONE


def _play_faulty(
    fault: str | None, server: str, name: str, join: str | None, key: str | None, invite: str | None
) -> None:
    from rumble_bots.reference.faulty import run_faulty

    if fault not in FAULTS or join is None:
        raise CliError(f"a faulty bot needs --join ID and --fault: {', '.join(FAULTS)}", ExitCode.USAGE)
    typer.echo(plain_text(run_faulty(server, fault=fault, name=name, join=join, key=key, invite=invite)))
