"""The settings of `rumble serve`.

An option overrides the environment, the environment overrides a TOML file, and the file overrides the default.

Each field of `ServerConfig` is a setting. Each field that `Bounds` adds to the fields of its base class is a setting,
too. A field `idle_ms` has the option `--idle-ms`, the variable `RUMBLE_IDLE_MS` and the key `idle_ms` of the file. The
two models read and check the values.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.bot_names import DEFAULT_HOUSE, read_house
from rumble_server.config import ServerConfig
from rumble_server.limits.bounds import Bounds

PREFIX = "RUMBLE_"
FILE_VARIABLE = "RUMBLE_CONFIG"
"""The environment variable that names the TOML file if the option `--config` is not given."""
OTHER_OPTIONS = {"allowed_hosts": "allow-host"}
"""Names of options that differ from the name of their field, keyed by field."""
CLOSE = 0.88
"""Minimum similarity, from 0 to 1, between an unknown variable and a setting's variable.

At or above this similarity, the unknown variable is refused as misspelt.
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of `rumble serve`."""

    name: str
    """The field's name, and the key in the settings file."""
    field: FieldInfo

    @property
    def option(self) -> str:
        return "--" + OTHER_OPTIONS.get(self.name, self.name).replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def kind(self) -> Any:
        """The type of the value: bool, int, tuple, frozenset, or another."""
        return get_origin(self.field.annotation) or self.field.annotation

    @property
    def about(self) -> str:
        """The field's docstring, on one line."""
        return " ".join((self.field.description or "").split())

    @property
    def shown_default(self) -> str:
        """The default as text for the help; empty if the default is None, 0, False or an empty value."""
        if self.name == "house":
            return DEFAULT_HOUSE
        return str(self.field.default or "")


@cache
def settings() -> Mapping[str, Setting]:
    """Return all settings by name, in the order of the help."""
    own = {name: field for name, field in ServerConfig.model_fields.items() if name != "bounds"}
    bounds = {name: Bounds.model_fields[name] for name in Bounds.__annotations__}
    return {name: Setting(name, field) for name, field in {**own, **bounds}.items()}


def read_config(options: Mapping[str, Any], environment: Mapping[str, str]) -> ServerConfig:
    """Make the configuration from the options (None: not given), the environment and the TOML file. Raises CliError."""
    _refuse_slips(environment)
    file = options.get("config") or environment.get(FILE_VARIABLE)
    file_values = _read_file(file) if file else {}
    values: dict[str, Any] = {"house": DEFAULT_HOUSE}
    origins = {"house": "--house"}
    for name, setting in settings().items():
        for origin, source, key in (
            (setting.option, options, name),
            (setting.variable, environment, setting.variable),
            (f"{file}: {name}", file_values, name),
        ):
            if source.get(key) is not None:
                origins[name], values[name] = origin, source[key]
                break
    try:
        house = values["house"]
        values["house"] = read_house(",".join(map(str, house if isinstance(house, list) else [house])))
        values["bounds"] = {name: values.pop(name) for name in Bounds.__annotations__ if name in values}
        return ServerConfig.model_validate(values, strict=False)
    except CliError as error:
        raise CliError(f"{origins['house']}: {error}", ExitCode.USAGE) from None
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]  # a secret is not repeated
        name = next(str(each) for each in reversed(problem["loc"]) if each in origins)
        raise CliError(f"{origins[name]}: {problem['msg'].removeprefix('Value error, ')}", ExitCode.USAGE) from None


def _read_file(file: str) -> dict[str, Any]:
    try:
        kept = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise CliError(f"{file}: {error.strerror}", ExitCode.USAGE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CliError(f"{file}: not a TOML file: {error}", ExitCode.USAGE) from None
    for key in kept:
        if key not in settings():
            close = get_close_matches(key.replace("-", "_"), settings(), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise CliError(f"{file}: there is no setting {key!r}{hint}", ExitCode.USAGE)
    return kept


def _refuse_slips(environment: Mapping[str, str]) -> None:
    """Raise CliError for a misspelt variable of a setting.

    A variable that resembles no setting is accepted, because the variable belongs to a bot or to another command.
    """
    known = [setting.variable for setting in settings().values()]
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known and variable != FILE_VARIABLE:
            close = get_close_matches(variable, known, 1, CLOSE)
            if close:
                raise CliError(f"{variable}: there is no such setting; did you mean {close[0]}?", ExitCode.USAGE)
