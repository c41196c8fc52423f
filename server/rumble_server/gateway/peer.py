"""The peer of an HTTP connection, as limits see the peer: its addresses, its permit, its requests and its bans."""

import asyncio
from collections.abc import Callable

from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.limits.bans import Ban
from rumble_server.limits.permits import PERMIT_WAIT_MS, Permit, WaitingConnection
from rumble_server.limits.source import Headers, Source, limited_address


class Peer:
    """The peer of a connection. While the peer waits for a permit, its socket is not read.

    If the peer is a trusted proxy, each request has a source of its own, and limits count the source.
    """

    __slots__ = ("_host", "_permit", "_queued", "_shared", "_transport", "address", "source")

    def __init__(self, shared: SharedByConnections, transport: asyncio.Transport, host: str) -> None:
        """Make the peer of `transport`. `host` is the peer's own address; empty for a Unix socket."""
        self._shared = shared
        self._transport = transport
        self._host = host
        self._permit: Permit | None = None
        self._queued: tuple[WaitingConnection, asyncio.TimerHandle] | None = None
        """Entry in the queue for a free permit, and the timer that ends the wait; None without a wait."""
        self.address = limited_address(host)
        """Address by which limits count the connection."""
        self.source = Source("", False, "http")
        """Source of the newest request whose headers are complete."""

    # --- the permit ---

    @property
    def is_waiting(self) -> bool:
        """True while the peer waits for a free permit."""
        return self._queued is not None

    @property
    def lacks_room(self) -> bool:
        """True if the peer is a stranger whose address has the maximum number of known connections."""
        return self._permit is not None and not self._permit.has_room

    def acquire_permit(self, granted: Callable[[], None], refuse: Callable[[], None]) -> None:
        """Acquire a permit for the connection, and call `granted`; or call `refuse` if no permit becomes free in time.

        Connections of a trusted proxy need no permit, because the proxy's clients are counted instead.
        """
        if self.is_proxy():
            self._permit = self._shared.permits.uncounted(self.address)
            granted()
        else:
            self._acquire(self.address, lambda _: granted(), refuse)

    def acquire_bot_permit(self, granted: Callable[[Permit], None], refuse: Callable[[], None]) -> None:
        """Acquire a permit for a bot's connection, and call `granted` with the permit, or else `refuse`.

        If a proxy forwards the connection, the permit is counted for the address of the proxy's client. Otherwise the
        connection keeps its present permit.
        """
        permit = self._permit
        if permit is not None and self.source.address == self.address and not self.is_proxy():
            permit.allow_eviction(self._shared.clock.now_ms(), self._on_evicted)
            granted(permit)
        else:  # a trusted proxy, or an unknown one on this machine (`TUNNELLED`), forwards the connection
            if permit is not None:
                permit.release()
            self._acquire(self.source.address, granted, refuse)

    def acquire_refusal_permit(self) -> bool:
        """Acquire a permit to wait for a refusal. Return False if too many connections of the address wait for one."""
        self._permit = self._shared.permits.refuse(self.address)
        return self._permit is not None

    def mark_known(self) -> None:
        """Count the connection as known, after a completed request."""
        if self._permit is not None:
            self._permit.mark_known()

    def release(self) -> None:
        """Release the permit, or end the wait for one."""
        self._stop_waiting()
        if self._permit is not None:
            self._permit.release()

    def _acquire(self, address: str, granted: Callable[[Permit], None], refuse: Callable[[], None]) -> None:
        permits, loop = self._shared.permits, asyncio.get_running_loop()
        permit = permits.open(address, self._shared.clock.now_ms(), self._on_evicted)
        if permit is not None:
            self._permit = permit
            granted(permit)
            return
        self._transport.pause_reading()
        # The grant runs later, because a permit may become free in the middle of a login of another bot.
        connection = permits.wait(address, lambda permit: loop.call_soon(self._on_granted, permit, granted))
        if connection is not None:
            self._queued = connection, loop.call_later(PERMIT_WAIT_MS / 1000, self._on_waited, connection, refuse)
        else:
            self.count_refusal("strangers")
            refuse()

    def _stop_waiting(self) -> None:
        if self._queued is not None:
            connection, timer = self._queued
            self._queued = None
            timer.cancel()
            self._shared.permits.stop_waiting(connection)

    def _on_granted(self, permit: Permit, granted: Callable[[Permit], None]) -> None:
        self._stop_waiting()
        if self._transport.is_closing():
            permit.release()
        else:
            permit.allow_eviction(self._shared.clock.now_ms(), self._on_evicted)
            self._permit = permit
            granted(permit)

    def _on_waited(self, connection: WaitingConnection, refuse: Callable[[], None]) -> None:
        """End the connection of another stranger at the address, to make room.

        Call `refuse` if there is no permit even then. If the connection is lost, do nothing; `release` ends the wait.
        """
        if self._transport.is_closing():
            return
        permits = self._shared.permits
        permits.make_room(connection.address, self._shared.clock.now_ms())
        if permits.stop_waiting(connection):
            self._queued = None
            self.count_refusal("strangers")
            refuse()

    def _on_evicted(self) -> None:
        """End the connection, even after an upgrade: its address is full, and a new connection takes its permit."""
        self.count_refusal("strangers")
        self._transport.abort()

    # --- requests ---

    def is_proxy(self) -> bool:
        """Return true if the peer is a trusted proxy."""
        return self._shared.sources.is_proxy(self._host)

    def identify(self, scheme: str, headers: Headers) -> Source:
        """Find the source of a request. `scheme` is the scheme of the connection."""
        self.source = self._shared.sources.of_request(self._host, scheme, headers)
        return self.source

    def take_requests(self, requests: int) -> bool:
        """Count requests of the source. Return false if the address has made too many requests."""
        shared = self._shared
        return requests == 0 or shared.permits.requests.take(self._counted(), shared.clock.now_ms(), times=requests)

    def count_refusal(self, reason: str) -> None:
        """Count a refusal of a request or of the connection."""
        self._shared.refusals.count(reason, self._counted())

    def ban(self, club_name: str) -> Ban | None:
        """Return the ban of the source in a club; None without a ban, or if the club is not loaded."""
        club = self._shared.clubs.get_loaded(club_name)
        return None if club is None else club.gateway.bots.ban_of(self.source.address)

    def _counted(self) -> str:
        return self.source.address or self.address
