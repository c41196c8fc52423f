"""The configuration of a tournament that a command plays on this machine."""

from typing import Any

from pydantic import ValidationError

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.tournament.config import TournamentConfig


def local_config(**fields: Any) -> TournamentConfig:
    """Return the configuration with these fields. Raises CliError."""
    try:
        return TournamentConfig(**fields)
    except ValidationError as error:
        problem = error.errors()[0]
        names = () if problem["type"] == "value_error" else problem["loc"]  # Rumble's own texts need no field's name
        message = ": ".join([*map(str, names), problem["msg"].removeprefix("Value error, ")])
        raise CliError(message, ExitCode.USAGE) from None
