from typing import Any

import pytest
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.local_config import local_config


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"seed": -1}, "seed: Input should be greater than or equal to 0"),
        ({"game": "hex", "settings": {"size": 99}}, "size must be from 2 to 19, not 99"),
        ({"format": "league"}, "unknown format 'league'; there are: round-robin, gauntlet, knockout, swiss"),
        ({"seats": 3}, "tictactoe has 2 seats, not 3"),
    ],
)
def test_a_wrong_field_is_told_in_a_line(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(CliError) as refused:
        local_config(**{"name": "Demo", "game": "tictactoe", **fields})
    assert (refused.value.message, refused.value.exit_code) == (told, ExitCode.USAGE)
