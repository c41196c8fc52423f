"""A new connection's search for a place among the strangers of its address (`limits/connections.py`)."""

import asyncio
from collections.abc import Callable

from rumble_server.gateway.entrance import Entrance
from rumble_server.limits.connections import WAIT_MS, Newcomer, Place


class PlaceSearch:
    """A connection's search for a place. While the connection waits for a free place, its socket is not read."""

    __slots__ = ("_entrance", "_transport", "_wait")

    def __init__(self, entrance: Entrance, transport: asyncio.Transport) -> None:
        self._entrance = entrance
        self._transport = transport
        self._wait: tuple[Newcomer, asyncio.TimerHandle] | None = None
        """Entry in the queue for a free place, and the timer that ends the wait; None without a wait."""

    @property
    def is_waiting(self) -> bool:
        """True while the connection waits for a free place."""
        return self._wait is not None

    def seek(
        self, address: str, end: Callable[[], None], found: Callable[[Place], None], refuse: Callable[[], None]
    ) -> None:
        """Look for a place at `address`. Call `found` with the place, or call `refuse` if no place is found in time.

        `end` ends the connection, and is called when a new connection takes over the place.
        """
        places, loop = self._entrance.places, asyncio.get_running_loop()
        place = places.open(address, self._entrance.clock.now_ms(), end)
        if place is not None:
            found(place)
            return
        self._transport.pause_reading()
        # The admission runs later, because a place may become free in the middle of a login of another bot.
        newcomer = places.wait(address, lambda place: loop.call_soon(self._admit, place, end, found))
        if newcomer is not None:
            self._wait = newcomer, loop.call_later(WAIT_MS / 1000, self._on_waited, newcomer, refuse)
        else:
            self._entrance.refusals.note("strangers", address)
            refuse()

    def stop(self) -> None:
        """End the wait, if there is one. Neither `found` nor `refuse` is called."""
        if self._wait is not None:
            newcomer, timer = self._wait
            self._wait = None
            timer.cancel()
            self._entrance.places.leave(newcomer)

    def _admit(self, place: Place, end: Callable[[], None], found: Callable[[Place], None]) -> None:
        self.stop()
        if self._transport.is_closing():
            place.close()
        else:
            place.listen(self._entrance.clock.now_ms(), end)
            found(place)

    def _on_waited(self, newcomer: Newcomer, refuse: Callable[[], None]) -> None:
        """End the connection of another stranger at the address, to make room.

        Call `refuse` if there is no place even then.
        """
        places = self._entrance.places
        places.make_room(newcomer.address, self._entrance.clock.now_ms())
        if places.leave(newcomer):
            self._wait = None
            self._entrance.refusals.note("strangers", newcomer.address)
            refuse()
