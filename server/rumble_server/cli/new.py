"""`rumble new`: a starter bot under a name of one's own, in one of several languages."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rumble_bots.starters import STARTERS

Language = StrEnum("Language", list(STARTERS))  # type: ignore[misc]


def new(
    name: Annotated[str, typer.Argument(help="The bot's name, and that of its new folder.")],
    language: Annotated[Language, typer.Option(help="What it is written in.")] = Language.python,
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where to make the folder.")] = Path(),
) -> None:
    """Write a bot that plays already, to be made better."""
    starter = STARTERS[language]
    folder = starter.write(name, directory)
    steps = [
        (f"cd {folder}", ""),
        (starter.build or "", "once, and after each change" if starter.language in ("go", "cpp") else "once"),
    ]
    typer.echo(steps)
