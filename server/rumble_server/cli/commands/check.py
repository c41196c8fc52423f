"""`rumble check`: check a bot against the rules of the protocol."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import completion
from rumble_server.cli.support.bot_names import program
from rumble_server.cli.support.options import Json

if TYPE_CHECKING:
    from rumble_bots.sdk.address import Address

AWAITED_S = 60.0
"""Default of `--wait`, in s, if no COMMAND is given. Without COMMAND, a person has to start the bot."""


def check(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND]", help="Starts the bot; or FILE.py:FUNCTION; without it, start the bot yourself."
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME",
            help="A game to check; may be repeated; tictactoe by default.",
            autocompletion=completion.games,
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Be the server at this address; by default 127.0.0.1 and a free port."),
    ] = None,
    wait: Annotated[
        float | None, typer.Option(min=0.1, help="Time in s for the bot to connect; 30, or 60 without COMMAND.")
    ] = None,
    move_ms: Annotated[
        int, typer.Option(min=50, max=60_000, help="The bot's time for a move, in ms; give slow bots more.")
    ] = 500,
    patience: Annotated[
        float | None,
        typer.Option(
            min=0.1, max=100, help="Multiply all limits of time by this; by default measured by the program's start."
        ),
    ] = None,
    as_json: Json = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as JUnit XML, too.")] = None,
) -> int:
    """Check a bot in any language against every rule of PROTOCOL.md, and say what to fix.

    The bot finds RUMBLE_SERVER (host:port, followed by /c/NAME if --server contains /c/NAME), RUMBLE_JOIN and
    RUMBLE_NAME in its environment. In COMMAND, {address}, {join} and {name} are replaced by the same three values.
    """
    from rumble_bots.check.run import STARTED_S, Plan, check_bot
    from rumble_bots.check.writers import as_json as written_json
    from rumble_bots.check.writers import as_junit, as_lines

    from rumble_server.cli.support.loop import run_unless_stopped

    if junit is not None and not junit.parent.is_dir():
        raise CliError(f"--junit {junit}: there is no folder {junit.parent}", ExitCode.USAGE)
    wait_s = wait if wait is not None else (STARTED_S if command else AWAITED_S)
    games = list(dict.fromkeys(game or ()))
    plan = Plan(program(command or ()), games, _address(server), wait_s, move_ms, patience)
    report = run_unless_stopped(check_bot(plan, lambda line: typer.echo(line, err=True)))
    if report is None:
        return ExitCode.INTERRUPTED
    if junit is not None:
        junit.write_text(as_junit(report), encoding="utf-8")
    if as_json:
        typer.echo(written_json(report))
    if report.never_came is not None:
        raise CliError(f"there is nothing to check: {report.never_came}")
    if not as_json:
        typer.echo("\n".join(as_lines(report)))
    return ExitCode.DONE if report.passed else ExitCode.FAILED


def _address(server: str | None) -> "Address":
    """Return the address at which the check listens for the bot.

    Raises BadAddress for a malformed address, and CliError for an address with TLS.
    """
    from rumble_bots.check.run import ANY_PORT
    from rumble_bots.sdk.address import Address

    if server is None:
        return ANY_PORT
    address = Address.parse(server)
    if address.secure:
        raise CliError("--server: the kit brings no TLS; write http://, ws:// or host:port", ExitCode.USAGE)
    return address
