"""The answer to a proxy that asks which node leads the club of a path: `GET /api/leader`, from memory.

The gateway answers it before the web does, because every request of every visitor brings one question. 204 tells the
address of a node. 502 says that this node has no lease and so does not know: the proxy asks the next node, and leaves
this one out for a while. 503 says that nobody leads the club now: the proxy tells its client to come again.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Protocol
from urllib.parse import unquote

from rumble_protocol.clubs import MAIN

from rumble_server.nodes.lease import Lease
from rumble_server.web.path_owner import Owner, owner_of

FORWARDED = frozenset({b"x-forwarded-for", b"forwarded"})
"""Headers of a request that somebody sent through a proxy: no proxy's own question has them."""
URI = frozenset({b"x-original-uri", b"x-forwarded-uri"})
"""Headers with the path and query that the proxy's client asked for: nginx's by our file, and Caddy's."""
LED_BY = b"Rumble-Leader: %s\r\n"
AGAIN = b"Retry-After: 1\r\n"
Answer = tuple[HTTPStatus, bytes]
"""The status and a header line."""


class Known(Protocol):
    """Clubs, as this node knows them."""

    def knows(self, club: str) -> bool:
        """Whether there is a club, as main's facts told when they were read last."""


class Question:
    """Answers by the lease of this node, as its last look showed; that was at most about a second ago."""

    def __init__(
        self, lease: Lease, holds: Callable[[], bool], clubs: Known, want: Callable[[str], None], address: str
    ) -> None:
        """`want` has a club led that nobody leads. `address` is that of this node."""
        self._lease, self._holds, self._clubs, self._want, self._address = lease, holds, clubs, want, address

    def answer(self, headers: Sequence[tuple[bytes, bytes]]) -> Answer | None:
        """Tell who leads; None: nobody is told who asks so."""
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
            owner = MAIN  # whose leader alone knows what was created just now, and says that there is no such club
            leader = self._lease.leader_of(MAIN)
        if leader is None:
            self._want(owner)
            return HTTPStatus.SERVICE_UNAVAILABLE, AGAIN
        return HTTPStatus.NO_CONTENT, LED_BY % leader.address.encode()
