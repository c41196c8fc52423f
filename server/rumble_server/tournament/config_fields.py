"""The fields of a tournament's configuration, for the form in the console and for the options of commands.

All texts and bounds come from the JSON Schema of `TournamentConfig`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rumble_server.tournament.config import TournamentConfig


@dataclass(frozen=True, slots=True)
class ConfigField:
    """A field of a tournament's configuration, whose value a host chooses."""

    name: str
    """Path in the configuration, such as `time_control.move_ms`."""
    about: str
    """Description, one or more sentences."""
    type: str
    """Type in JSON; the first type of a field that may have several."""
    default: Any
    """Value in a new tournament; None for a field that is empty at first."""
    minimum: int | None
    maximum: int | None
    """Greatest number, or the maximum length of a text."""
    choices: tuple[str, ...]
    """Texts to choose from; empty where the schema lists none."""


@cache
def config_fields() -> Mapping[str, ConfigField]:
    """Return the fields by name. Each part of the time control is a field of its own. `settings` is left out."""
    schema = TournamentConfig.model_json_schema()
    defaults = TournamentConfig(name="any", game="tictactoe").model_dump() | {"name": None, "seats": None}
    fields: dict[str, ConfigField] = {}
    for name, given in schema["properties"].items():
        if name == "time_control":
            for part, timed in schema["$defs"]["TimeControl"]["properties"].items():
                fields[f"{name}.{part}"] = _field(f"{name}.{part}", timed, defaults[name][part])
        elif name != "settings":
            fields[name] = _field(name, given, defaults[name])
    return fields


def _field(name: str, given: dict[str, Any], default: Any) -> ConfigField:
    kind = given["anyOf"][0] if "anyOf" in given else given
    return ConfigField(
        name,
        given["description"].replace("\n", " "),
        kind["type"],
        default,
        kind.get("minimum"),
        kind.get("maximum", kind.get("maxLength")),
        tuple(kind.get("enum", ())),
    )
