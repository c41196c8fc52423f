"""`rumble bridge`: play with any existing program, unchanged."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import options
from rumble_server.cli.support.bot_names import as_bot_name
from rumble_server.cli.support.commands import App

if TYPE_CHECKING:
    from rumble_bots.bridges.battlesnake.bot import BattlesnakeBot
    from rumble_bots.bridges.bot import BridgeBot
    from rumble_bots.bridges.dialogue import Dialogue
    from rumble_bots.sdk.actions import Summary


Protocol = Literal["stdio", "uci", "gtp", "gomocup", "battlesnake"]
"""The protocols that `rumble bridge` speaks with a program."""
OPTIONS_OF: Mapping[str, Protocol] = {
    "bare": "stdio",
    "all": "stdio",
    "option": "uci",
    "depth": "uci",
    "nodes": "uci",
    "movetime": "uci",
    "no-clock": "gtp",
}
"""The protocol of each option that belongs to a single protocol."""

Command = Annotated[
    list[str], typer.Argument(metavar="-- COMMAND", help="The program and its options; battlesnake: the URL instead.")
]
Name = Annotated[
    str | None, typer.Option(envvar="RUMBLE_NAME", help="Its name on the server; the program's own by default.")
]

# Options may stand on either side of PROTOCOL. All words after `--` belong to the program.
app = App(context_settings={"allow_interspersed_args": True})


@app.command()
@partial(options.with_parameters, parameters=options.PLAYING | {"name": Name}, defaults=options.PLAYING_DEFAULTS)
def bridge(
    context: typer.Context,
    protocol: Annotated[Protocol, typer.Argument(help="The protocol that the program speaks.")],
    command: Command,
    *,
    bare: Annotated[
        bool, typer.Option("--bare", help="stdio: send it the legal moves instead of the turn as JSON.")
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="stdio: send it match_start, rejected and match_over, too.")
    ] = False,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="uci: an option of the engine; may be repeated.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="uci: how many plies to search; the clock is ignored.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="uci: how many nodes to search.")] = None,
    movetime: Annotated[int | None, typer.Option(min=1, metavar="MS", help="uci: how long to search, in ms.")] = None,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="gtp: do not send it the clock.")] = False,
    stderr: Annotated[
        Path | None, typer.Option(help="File for its standard error; by default in your state folder.")
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    **playing: Any,
) -> int:
    """Play with any program that reads and writes lines, until the tournament is over.

    A chess engine speaks uci, a program for Go speaks gtp, a program for gomoku speaks gomocup, and a program of your
    own speaks stdio. An example: `rumble bridge uci --join cup -- stockfish`. A Battlesnake is an HTTP server, so
    its address is given instead of a program: `rumble bridge battlesnake http://localhost:8000 --join cup`.
    """
    from rumble_server.cli.processes import workers as processes
    from rumble_server.cli.processes.playing import play, run_to_summary

    options.check_purpose(playing["join"], playing["challenges"])
    own = options.without_none(option=option, depth=depth, nodes=nodes, movetime=movetime)
    own |= {name: True for name, wanted in {"bare": bare, "all": all_, "no-clock": no_clock}.items() if wanted}
    make_bot = bot_maker(protocol, own, command, stderr)
    if playing["workers"] is not None and processes.own is None:
        return processes.run_workers(context.obj, playing["workers"], playing["worker"])
    worker = processes.own or playing["worker"]
    program = "battlesnake" if protocol == "battlesnake" else command[0]
    name = playing["name"] or as_bot_name(Path(program).stem, "program")
    say = processes.line_writer(worker, quiet=quiet, verbose=verbose)
    bot = make_bot(name if worker is None else f"{name}.{worker}", say or (lambda _: None))

    async def started() -> "Summary":
        try:
            await bot.start()
            return await play(bot, playing, name, worker, say)
        finally:
            await bot.close()

    return run_to_summary(started())


def bot_maker(
    protocol: Protocol, chosen: Mapping[str, Any], command: Sequence[str], stderr: Path | None
) -> "Callable[[str, Callable[[str], None]], BridgeBot | BattlesnakeBot]":
    """Return a function that makes the bot.

    The returned function takes a label, and a function that shows a line to the person. If `stderr` is None, the file
    for the bot's standard error is named after the label.

    Raises CliError for options that do not fit the protocol or each other. For a Battlesnake, `command` must be a
    single word, which is an HTTP address. Raises CliError for more or fewer words, and BadAddress for a bad address.
    """
    from rumble_bots.bridges.bot import BridgeBot
    from rumble_bots.bridges.program import Launch
    from rumble_bots.bridges.stderr_file import StderrFile, default_stderr_file

    make_dialogue = dialogue_maker(protocol, chosen)
    if make_dialogue is None:
        from rumble_bots.bridges.battlesnake.bot import BattlesnakeBot
        from rumble_bots.bridges.battlesnake.webhooks import Webhooks

        if stderr is not None or len(command) != 1:
            problem = "needs one URL" if stderr is None else "has no standard error to keep"
            raise CliError(f"battlesnake {problem}: rumble bridge battlesnake http://localhost:8000", ExitCode.USAGE)
        webhooks = Webhooks(command[0])
        return lambda _, say: BattlesnakeBot(webhooks, say)

    def make(label: str, say: Callable[[str], None]) -> BridgeBot:
        kept = StderrFile(stderr or default_stderr_file(label))
        say(f"its standard error is kept in {kept.path}")
        return BridgeBot(Launch(command, make_dialogue, kept, say))

    return make


def dialogue_maker(protocol: Protocol, chosen: Mapping[str, Any]) -> "Callable[[], Dialogue] | None":
    """Return a function that makes a `Dialogue` for a process of the program; None for a Battlesnake, an HTTP server.

    Raises CliError for an option of another protocol, for `--all` with `--bare`, and for a malformed `--option`.
    """
    from rumble_bots.bridges import gomocup, gtp, stdio, uci

    for name in chosen:
        if OPTIONS_OF[name] != protocol:
            raise CliError(f"--{name}: only for {OPTIONS_OF[name]}, not for {protocol}", ExitCode.USAGE)
    match protocol:
        case "uci":
            limits = {name: chosen.get(name) for name in ("depth", "nodes")}
            wishes = uci.UciWishes(read_options(chosen.get("option", ())), **limits, movetime_ms=chosen.get("movetime"))
            return lambda: uci.Uci(wishes)
        case "gtp":
            return lambda: gtp.Gtp(clock="no-clock" not in chosen)
        case "battlesnake":
            return None
        case "gomocup":
            return gomocup.Gomocup
        case "stdio" if chosen.get("bare"):
            if "all" in chosen:
                raise CliError("--all is for turns as JSON, not for --bare", ExitCode.USAGE)
            return stdio.BareStdio
        case "stdio":
            return lambda: stdio.Stdio(everything="all" in chosen)


def read_options(texts: Sequence[str]) -> dict[str, str]:
    """Read an engine's options, each written NAME=VALUE. Raises CliError for a text of another form."""
    return {name.strip(): value.strip() for name, value in options.named_values(texts, "an option")}
