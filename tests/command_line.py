"""Parses commands as the command line does, without running them."""

import shlex
from collections.abc import Iterable
from typing import Any

from rumble_server.cli.main import app
from typer import Exit
from typer.main import get_command


def parse_all(commands: Iterable[str]) -> None:
    """Parse each command (`rumble serve --port 1`). Raises AssertionError for an unknown command, option or value."""
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "rumble", command
        try:
            _parse(get_command(app), program, arguments)
        except Exit as answered:  # `--version` ends parsing at once
            if answered.exit_code != 0:
                raise AssertionError(f"{command!r} is not accepted") from answered
        except Exception as error:
            raise AssertionError(f"{command!r} is not accepted: {error!r} {error}") from error


def _parse(command: Any, name: str, arguments: list[str]) -> None:
    context = command.make_context(name, arguments)
    if hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        assert rest, f"{name} wants a command"
        sub_name, sub_command, sub_arguments = command.resolve_command(context, rest)
        _parse(sub_command, sub_name, sub_arguments)


def unknown_names(mentioned: str) -> list[str]:
    """Return unknown parts of a mentioned command, whole or partial: the command's name, or its unknown options."""
    found, words = get_command(app), shlex.split(mentioned.partition(" -- ")[0])[1:]
    while hasattr(found, "resolve_command") and words and not words[0].startswith("-"):
        context = found.make_context("rumble", list(words), resilient_parsing=True)
        name, command, rest = found.resolve_command(context, words)
        if name is None:
            return words[:1]
        found, words = command, rest
    known = {name for option in found.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    return [word for word in words if word.startswith("--") and word not in known]
