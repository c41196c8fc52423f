"""Printing the server's answer to a host's command."""

import json
from typing import Any

import typer

from rumble_server.cli.support.terminal import plain, plain_lines, plain_or_rich


def print_answer(told: Any, as_json: bool, *shown: Any) -> None:
    """Print `told` as JSON, or `shown` (texts, and tables made of `plain` texts) for a person."""
    if as_json:
        typer.echo(plain_lines(json.dumps(told, indent=2, ensure_ascii=False)))
        return
    for each in shown:
        if isinstance(each, str):
            typer.echo(plain(each))
        else:
            plain_or_rich().print(each)
