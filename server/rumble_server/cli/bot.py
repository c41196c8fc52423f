"""`rumble bot`: play as a reference bot or as any Python function."""

from typing import Annotated

import typer

from rumble_server.cli.support.bot_names import own_name
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import (
    Challenges,
    Depth,
    Invite,
    Iterations,
    Join,
    Key,
    MatchesAtOnce,
    Name,
    Quiet,
    Search,
    Seed,
    Server,
    TimeMs,
    Verbose,
    check_purpose,
    given,
    log_everything,
    no_options_for_functions,
)

FAULTY = "faulty"


def bot(
    bot: Annotated[str, typer.Argument(metavar="NAME|FILE.py:FUNCTION", help="A reference bot, or a function.")],
    server: Server,
    join: Join = None,
    name: Name = None,
    key: Key = None,
    matches_at_once: MatchesAtOnce = 1,
    invite: Invite = None,
    challenges: Challenges = False,
    search: Search = None,
    depth: Depth = None,
    time_ms: TimeMs = None,
    iterations: Iterations = None,
    seed: Seed = 0,
    fault: Annotated[str | None, typer.Option(metavar="FAULT", help="Which fault the bot `faulty` has.")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Play as a reference bot, or as any Python function, until the tournament is over."""
    from rumble_bots.bot import Bot
    from rumble_bots.functions import is_function, load_bot
    from rumble_bots.serve import run, to_stderr

    check_purpose(join, challenges)
    if bot == FAULTY:
        _play_faulty(fault, server, name or f"{FAULTY}-{fault}", join, key)
        return
    options = given(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    if is_function(bot):
        no_options_for_functions(options)
        playing: Bot = load_bot(bot)
    else:
        from rumble_bots.players_bot import PlayerBot

        playing = PlayerBot(bot, seed=seed, **options)
    if verbose:
        log_everything()
    summary = run(
        playing,
        server,
        name=name or own_name(bot),
        key=key,
        join=join,
        invite=invite,
        challenges=challenges,
        max_matches=matches_at_once,
        say=None if quiet or verbose else to_stderr,
    )
    typer.echo(summary)


def _play_faulty(fault: str | None, server: str, name: str, join: str | None, key: str | None) -> None:
    from rumble_bots.faulty import FAULTS, run_faulty

    if fault not in FAULTS or join is None:
        raise CliError(f"a faulty bot needs --join ID and --fault: {', '.join(FAULTS)}", ExitCode.USAGE)
    typer.echo(run_faulty(server, fault=fault, name=name, join=join, key=key))
