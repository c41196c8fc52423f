"""Printing the server's answer to a host's command."""

import json
from collections.abc import Mapping
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


def door_line(invitation: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a tuple with a line that shows an invitation's join code; an empty tuple if the door is closed."""
    door = invitation.get("door")
    return () if door is None else (f"pupils   {door['code']} at {door['link']}",)


def only_here(invitation: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a tuple with a hint if an invitation's link works only on the server's own machine.

    Otherwise return an empty tuple.
    """
    hint = "only this machine can use these: rumble serve --host 0.0.0.0 lets others in, --public-url says by what name"
    return (hint,) if invitation.get("only_here") else ()
