"""`rumble` with constants of its own, for which the command line has no options.

python own_constants.py CONSTANTS ARGUMENT...; CONSTANTS is a JSON object of fields of `ServerConfig` and of its bounds.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from rumble_server.cli.commands import serve
from rumble_server.cli.main import run
from rumble_server.cli.support.settings import read_config
from rumble_server.config import ServerConfig


def with_constants(given: Mapping[str, Any], environment: Mapping[str, str]) -> ServerConfig:
    """Return the configuration with the constants of this process."""
    config, own = read_config(given, environment), json.loads(sys.argv[1])
    bounds = {name: own.pop(name) for name in own.keys() - ServerConfig.model_fields.keys()}
    return config.model_copy(update={**own, "bounds": config.bounds.model_copy(update=bounds)})


if __name__ == "__main__":
    with patch.object(serve, "read_config", with_constants):
        sys.exit(run(sys.argv[2:]))
