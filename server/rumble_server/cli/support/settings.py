"""The settings of `rumble serve`: from options, the environment, a TOML file and defaults, in this order.

Each field of `ServerConfig`, `Bounds` and `Limits` is a setting. A field `idle_ms` is the option `--idle-ms`, the
variable `RUMBLE_IDLE_MS` and the key `idle_ms` of the file. This module reads the fields from the source of the models,
where their docstrings are, so that help is shown without loading pydantic.
"""

import ast
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rumble_server.cli.support.bot_names import DEFAULT_HOUSE, read_house
from rumble_server.cli.support.errors import CliError, ExitCode

if TYPE_CHECKING:
    from rumble_server.config import ServerConfig

PREFIX = "RUMBLE_"
FILE_VARIABLE = "RUMBLE_CONFIG"
"""The variable that names the settings file, if the option `--config` does not."""
MODULES = {"": "rumble_server.config", "limits": "rumble_protocol.limits", "bounds": "rumble_server.bounds"}
"""Modules of the models, by the field of `ServerConfig` that holds the model; empty for `ServerConfig` itself."""
OTHER_OPTIONS = {"allowed_hosts": "allow-host"}
"""Options whose name differs from the field's."""
CLOSE = 0.88
"""Similarity (0 to 1) of an unknown variable to a setting's, from which the variable is refused as a typing error."""
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

Kind = Literal["yes or no", "a whole number", "text", "a list"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting."""

    name: str
    """The field's name, and the key in the settings file."""
    part: str
    """The field of `ServerConfig` whose model has the setting; empty for a field of `ServerConfig` itself."""
    kind: Kind
    default: Any
    about: str

    @property
    def option(self) -> str:
        return "--" + OTHER_OPTIONS.get(self.name, self.name).replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def shown_default(self) -> str:
        """The default as text; empty where no default is worth showing."""
        if self.name == "house":
            return DEFAULT_HOUSE
        return "" if self.default in (None, False, ()) or self.kind == "a list" else str(self.default)


@cache
def settings() -> Mapping[str, Setting]:
    """Return all settings by name, in the order of the help."""
    return {setting.name: setting for part, module in MODULES.items() for setting in _of(part, module)}


def read_config(given: Mapping[str, Any], environment: Mapping[str, str]) -> "ServerConfig":
    """Make the configuration from options (None: not given), the environment and the settings file. Raises CliError."""
    from pydantic import ValidationError

    from rumble_server.config import ServerConfig

    _refuse_slips(environment)
    file = given.get("config") or environment.get(FILE_VARIABLE)
    kept = _read_file(file) if file else {}
    values: dict[str, dict[str, Any]] = {part: {} for part in MODULES}
    places: dict[str, str] = {}
    for setting in settings().values():
        name = setting.name
        for place, source, key in (
            (setting.option, given, name),
            (setting.variable, environment, setting.variable),
            (f"{file}: {name}", kept, name),
        ):
            if source.get(key) is not None:
                places[name] = place
                values[setting.part][name] = _read(setting, place, source[key])
                break
    values[""].setdefault("house", read_house(DEFAULT_HOUSE))
    own = values.pop("")
    if "tls_key" in own and "tls_cert" not in own:
        raise CliError(f"{places['tls_key']}: a key without a certificate; give {_names('tls_cert')}", ExitCode.USAGE)
    try:
        return ServerConfig.model_validate({**own, **values})
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        name = next(str(each) for each in reversed(problem["loc"]) if each in places)
        raise CliError(f"{places[name]}: {problem['msg'].removeprefix('Value error, ')}", ExitCode.USAGE) from None


def _names(name: str) -> str:
    setting = settings()[name]
    return f"{setting.option} or {setting.variable}"


def _of(part: str, module: str) -> Iterator[Setting]:
    """Read the fields of a module's model: an annotation, a default, and a docstring."""
    package, _, name = module.rpartition(".")
    tree = ast.parse(files(package).joinpath(f"{name}.py").read_text(encoding="utf-8"))
    (model,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for field, after in pairwise(model.body):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=text) if part or name not in MODULES:
                about = " ".join(str(ast.literal_eval(text)).split())
                yield Setting(name, part, _kind(field.annotation), _default(field.value), about)


def _kind(annotation: ast.expr) -> Kind:
    match ast.unparse(annotation).removeprefix("Annotated[").replace("[", " ").replace(",", " ").split()[0]:
        case "bool":
            return "yes or no"
        case "int" | "Count" | "Bytes" | "Milliseconds":
            return "a whole number"
        case "tuple" | "frozenset":
            return "a list"
        case _:
            return "text"


def _default(value: ast.expr | None) -> Any:
    if isinstance(value, ast.Call):  # frozenset()
        return ()
    return None if value is None else ast.literal_eval(value)


# --- values ---


def _read(setting: Setting, place: str, value: Any) -> Any:
    """Read a value of an option, the environment or the file. Raises CliError; a secret is not repeated."""
    try:
        if setting.name == "house":
            return read_house(value if isinstance(value, str) else ",".join(_list(value)))
        read = _READERS[setting.kind](value)
    except CliError as error:
        raise CliError(f"{place}: {error}", ExitCode.USAGE) from None
    except ValueError:
        raise CliError(f"{place}: this is {setting.kind}, not {value!r}", ExitCode.USAGE) from None
    if setting.part == "limits" and read < 1:  # the protocol's model accepts 0, which would keep everyone out
        raise CliError(f"{place}: this is at least 1", ExitCode.USAGE)
    return read


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in YES + NO:
        raise ValueError(value)
    return word in YES


def _number(value: Any) -> int:
    if isinstance(value, bool | float):
        raise ValueError(value)
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip()) if value.strip(" ,") else ()
    if not isinstance(value, list):
        raise ValueError(value)
    return tuple(part for each in value for part in _list(_text(each)))


def _set(value: Any) -> frozenset[str]:
    return frozenset(_list(value))


_READERS: Mapping[Kind, Callable[[Any], Any]] = {
    "yes or no": _yes_or_no,
    "a whole number": _number,
    "text": _text,
    "a list": _set,
}


# --- sources of values ---


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
    """Raise CliError for a variable almost like a setting's. Other variables belong to bots and other commands."""
    known = [setting.variable for setting in settings().values()]
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known and variable != FILE_VARIABLE:
            close = get_close_matches(variable, known, 1, CLOSE)
            if close:
                raise CliError(f"{variable}: there is no such setting; did you mean {close[0]}?", ExitCode.USAGE)
