"""`rumble new`: a starter bot under a name of one's own, in one of several languages."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rumble_bots.sdk.starters import STARTERS


class Language(StrEnum):
    """What a starter is written in."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    JAVA = "java"
    GO = "go"
    CPP = "cpp"
    SHELL = "shell"


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name, and that of its new folder.")],
    language: Annotated[Language, typer.Option(help="What it is written in.")] = Language.PYTHON,
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where the folder is made.")] = Path(),
) -> None:
    """Write a bot that plays, to be made a better one; and tell what to do with it."""
    starter = STARTERS[language]
    folder = starter.write(name, directory)
    run = f"{starter.run} winblock"
    steps = (
        (f"cd {shlex.quote(str(folder))}", "its files: " + ", ".join(starter.files)),
        (starter.build, "once, and again after changes" if starter.compiled else "once"),
        (f"rumble check -- {run}", "does it keep the protocol?"),
        (f"rumble practice -- {run}", "a match, with every frame shown"),
        (f"RUMBLE_SERVER=127.0.0.1:8765 RUMBLE_JOIN=friday RUMBLE_NAME={name} {run}", "into a tournament"),
    )
    width = max(len(command) for command, _ in steps if command)
    for command, why in steps:
        if command:
            typer.echo(f"{command:{width}}  # {why}")
