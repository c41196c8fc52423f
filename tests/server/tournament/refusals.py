"""Commands that are refused."""

from collections.abc import Callable

import pytest
from rumble_protocol.codes import ErrorCode
from rumble_server.tournament.errors import CommandRefused


def refused(code: ErrorCode, command: Callable[[], object]) -> str:
    """Assert that a command is refused with this code, and return the line for people."""
    with pytest.raises(CommandRefused) as error:
        command()
    assert error.value.code is code
    return str(error.value)
