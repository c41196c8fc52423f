"""Options that several commands share."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from rumble_server.cli.support.errors import CliError, ExitCode

Server = Annotated[
    str,
    typer.Option(envvar="RUMBLE_SERVER", metavar="URL", help="http://host:port, ws://host:port or host:port."),
]
Key = Annotated[
    str | None,
    typer.Option(envvar="RUMBLE_KEY", metavar="KEY", help="The name's key; else one is made and kept for next time."),
]
Join = Annotated[str | None, typer.Option(envvar="RUMBLE_JOIN", metavar="ID", help="The tournament to play in.")]
Name = Annotated[str | None, typer.Option(envvar="RUMBLE_NAME", help="Its name there; the bot's own by default.")]
MatchesAtOnce = Annotated[int, typer.Option(min=1, help="So many matches at the same time.")]
Invite = Annotated[str | None, typer.Option(help="The invitation, where the tournament asks for one.")]
Challenges = Annotated[bool, typer.Option("--challenges", help="Accept challenges; stay until Ctrl-C.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but the result.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Log everything, tracebacks too.")]
Game = Annotated[str, typer.Option(metavar="GAME", help="See: rumble games.")]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "--setting", metavar="NAME=VALUE", help="A setting of the game; may be given again for others."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Search = Annotated[
    str | None, typer.Option(metavar="NAME", help="minimax: plain, cached, alphabeta, cached-alphabeta or strong.")
]
Depth = Annotated[int | None, typer.Option(min=1, help="minimax, streetwise: look so many plies ahead.")]
TimeMs = Annotated[
    int | None, typer.Option(min=1, help="minimax, streetwise, mcts: think at most so long about a move.")
]

Iterations = Annotated[int | None, typer.Option(min=1, help="mcts: play so many random games for a move.")]


def given(**options: Any) -> dict[str, Any]:
    """Those of `options` that somebody gave."""
    return {name: value for name, value in options.items() if value is not None}


def check_purpose(join: str | None, challenges: bool) -> None:
    """Raise CliError where a bot is told nothing to play in."""
    if join is None and not challenges:
        raise CliError("say what to play in: --join ID (or RUMBLE_JOIN), or --challenges", ExitCode.USAGE)


def log_everything() -> None:
    """What `--verbose` asks for."""
    logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("websockets").setLevel(logging.INFO)


def no_options_for_functions(options: Mapping[str, Any]) -> None:
    """Raise CliError if any of a reference bot's `options` was given for a function."""
    if options:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in options)
        raise CliError(f"{names}: only for reference bots, not for functions", ExitCode.USAGE)


def read_settings(texts: Sequence[str] | None) -> dict[str, bool | int | str]:
    """Settings written NAME=VALUE, the value as JSON or else as text. Raises CliError; the game checks the rest."""
    settings = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise CliError(f"{text!r} is not a setting: write NAME=VALUE", ExitCode.USAGE)
        settings[name] = _value(value)
    return settings


def read_player(text: str) -> tuple[str, dict[str, Any]]:
    """A reference bot and its options, written NAME or NAME,OPTION=VALUE,OPTION=VALUE. Raises CliError."""
    name, *options = text.split(",")
    read: dict[str, Any] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not key or not equals:
            raise CliError(f"{option!r} is not an option of {name}: write {name},OPTION=VALUE", ExitCode.USAGE)
        read[key.replace("-", "_")] = _value(value)
    return name, read


def _value(text: str) -> bool | int | str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | str) else text


def read_points(text: str) -> tuple[float, float, float]:
    """Points written like `3,1,0`. Raises ValueError."""
    try:
        win, draw, loss = (float(value) for value in text.split(","))
    except ValueError:
        raise ValueError(f"points are three numbers, for a win, a draw and a loss, like 3,1,0, not {text!r}") from None
    return win, draw, loss
