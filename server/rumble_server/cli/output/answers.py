"""Printing the server's answer to a host's command."""

import json
from collections.abc import Mapping
from typing import Any

import typer

from rumble_server.cli.output.terminal import plain, plain_lines, plain_or_rich


def print_answer(told: Any, *shown: Any, as_json: bool) -> None:
    """Print `told` as JSON if `as_json` is true, and otherwise the texts and tables in `shown`.

    The caller must have escaped the texts in tables with `plain`.
    """
    if as_json:
        typer.echo(plain_lines(json.dumps(told, indent=2, ensure_ascii=False)))
        return
    for each in shown:
        if isinstance(each, str):
            typer.echo(plain(each))
        else:
            plain_or_rich().print(each)


def door_line(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a line with the join code of an invitation, if the door is open for pupils; otherwise no line."""
    door = told.get("door")
    return () if door is None else (f"pupils   {door['code']} at {door['link']}",)


def only_here(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a line with a hint if an invitation's link works only on the server's own machine; otherwise no line."""
    hint = "only this machine can use these: rumble serve --host 0.0.0.0 lets others in, --public-url says by what name"
    return (hint,) if told.get("only_here") else ()
