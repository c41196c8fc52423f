"""`rumble new`: write a starter bot in one of several languages."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rumble_protocol.secret import make_secret

from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.options import LOCAL_SERVER, Invite, Join, Server
from rumble_server.starters.starter import STARTERS, Language


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the bot and of its new folder.")],
    language: Annotated[Language, typer.Option(help="Language of the bot.")] = Language.PYTHON,
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where to make the folder.")] = Path(),
    server: Server = LOCAL_SERVER,
    join: Join = "friday",
    invite: Invite = None,
) -> None:
    """Write a small bot that plays, for you to improve, and print the commands to run it."""
    from rumble_bots.sdk.keys import check_name

    starter = STARTERS[language]
    settings = _settings(server, join, name, invite, keyless=language is not Language.SHELL)
    try:
        folder = starter.write(check_name(name), directory)
    except FileExistsError:
        raise CliError(f"{directory / name} exists: choose another name, or another --dir") from None
    run = starter.run
    steps = (
        (f"cd {shlex.quote(str(folder))}", f"its strategy is {starter.strategy}"),
        (starter.build, "once, and again after changes" if starter.compiled else "once"),
        (f"rumble check -- {run}", "does it keep the protocol?"),
        (f"rumble practice -- {run}", "a match, with every frame shown"),
        (f"{_for_a_shell(settings)} {run}", "into a tournament"),
        (f"{_for_powershell(settings)} {run}", "the same in the PowerShell of Windows"),
    )
    width = max(len(command) for command, _ in steps if command)
    for command, why in steps:
        if command:
            typer.echo(f"{command:{width}}  # {why}")


def _settings(server: str, join: str | None, name: str, invite: str | None, *, keyless: bool) -> dict[str, str]:
    """Return the environment variables for a starter. Raises BadAddress.

    If `keyless` is true, the bot makes no key by itself. A server on another machine asks for a key. Therefore the
    variables include a new key if `keyless` is true and the server is on another machine.
    """
    from rumble_bots.sdk.address import Address

    key = make_secret() if keyless and not Address.parse(server).loopback else None
    values = {"SERVER": server.removeprefix("http://"), "JOIN": join, "NAME": name, "KEY": key, "INVITE": invite}
    return {f"RUMBLE_{name}": value for name, value in values.items() if value}


def _for_a_shell(settings: dict[str, str]) -> str:
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())


def _for_powershell(settings: dict[str, str]) -> str:
    quoted = {name: value.replace("'", "''") for name, value in settings.items()}
    return " ".join(f"$env:{name}='{value}';" for name, value in quoted.items())
