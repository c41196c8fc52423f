"""New connections that wait for time, without sockets."""

from typing import Any, cast

import pytest
from rumble_server.gateway.arrival import Arrival

from tests.server.gateway.iterating_loop import Loop
from tests.server.gateway.transport import Transport


def test_an_arrival_that_becomes_no_connection_is_ended(caplog: pytest.LogCaptureFixture) -> None:
    def make() -> Any:
        raise RuntimeError("a bug of the test")

    loop, transport = Loop(), Transport()
    Arrival(loop.fairness(2), make).connection_made(cast(Any, transport))
    loop.iterate()
    assert transport.is_aborted
    assert "its bytes could not be handled" in caplog.text
