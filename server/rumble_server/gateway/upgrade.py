"""Turning an HTTP upgrade request into a bot's connection: acquire a permit, load the club, hand the socket over."""

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol

from rumble_protocol.clubs import MAIN, web_path
from rumble_protocol.codes import CloseCode

from rumble_server.gateway.connection import Connection
from rumble_server.gateway.handshake import BOT_PATH
from rumble_server.gateway.shared_by_connections import HasGateway, SharedByConnections
from rumble_server.limits.permits import Permit
from rumble_server.limits.source import Source
from rumble_server.store.errors import StoreError

log = logging.getLogger(__name__)


class UpgradingConnection(Protocol):
    """The part of an HTTP connection that an `Upgrade` uses."""

    transport: asyncio.Transport
    connections: set[Any]
    """The open connections of the server."""

    def acquire_permit(self, then: Callable[[Permit], None], /) -> None:
        """Acquire a permit for the bot's connection, and call `then` with the permit. Refuse if no permit is free."""

    def answer(self, status: HTTPStatus, text: str, header: bytes = b"", /) -> None:
        """Refuse the upgrade, and end the connection."""

    def detach(self) -> bytes:
        """Stop using the socket, and return the bytes of the upgrade request."""


class Upgrade:
    """A request for an upgrade to a bot's connection. Nothing is read from the socket before the hand-over."""

    __slots__ = ("_club", "_http", "_loading", "_path", "_rest", "_shared", "_source")

    def __init__(
        self, http: UpgradingConnection, shared: SharedByConnections, source: Source, club: str, path: str, rest: bytes
    ) -> None:
        """Make an upgrade at `path` of `club`. `rest` has the bytes received after the request."""
        self._http = http
        self._shared = shared
        self._source = source
        self._club = club
        self._path = path
        self._rest = rest
        self._loading: asyncio.Task[None] | None = None
        """Task that loads the club."""

    def begin(self) -> None:
        """Acquire a permit, then enter the club. Refuse a path at which no bot connects, and a club of another node."""
        if self._path != BOT_PATH:
            self._http.answer(HTTPStatus.NOT_FOUND, f"bots connect at {web_path(self._club)}{BOT_PATH}\n")
        elif not self._refuse_unless_led():
            self._http.acquire_permit(self._on_permit)

    def _refuse_unless_led(self) -> bool:
        """Refuse the upgrade if another node leads the club, or if this server lets no bot in. Return true if refused.

        Each step asks again, since the club may be handed over during the wait for a permit, or during the loading.
        """
        clubs = self._shared.clubs
        if not (clubs.refuses_bots or clubs.must_redirect(self._club)):
            return False
        text = "this club has no leader here; come again\n"
        self._http.answer(HTTPStatus.SERVICE_UNAVAILABLE, text, b"Retry-After: 1\r\n")
        return True

    def _on_permit(self, permit: Permit) -> None:
        """Hand the connection over to the requested club. Load the club first if needed."""
        if self._refuse_unless_led():
            return
        club = self._shared.clubs.get_loaded(self._club)
        if club is not None:
            self._hand_over(club, permit)
        else:
            self._loading = asyncio.get_running_loop().create_task(self._load(permit))

    async def _load(self, permit: Permit) -> None:
        """Load the requested club, and hand the connection over to it."""
        clubs = self._shared.clubs
        try:
            club = await clubs.load(self._club)
        except Exception as error:  # an error of the club itself, too, since the bot waits for an answer
            is_store_error = isinstance(error, StoreError)
            log.error("club %s cannot be loaded: %s", self._club, error, exc_info=not is_store_error)
            if not self._http.transport.is_closing():
                self._http.answer(HTTPStatus.SERVICE_UNAVAILABLE, "this club cannot be read at the moment\n")
            return
        finally:
            self._loading = None
        if self._http.transport.is_closing() or self._refuse_unless_led():
            return
        main = clubs.get_loaded(MAIN)
        if club is not None:
            self._hand_over(club, permit)
        elif main is not None and clubs.was_removed(self._club):
            # Bots come back after a 404, since a proxy may have sent the 404. This close code makes bots stay away.
            self._hand_over(main, permit, CloseCode.CLUB_REMOVED)
        else:
            self._http.answer(HTTPStatus.NOT_FOUND, f"there is no club {self._club} here\n")

    def _hand_over(self, club: HasGateway, permit: Permit, refused: CloseCode | None = None) -> None:
        """Hand socket and permit over to a new `Connection` of `club`.

        If `refused` is given, the `Connection` closes at once with the close code `refused`.
        """
        http = self._http
        request = http.detach()
        bot = Connection(club.gateway, self._shared, self._source, permit, http.connections)
        bot.connection_made(http.transport)
        http.transport.set_protocol(bot)
        http.transport.resume_reading()
        bot.open(request, self._rest, refused)
