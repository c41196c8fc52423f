"""A group of commands of `rumble`, with typer's plain help, because rich takes long to load."""

from typing import Any

import typer


class App(typer.Typer):
    """A group of commands of `rumble`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"add_completion": False, "rich_markup_mode": None, **settings})
