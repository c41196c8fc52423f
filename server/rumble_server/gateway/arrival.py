"""New connections that come when the event loop has no time left in its present iteration.

libuv accepts sockets until none waits, and an `HttpConnection` takes about 50 us to make. Hundreds of strangers who
connect at once would hold up the loop for many ms. An `Arrival` is much cheaper, and becomes an `HttpConnection` in a
later iteration of the loop.
"""

import asyncio
from collections.abc import Callable
from typing import cast

from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.source import limited_address


def arriving(fairness: ReadFairness, make: Callable[[], HttpConnection]) -> asyncio.Protocol:
    """Return the protocol of a new connection: an `HttpConnection` from `make`, or an `Arrival` if no time is left."""
    return make() if fairness.claim_time() else Arrival(fairness, make)


class Arrival(asyncio.Protocol):
    """A connection that waits to become an `HttpConnection`. Its socket is not read meanwhile."""

    __slots__ = ("_early", "_fairness", "_make", "_transport", "address")

    def __init__(self, fairness: ReadFairness, make: Callable[[], HttpConnection]) -> None:
        self._fairness = fairness
        self._make = make
        self._transport: asyncio.Transport | None = None
        self._early = b""
        """Bytes that the transport delivered although reading is paused."""
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = limited_address(peer[0]) if peer else ""
        self._transport.pause_reading()
        self._fairness.enqueue(self)

    def data_received(self, data: bytes) -> None:
        self._early += data
        if self._transport is not None:  # some transports start to read after `connection_made`
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def on_scheduled(self) -> None:
        """Make the `HttpConnection`, and give it the socket and the bytes received so far."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        protocol = self._make()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._early and not transport.is_closing():
            protocol.data_received(self._early)

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()
