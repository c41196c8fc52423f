"""Bots on a command line: reference bots, functions, and the names under which they play."""

import re
import sys
from collections.abc import Sequence
from contextlib import chdir
from typing import Any

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.options import json_or_text

DEFAULT_HOUSE = "random,heuristic,minimax,perfect,mcts"
"""Default of `--house`: bots that can always be challenged, from the weakest to the strongest."""
NO_HOUSE = "none"


def split_names(text: str) -> list[str]:
    """Split `a,b` into a list. Raises CliError for an empty name."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise CliError(f"an empty name in {text!r}", ExitCode.USAGE)
    return names


def checked_bots(names: Sequence[str]) -> list[str]:
    """Return `names` if each is a usable bot.

    Raises CliError for an unknown reference bot, and BadFunction for a FILE.py:FUNCTION that cannot be loaded.
    """
    from rumble_bots.functions.load import is_function, load_bot
    from rumble_bots.reference import REFERENCE_BOTS

    for name in names:
        if is_function(name):
            with chdir("."):  # the bot may change the working directory
                load_bot(name)
        elif name not in REFERENCE_BOTS:
            raise CliError(f"unknown bot {name!r}; known: {', '.join(REFERENCE_BOTS)}", ExitCode.USAGE)
    return list(names)


def read_house(text: str) -> tuple[str, ...]:
    """Read the option `--house`: reference bots or functions separated by commas, or `none`. Raises CliError."""
    return () if text in ("", NO_HOUSE) else tuple(checked_bots(split_names(text)))


def read_reference_bot(text: str) -> tuple[str, dict[str, Any]]:
    """Read a reference bot's name and options, written NAME or NAME,OPTION=VALUE,OPTION=VALUE. Raises CliError."""
    name, *options = text.split(",")
    read: dict[str, Any] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not key or not equals:
            raise CliError(f"{option!r} is not an option of {name}: write {name},OPTION=VALUE", ExitCode.USAGE)
        if key in ("name", "seed"):  # parameters of `make_reference_bot`, besides the options
            raise CliError(f"{name} has no option {key!r}", ExitCode.USAGE)
        read[key.replace("-", "_")] = json_or_text(value)
    return name, read


def program(command: Sequence[str]) -> list[str]:
    """Return the command that starts a bot: `rumble bot FILE.py:FUNCTION` for a function, otherwise `command`."""
    is_function = len(command) == 1 and command[0].rpartition(":")[0].endswith(".py")
    return [*((sys.executable, "-m", "rumble_server.cli", "bot") if is_function else ()), *command]


def own_name(bot: str) -> str:
    """Return the name under which a reference bot or FILE.py:FUNCTION plays by default."""
    return bot.rpartition(":")[2].strip("_")


def as_bot_name(text: str, otherwise: str) -> str:
    """Return the characters of `text` that a bot's name can have, at most 32; `otherwise` if no character is left."""
    return re.sub(r"[^A-Za-z0-9_.-]", "", text).lstrip("_.-")[:32] or otherwise
