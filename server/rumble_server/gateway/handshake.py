"""The opening handshake of a bot's connection: which requests may become a WebSocket."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from rumble_protocol import SUBPROTOCOL
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from rumble_server.host.host_names import host_name, is_known

LEADER_PATH = b"/api/leader"
"""Path at which a proxy asks which node leads the club of another path."""
BOT_PATH = "/bot"
"""Path at which bots connect, within the path of a club."""


class HandshakePolicy:
    """The rules for Host and Origin. A request to a loopback address has to name a local host, or one in `hosts`."""

    def __init__(self, hosts: frozenset[str] = frozenset(), public_url: str | None = None) -> None:
        """`public_url`: the address of the pages for people on other machines. Its origin is accepted with any Host."""
        self._hosts = hosts
        self._public = set() if public_url is None else {host_of(public_url)}

    def refusal(self, request: Request, local_address: str, shown_host: str = "") -> tuple[int, str] | None:
        """Return the HTTP status and the text of a refusal; None to accept the request.

        `shown_host` is the host that the browser asked for, as a believed proxy reports it.
        """
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) > 1 or len(origins) > 1:
            return 400, "a request has one Host and one Origin\n"
        host = hosts[0] if hosts else ""
        if not is_known(host, local_address, self._hosts):
            return 403, f"this server is not known as {host_name(host)!r}\n"
        if origins and host_of(origins[0]) not in {host.lower(), shown_host.lower() or host.lower(), *self._public}:
            return 403, f"connections from pages of {origins[0]} are not accepted\n"
        return None


def host_of(origin: str) -> str | None:
    """Return the host of an Origin header, with its port; None for a malformed origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def select_subprotocol(protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return version 1 if offered, else None. A client that offers only other versions then gets an error frame."""
    return next((name for name in offered if name == SUBPROTOCOL), None)
