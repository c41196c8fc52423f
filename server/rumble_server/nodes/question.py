"""The answer to a proxy that asks which node leads the club of a path: `GET /api/leader`, from memory.

`HttpConnection` gives the answer before the web sees the request, because the proxy asks for every request of every
visitor. Status 204 comes with the address of a node. Status 502 means that this node has no lease, and does not know:
the proxy asks the next node, and leaves this node out for a while. Status 503 means that the club has no leader: the
proxy has the client come again.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Protocol
from urllib.parse import unquote

from rumble_protocol.clubs import MAIN

from rumble_server.nodes.lease import Lease
from rumble_server.web.path_owner import Owner, owner_of

FORWARDED = frozenset({b"x-forwarded-for", b"forwarded"})
"""Headers of a request sent through a proxy. A proxy's own question has none of these headers."""
URI = frozenset({b"x-original-uri", b"x-forwarded-uri"})
"""Headers with the path and query of the client's request: as set for nginx in docs/examples, and as set by Caddy."""
LED_BY = b"Rumble-Leader: %s\r\n"
AGAIN = b"Retry-After: 1\r\n"
Answer = tuple[HTTPStatus, bytes]
"""The status and a header line."""


class KnownClubs(Protocol):
    """The clubs known to this node."""

    def knows(self, club: str) -> bool:
        """Return whether a club exists, as far as this node has read the facts of main."""


class Question:
    """The answers of this node to proxies, from the last look of the lease, at most about a second ago."""

    def __init__(
        self, lease: Lease, holds: Callable[[], bool], clubs: KnownClubs, want: Callable[[str], None], address: str
    ) -> None:
        """`holds` tells if the lease is valid, `want` finds a club a leader, `address` is the address of this node."""
        self._lease, self._holds, self._clubs, self._want, self._address = lease, holds, clubs, want, address

    def answer(self, headers: Sequence[tuple[bytes, bytes]]) -> Answer | None:
        """Return the answer to a request with these headers; None if no proxy asks."""
        uri: bytes | None = None
        for name, value in headers:
            if name in FORWARDED:
                return None
            if name in URI:
                uri = value
        if uri is None:
            return None
        path, _, query = uri.decode("latin-1").partition("?")
        owner = owner_of(unquote(path), query)
        if not self._holds():
            return HTTPStatus.BAD_GATEWAY, AGAIN
        if isinstance(owner, Owner):
            return HTTPStatus.NO_CONTENT, LED_BY % self._address.encode()
        leader = self._lease.leader_of(owner)
        if leader is None and not self._clubs.knows(owner):
            owner = MAIN  # only main's leader knows a club created just now, or can say that the club does not exist
            leader = self._lease.leader_of(MAIN)
        if leader is None:
            self._want(owner)
            return HTTPStatus.SERVICE_UNAVAILABLE, AGAIN
        return HTTPStatus.NO_CONTENT, LED_BY % leader.address.encode()
