"""The opening handshake of a bot's connection: the rules for accepting an upgrade to a WebSocket."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from rumble_protocol import SUBPROTOCOL
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from rumble_server.host.host_names import host_name, is_allowed_host

LEADER_PATH = b"/api/leader"
"""Path of a proxy's question about the node that leads a club."""
BOT_PATH = "/bot"
"""Path at which bots connect, relative to the path of a club."""


class HandshakePolicy:
    """The rules for Host and Origin headers. On a loopback address, Host must be a local name or in `host_names`."""

    def __init__(self, host_names: frozenset[str] = frozenset(), public_url: str | None = None) -> None:
        """Make the rules.

        `public_url` is the address of the pages for other machines. If the header Origin has this address, the headers
        Origin and Host may name different hosts. Host must be allowed in any case.
        """
        self._host_names = host_names
        self._public_hosts = set() if public_url is None else {origin_host(public_url)}

    def refusal(self, request: Request, local_address: str, forwarded_host: str = "") -> tuple[int, str] | None:
        """Return the HTTP status and text of a refusal; None if the request is accepted.

        `local_address` is the server's own address of this connection. `forwarded_host` is the host that the browser
        asked for, as reported by a trusted proxy.
        """
        host_headers, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(host_headers) > 1 or len(origins) > 1:
            return 400, "a request has one Host and one Origin\n"
        host = host_headers[0] if host_headers else ""
        if not is_allowed_host(host, local_address, self._host_names):
            return 403, f"this server is not known as {host_name(host)!r}\n"
        allowed = {host.lower(), forwarded_host.lower() or host.lower(), *self._public_hosts}
        if origins and origin_host(origins[0]) not in allowed:
            return 403, f"connections from pages of {origins[0]} are not accepted\n"
        return None


def origin_host(origin: str) -> str | None:
    """Return the host (and port) in an Origin header, in lower case; None if the header is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def select_subprotocol(protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Choose the subprotocol: version 1 if the bot offers it, else None.

    If the bot offers only other subprotocols, `Connection` sends an error and closes.
    """
    return next((name for name in offered if name == SUBPROTOCOL), None)
