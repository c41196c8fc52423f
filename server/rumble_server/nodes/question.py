"""Answers to proxies that ask `GET /api/leader`: which node leads the club of a path?

A proxy asks before it passes on any request of a visitor. Because questions are so frequent, `HttpConnection` answers
from memory, before the web sees the question. The answers are:
- 204 with the address of the leading node.
- 502 if this node has no lease, and so does not know the leader. The proxy asks another node, and avoids this node for
  a while.
- 503 if the club has no leader. The proxy tells the client to come again.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rumble_protocol.clubs import MAIN

from rumble_server.web.path_owner import Owner, owner_of

if TYPE_CHECKING:
    from rumble_server.nodes.node import Node

FORWARDED = frozenset({b"x-forwarded-for", b"forwarded"})
"""Names of headers that a proxy adds to the requests of clients. The proxy's own questions have no such header."""
URI = frozenset({b"x-original-uri", b"x-forwarded-uri"})
"""Names of headers with the path and query of the client's request.

The headers come from nginx (configured as in docs/examples) or Caddy.
"""
LED_BY = b"Rumble-Leader: %s\r\n"
AGAIN = b"Retry-After: 1\r\n"
ProxyReply = tuple[HTTPStatus, bytes]
"""HTTP status and a header line."""


class LeaderAnswers:
    """The answers of this node to questions of proxies.

    The answers follow from the newest rows of clubs that the `Lease` has read. The rows are at most about 1 s old.
    """

    def __init__(self, node: "Node", knows_club: Callable[[str], bool]) -> None:
        """`knows_club` returns true if a club exists, according to the facts of `main` that this node has read."""
        self._node, self._knows_club = node, knows_club

    def answer(self, headers: Sequence[tuple[bytes, bytes]]) -> ProxyReply | None:
        """Return the answer to a request with these headers; None if the request is not a question of a proxy."""
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
        if not self._node.has_valid_lease():
            return HTTPStatus.BAD_GATEWAY, AGAIN
        if isinstance(owner, Owner):
            return HTTPStatus.NO_CONTENT, LED_BY % self._node.address.encode()
        leader = self._node.lease.leader_of(owner)
        if leader is None and not self._knows_club(owner):
            owner = MAIN  # only main's leader knows a club created just now, or can say that the club does not exist
            leader = self._node.lease.leader_of(MAIN)
        if leader is None:
            self._node.request_leader(owner)
            return HTTPStatus.SERVICE_UNAVAILABLE, AGAIN
        return HTTPStatus.NO_CONTENT, LED_BY % leader.address.encode()
