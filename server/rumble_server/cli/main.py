"""The entry point of `rumble`: lists the commands, and turns errors into a line and an exit code.

Each command has a module of its name in `commands`. The module has either a `typer.Typer` called `app`, or a function
called like the command. The module is imported only when the command is used, so a bot starts without loading a web
server.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rumble_server.cli.output.errors import ExitCode, as_cli_error
from rumble_server.cli.output.terminal import coloured, plain
from rumble_server.cli.support.commands import App

COMMANDS = {
    "demo": "Run a whole tournament on this machine, with a live table.",
    "serve": "Run a server that hosts tournaments.",
    "db": "Back up, restore, check, mend and shrink a database.",
    "tournament": "Create, start, watch and end tournaments on a server.",
    "club": "Create clubs on a server, and bound what they use.",
    "node": "See the servers that share a database, and drain one.",
    "ban": "Keep an address or a name out of a server, for a time.",
    "token": "Give and take back the tokens of hosts.",
    "watch": "Show the live standings of a tournament.",
    "bot": "Play as a reference bot, or as any Python function.",
    "new": "Write a starter bot in a language of your choice.",
    "bridge": "Play with any program that speaks stdio, UCI, GTP or Gomocup, or a Battlesnake.",
    "practice": "Try your bot against a reference bot; see every frame.",
    "check": "Check a bot in any language against the rules of the protocol.",
    "play": "Play a match yourself, in the terminal.",
    "battle": "Play thousands of matches between two bots in one process.",
    "ask": "Print a bot's move, its score and the nodes it visited.",
    "pair": "Pair the next round of a Swiss, or check how a file's were.",
    "standings": "Rank the bots of any result file, with tie-breaks.",
    "ratings": "Rate the bots of any result file, with intervals.",
    "replay": "Step through a match, from a file or a server.",
    "games": "List the installed games and their settings.",
    "schema": "Print the JSON Schema of every message.",
}
MOST_COLUMNS = 100
"""Maximum width of help, in columns: longer lines are hard to read."""
DEBUG_VARIABLE = "RUMBLE_DEBUG"
ONE_THREAD = "OPENBLAS_NUM_THREADS"
"""Environment variable for numpy's number of threads. If the variable is missing, `run` sets it to 1.

The matrices here are too small to gain from more threads, and the threads would slow matches down.
"""


class LazyGroup(TyperGroup):
    """The group of all commands: lists each command by a line of help, and loads only the command in use."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load(name), rest


def load(name: str) -> Any:
    """Import the command called `name`, and return the command."""
    module = import_module(f"rumble_server.cli.commands.{name}")
    command = getattr(module, "app", None)
    if not isinstance(command, typer.Typer):
        command = App()
        command.command(name)(getattr(module, name))
    return typer.main.get_command(command)


app = App(
    cls=LazyGroup,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": MOST_COLUMNS},
)


for _name, _line in COMMANDS.items():
    app.command(_name, help=_line)(lambda: None)  # `--help` lists the command; `LazyGroup` loads the command


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"rumble {version('botrumble')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def rumble(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Rumble: bots in any language meet over WebSocket in refereed tournaments."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(ExitCode.USAGE)


def run(args: Sequence[str] | None = None) -> int:
    """Run `rumble` with `args` (None: the arguments of this process), and return the exit code.

    Commands find the arguments in the `obj` of their context. An error is printed as a line. But if the environment
    variable RUMBLE_DEBUG is set, an error of a command is raised.
    """
    os.environ.setdefault(ONE_THREAD, "1")
    args = sys.argv[1:] if args is None else list(args)
    try:
        colour = True if coloured(sys.stdout) else None
        result = app(args, prog_name="rumble", standalone_mode=False, color=colour, obj=args)
        sys.stdout.flush()
    except typer.TyperException as error:
        where = getattr(error, "ctx", None)
        hint = f" (see: {where.command_path} --help)" if where is not None else ""
        return _print_error(error.format_message().replace(": Value error, ", ": ") + hint, error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        if sys.stderr.isatty():
            typer.echo(err=True)  # after the ^C of the terminal
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone
        _drop_output()
        return ExitCode.FAILED
    except Exception as error:
        _drop_output()
        if os.environ.get(DEBUG_VARIABLE):
            raise
        known = as_cli_error(error)
        if known is not None:
            return _print_error(known.message, known.exit_code)
        problem = f"{type(error).__name__}: {error}"
        return _print_error(f"internal error: {problem} ({DEBUG_VARIABLE}=1 shows where)", ExitCode.FAILED)
    return int(result) if isinstance(result, int) and not isinstance(result, bool) else ExitCode.DONE


def _drop_output() -> None:
    """Drop output that cannot be written. Otherwise Python would try to write it again at exit, and print an error."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(message: str, exit_code: int) -> int:
    typer.echo(plain(f"rumble: {' '.join(message.split())}"), err=True)
    return exit_code
