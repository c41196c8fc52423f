"""Connections that arrive in a turn of the loop without time left.

libuv accepts sockets until none waits, and making an `HttpConnection` costs some 50 us. So strangers who connect by the
hundred would hold the loop for many ms. An `Arrival` costs a fraction, and becomes an `HttpConnection` in a later turn.
"""

import asyncio
from collections.abc import Callable
from typing import cast

from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.source import source_of


def arriving(turns: ReadFairness, make: Callable[[], HttpConnection]) -> asyncio.Protocol:
    """Return the protocol of a new connection, whose `HttpConnection` is made by `make`, now or in a later turn."""
    return make() if turns.has_time() else Arrival(turns, make)


class Arrival(asyncio.Protocol):
    """A connection that waits to become an `HttpConnection`. Nothing is read from its socket meanwhile."""

    __slots__ = ("_early", "_make", "_transport", "_turns", "address")

    def __init__(self, turns: ReadFairness, make: Callable[[], HttpConnection]) -> None:
        self._turns = turns
        self._make = make
        self._transport: asyncio.Transport | None = None
        self._early = b""
        """Bytes that the transport delivered all the same."""
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = source_of(peer[0]) if peer else ""
        self._transport.pause_reading()
        self._turns.wait(self)

    def data_received(self, data: bytes) -> None:
        self._early += data
        if self._transport is not None:  # some transports start to read after `connection_made`
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def read_on(self) -> None:
        """Become an `HttpConnection`."""
        transport, self._transport = self._transport, None
        if transport is None or transport.is_closing():
            return
        made = self._make()
        transport.set_protocol(made)
        made.connection_made(transport)
        if self._early:
            made.data_received(self._early)
