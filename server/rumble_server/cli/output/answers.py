"""Printing the server's answer to a host's command."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import typer

from rumble_server.cli.output.terminal import plain, plain_lines, plain_or_rich


def print_answer(answer: Any, *shown: Any, as_json: bool) -> None:
    """Print `answer` as JSON if `as_json` is true, and otherwise the texts and tables in `shown`.

    The caller must first escape the texts in tables by `plain`; other texts are escaped here.
    """
    if as_json:
        typer.echo(plain_lines(json.dumps(answer, indent=2, ensure_ascii=False)))
        return
    for each in shown:
        if isinstance(each, str):
            typer.echo(plain(each))
        else:
            plain_or_rich().print(each)


def bare_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Any:
    """Make a table without borders. Characters in cells that would control a terminal are escaped."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def invitation_hints(invitation: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line with the invitation's join code if the door is open, and a hint if only this machine can join."""
    if (door := invitation.get("door")) is not None:
        yield f"pupils   {door['code']} at {door['link']}"
    if invitation.get("only_here"):
        others = "rumble serve --host 0.0.0.0 lets others in, --public-url says by what name"
        yield f"only this machine can use these: {others}"
