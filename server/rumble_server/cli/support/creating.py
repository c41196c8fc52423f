"""`rumble tournament create`: an option for each field of a tournament's configuration.

The options are made from the model of the configuration, which takes long to load. So this module is imported only when
the command is used.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rumble_engine import get_game

from rumble_server.cli.output.answers import invitation_hints
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import options
from rumble_server.cli.support.api_client import ApiClient, api_path
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_host
from rumble_server.results.tables.points import PAYOFFS, PLACES
from rumble_server.tournament.config_fields import ConfigField, config_fields
from rumble_server.tournament.openings import BadOpenings, read_openings

OPTIONS = {
    "late_join": "--late-join",
    "rated": "--rated/--unrated",
    "listed": "--listed/--unlisted",
    "start_at_ms": "--start-at",
    "seed_ratings": "--seed-rating",
}
"""Names of options, keyed by field. For any other field, typer makes the option's name from the field's name."""
WRITTEN = {
    "invite": ("CODE", ""),
    "start_at_ms": ("TIME", " TIME is like 2030-01-31T20:00, local or with a zone."),
    "openings": ("auto|suite|none|FILE", " A FILE has one opening on each line."),
    "points": ("LIST|places|payoffs", " By default 1,0.5,0; above two seats places."),
    "tiebreaks": ("LIST", ""),
    "seed_ratings": ("NAME=RATING|FILE", " A FILE has NAME=RATING on each line; repeatable."),
}
"""For each field, the placeholder for the option's value, and an explanation of the value. The help shows both.

Only fields whose values have a special form are here.
"""


def create_command() -> Any:
    """Return the command `create`, with an option for each field."""
    app, parameters = App(), {name: _option(name, each) for name, each in _fields().items()}
    app.command("create")(of_host(options.with_parameters(create, parameters)))
    return typer.main.get_command(app)


def create(
    client: ApiClient,
    name: Annotated[str, typer.Argument(help="Its name for people; its id is made from it.")],
    game: options.Game,
    *,
    setting: options.Setting = None,
    forecast: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="BOTS",
            help="Create nothing: tell the number of matches of this many bots, and about how long they take.",
        ),
    ] = None,
    **chosen: Any,
) -> CommandOutput:
    """Create a tournament, which waits in its lobby until the start."""
    settings = options.read_settings(setting)
    config: dict[str, Any] = {"name": name, "game": game, "settings": settings}
    for option, value in options.without_none(**chosen).items():
        read = READERS.get(option)
        group, _, field = _fields()[option].name.rpartition(".")
        (config.setdefault(group, {}) if group else config)[field] = value if read is None else read(value)
    if "openings" in config:
        config["openings"] = openings_of(config["openings"], game, settings)
    if forecast is not None:
        answer = client.post(f"host/forecast?bots={forecast}", config)
        return answer, answer["text"]
    created = client.post("tournaments", config)
    invite = client.get(api_path("tournaments", created["id"], "invite"))
    lines = f"{created['id']} is created: {invite['link']}", f"bots join with: {invite['command']}"
    return created, *lines, *invitation_hints(invite)


def _fields() -> dict[str, ConfigField]:
    """Return the configuration's fields for which `create` has an option, keyed by the option's name in Python."""
    return {name.rpartition(".")[2]: each for name, each in config_fields().items() if name not in ("name", "game")}


def _option(name: str, field: ConfigField) -> Any:
    """Return the annotation of the option for a field."""
    metavar, how = WRITTEN.get(name, ("|".join(field.choices) or None, ""))
    about = f"{field.about}{how}"
    if isinstance(field.default, int | str) and field.default is not False and "default" not in about:
        about += f" By default {'yes' if field.default is True else field.default}."
    if name.endswith("_ms"):
        metavar = metavar or "MS"
    kind = {"boolean": bool, "integer": int, "object": list[str]}.get(field.type, str)
    if name == "start_at_ms":
        kind = str
    written = [OPTIONS[name]] if name in OPTIONS else []

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in field.choices if choice.startswith(incomplete)]

    return Annotated[
        kind | None, typer.Option(*written, metavar=metavar, min=field.minimum, help=about, autocompletion=complete)
    ]


def split_list(text: str) -> list[str]:
    """Split `a,b` into a list; an empty text is an empty list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def points_of(text: str) -> str | list[float]:
    """Read `3,1,0` or `10,6,3,0` as numbers. Return the words `places` and `payoffs` unchanged. Raises CliError."""
    if text in (PLACES, PAYOFFS):
        return text
    with suppress(ValueError):
        points = [float(value) for value in text.split(",")]
        if all(map(isfinite, points)):
            return points
    message = f"--points: {text!r} is neither numbers like 3,1,0 or 10,6,3,0, nor {PLACES} or {PAYOFFS}"
    raise CliError(message, ExitCode.USAGE)


def openings_of(text: str, game: str, settings: Mapping[str, Any]) -> str | list[list[str]]:
    """Return `text` if it is a choice such as `auto`; otherwise read the openings in the file that `text` names.

    Raises CliError if the file cannot be read. For bad openings, the error names the number of each bad line.
    """
    words = config_fields()["openings"].choices
    if text in words:
        return text
    try:
        lines = Path(text).read_text("utf-8")
    except OSError as error:
        raise CliError(f"--openings {text}: {error.strerror} (or one of {', '.join(words)})", ExitCode.USAGE) from None
    except UnicodeDecodeError as error:
        raise CliError(f"--openings {text}: byte {error.start} is not UTF-8", ExitCode.USAGE) from None
    try:
        return [list(opening) for opening in read_openings(lines, get_game(game), settings)]
    except BadOpenings as error:
        raise CliError(f"--openings {text}: {error}", ExitCode.USAGE) from None


def moment_ms(text: str) -> int:
    """Read a time in ISO 8601 as ms since the epoch. A time without a zone is local. Raises CliError."""
    try:
        return round(datetime.fromisoformat(text).astimezone().timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise CliError(f"--start-at: {text!r} is not a time like 2030-01-31T20:00", ExitCode.USAGE) from None


def seed_ratings_of(texts: Sequence[str]) -> list[str]:
    """Return ratings as `NAME=RATING`; a text without `=` names a file of such lines. Raises CliError."""
    from rumble_server.cli.support.files import read_text

    lines = [line for text in texts for line in ([text] if "=" in text else read_text(text).splitlines())]
    return [line for line in lines if line.strip()]


READERS = {"start_at_ms": moment_ms, "points": points_of, "tiebreaks": split_list, "seed_ratings": seed_ratings_of}
"""Functions that read an option's text, keyed by option. `openings_of` is left out, because it needs the game, too."""
