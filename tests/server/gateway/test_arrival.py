"""New connections that wait for time, without sockets."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_server.gateway.arrival import Arrival

from tests.server.failing import fail
from tests.server.gateway.iterating_loop import Loop
from tests.server.gateway.transport import Transport


def test_an_arrival_that_becomes_no_connection_is_ended(caplog: pytest.LogCaptureFixture) -> None:
    loop, transport = Loop(), Transport()
    Arrival(loop.fairness(2), fail).connection_made(cast(Any, transport))
    loop.iterate()
    assert transport.is_aborted
    assert "its bytes could not be handled" in caplog.text


def test_a_connection_that_ends_as_it_is_made_reads_no_early_bytes() -> None:
    loop, transport, received = Loop(), cast(Any, Transport()), list[bytes]()
    made = SimpleNamespace(connection_made=lambda transport: transport.abort(), data_received=received.append)
    transport.set_protocol = lambda _: None
    arrival = Arrival(loop.fairness(2), lambda: cast(Any, made))
    arrival.connection_made(transport)
    arrival.data_received(b"early")
    loop.iterate()
    assert transport.is_aborted
    assert received == []
