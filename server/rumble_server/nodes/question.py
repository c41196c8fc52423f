"""The answer to a proxy that asks which node leads the club of a path: `GET /api/leader`, from memory.

`HttpConnection` gives the answer before the web sees the request, because every request of every visitor brings one
question. 204 has the address of a node. 502 tells of a node without a lease, and so without knowledge: the proxy asks
the next node, and leaves the asked node out for a while. 503 tells of a club without a leader: the proxy has the client
come again.
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
"""Headers with the path and query that the proxy's client asked for: nginx's by docs/examples, and Caddy's."""
LED_BY = b"Rumble-Leader: %s\r\n"
AGAIN = b"Retry-After: 1\r\n"
Answer = tuple[HTTPStatus, bytes]
"""The status and a header line."""


class KnownClubs(Protocol):
    """The clubs known to this node."""

    def knows(self, club: str) -> bool:
        """Return whether a club exists by the facts of main that this node has read."""


class Question:
    """The answers of this node, by the last look of its lease, which is at most about a second old."""

    def __init__(
        self, lease: Lease, holds: Callable[[], bool], clubs: KnownClubs, want: Callable[[str], None], address: str
    ) -> None:
        """Answer by this lease. `want` finds a leader for a club without one; `address` is the address of this node."""
        self._lease, self._holds, self._clubs, self._want, self._address = lease, holds, clubs, want, address

    def answer(self, headers: Sequence[tuple[bytes, bytes]]) -> Answer | None:
        """Return the answer to a request with these headers; None unless a proxy itself asks."""
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
