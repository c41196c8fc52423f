"""`rumble bridge`: any existing program as a remote bot, unchanged."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rumble_bots.bridges import (
    BareStdio,
    BridgeBot,
    Dialogue,
    Gomocup,
    Gtp,
    Launch,
    StderrFile,
    Stdio,
    Uci,
    UciWishes,
    default_stderr_file,
)
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.serve import serve, to_stderr

from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.cli.loop import run
from rumble_server.cli.main import MARKUP
from rumble_server.cli.options import (
    Challenges,
    Invite,
    Join,
    Key,
    MatchesAtOnce,
    Quiet,
    Server,
    Verbose,
    check_purpose,
    given,
    log_everything,
)
from rumble_server.cli.running import unless_stopped, until_signal


class Protocol(StrEnum):
    """What the program speaks."""

    STDIO = "stdio"
    UCI = "uci"
    GTP = "gtp"
    GOMOCUP = "gomocup"


OPTIONS_OF = {
    "bare": Protocol.STDIO,
    "all": Protocol.STDIO,
    "option": Protocol.UCI,
    "depth": Protocol.UCI,
    "nodes": Protocol.UCI,
    "movetime": Protocol.UCI,
    "no-clock": Protocol.GTP,
}
"""The options that only one protocol has."""

Command = Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="The program, and its own options.")]

# Everything after the program's name is the program's own.
app = typer.Typer(add_completion=False, rich_markup_mode=MARKUP, context_settings={"allow_interspersed_args": True})


@app.command()
def bridge(
    protocol: Annotated[Protocol, typer.Argument(help="What the program speaks.")],
    command: Command,
    server: Server,
    join: Join = None,
    name: Annotated[
        str | None, typer.Option(envvar="RUMBLE_NAME", help="Its name there; the program's own by default.")
    ] = None,
    key: Key = None,
    matches_at_once: MatchesAtOnce = 1,
    invite: Invite = None,
    challenges: Challenges = False,
    bare: Annotated[bool, typer.Option("--bare", help="stdio: legal moves in, instead of the turn as JSON.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="stdio: pass on match_start, rejected and match_over.")] = False,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="uci: an option of the engine; may be repeated.")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="uci: search so many plies, whatever the clock.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="uci: search so many nodes.")] = None,
    movetime: Annotated[int | None, typer.Option(min=1, metavar="MS", help="uci: search so long.")] = None,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="gtp: tell it of no clock.")] = False,
    stderr: Annotated[
        Path | None, typer.Option(help="Keep its standard error here; by default in the user's state folder.")
    ] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Play with any program that reads and writes lines, until the tournament is over."""
    check_purpose(join, challenges)
    own = given(option=option, depth=depth, nodes=nodes, movetime=movetime)
    own |= {name: True for name, wanted in {"bare": bare, "all": all_, "no-clock": no_clock}.items() if wanted}
    make_dialogue = dialogue_maker(protocol, own)
    if verbose:
        log_everything()
    name = name or name_of(command[0])
    kept = StderrFile(stderr or default_stderr_file(name))
    say: Callable[[str], None] | None = None if quiet or verbose else to_stderr
    if say is not None:
        say(f"its standard error is kept in {kept.path}")
    bot = BridgeBot(Launch(command, make_dialogue, kept, say or (lambda _: None)))

    async def play() -> Summary:
        try:
            await bot.start()
            return await serve(
                bot,
                server,
                name=name,
                key=key,
                join=join,
                invite=invite,
                challenges=challenges,
                max_matches=matches_at_once,
                say=say,
            )
        finally:
            await bot.close()

    async def until_the_end() -> Summary | None:
        return await unless_stopped(play(), until_signal())

    summary = run(until_the_end())
    if summary is None:
        return ExitCode.INTERRUPTED
    typer.echo(summary)
    return ExitCode.DONE


def dialogue_maker(protocol: Protocol, options: Mapping[str, Any]) -> Callable[[], Dialogue]:
    """What makes the dialogue of each process. Raises CliError for an option of another protocol."""
    for name in options:
        if OPTIONS_OF[name] is not protocol:
            raise CliError(f"--{name}: only for {OPTIONS_OF[name]}, not for {protocol}", ExitCode.USAGE)
    match protocol:
        case Protocol.UCI:
            limits = {name: options.get(name) for name in ("depth", "nodes")}
            wishes = UciWishes(read_options(options.get("option", ())), **limits, movetime_ms=options.get("movetime"))
            return lambda: Uci(wishes)
        case Protocol.GTP:
            return lambda: Gtp(clock="no-clock" not in options)
        case Protocol.GOMOCUP:
            return Gomocup
        case Protocol.STDIO if options.get("bare"):
            if "all" in options:
                raise CliError("--all is for turns as JSON, not for --bare", ExitCode.USAGE)
            return BareStdio
        case Protocol.STDIO:
            return lambda: Stdio(everything="all" in options)


def read_options(texts: Sequence[str]) -> dict[str, str]:
    """An engine's options written NAME=VALUE. Raises CliError."""
    pairs = [text.partition("=") for text in texts]
    for (name, equals, _), text in zip(pairs, texts, strict=True):
        if not name.strip() or not equals:
            raise CliError(f"{text!r} is not an option: write NAME=VALUE", ExitCode.USAGE)
    return {name.strip(): value.strip() for name, _, value in pairs}


def name_of(program: str) -> str:
    """The program's name as a name on a server."""
    return re.sub(r"[^A-Za-z0-9_.-]", "", Path(program).stem).lstrip("_.-")[:32] or "program"
