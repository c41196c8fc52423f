"""A new connection's wait for a permit as a stranger of its address (`limits/permits.py`)."""

import asyncio
from collections.abc import Callable

from rumble_server.gateway.connection_parts import ConnectionParts
from rumble_server.limits.permits import WAIT_MS, Newcomer, Permit


class PermitWait:
    """A connection's wait for a permit. While the connection waits, its socket is not read."""

    __slots__ = ("_queued", "_shared", "_transport")

    def __init__(self, shared: ConnectionParts, transport: asyncio.Transport) -> None:
        self._shared = shared
        self._transport = transport
        self._queued: tuple[Newcomer, asyncio.TimerHandle] | None = None
        """Entry in the queue for a free permit, and the timer that ends the wait; None without a wait."""

    @property
    def is_waiting(self) -> bool:
        """True while the connection waits for a free permit."""
        return self._queued is not None

    def acquire(
        self, address: str, end: Callable[[], None], granted: Callable[[Permit], None], refuse: Callable[[], None]
    ) -> None:
        """Acquire a permit at `address`. Call `granted` with the permit, or `refuse` if no permit becomes free in time.

        `end` ends the connection, and is called when a new connection takes over the permit.
        """
        permits, loop = self._shared.permits, asyncio.get_running_loop()
        permit = permits.open(address, self._shared.clock.now_ms(), end)
        if permit is not None:
            granted(permit)
            return
        self._transport.pause_reading()
        # The admission runs later, because a permit may become free in the middle of a login of another bot.
        newcomer = permits.wait(address, lambda permit: loop.call_soon(self._admit, permit, end, granted))
        if newcomer is not None:
            self._queued = newcomer, loop.call_later(WAIT_MS / 1000, self._on_waited, newcomer, refuse)
        else:
            self._shared.refusals.count("strangers", address)
            refuse()

    def stop(self) -> None:
        """End the wait, if there is one. Neither `granted` nor `refuse` is called."""
        if self._queued is not None:
            newcomer, timer = self._queued
            self._queued = None
            timer.cancel()
            self._shared.permits.stop_waiting(newcomer)

    def _admit(self, permit: Permit, end: Callable[[], None], granted: Callable[[Permit], None]) -> None:
        self.stop()
        if self._transport.is_closing():
            permit.release()
        else:
            permit.listen(self._shared.clock.now_ms(), end)
            granted(permit)

    def _on_waited(self, newcomer: Newcomer, refuse: Callable[[], None]) -> None:
        """End the connection of another stranger at the address, to make room.

        Call `refuse` if there is no permit even then. Do nothing if the connection is lost; `stop` then ends the wait.
        """
        if self._transport.is_closing():
            return
        permits = self._shared.permits
        permits.make_room(newcomer.address, self._shared.clock.now_ms())
        if permits.stop_waiting(newcomer):
            self._queued = None
            self._shared.refusals.count("strangers", newcomer.address)
            refuse()
