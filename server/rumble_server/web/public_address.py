"""The server's addresses in pages, commands and links, for the reader and for people on other machines.

Pages begin all links with these addresses. An address depends on the request, because a server has several names.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from fastapi import Request

from rumble_server.host.host_names import is_loopback, is_loopback_host
from rumble_server.web.client import is_local


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The addresses and the title of a club, as the visitor who gets a page sees them."""

    base: str
    """URL of the club by which the visitor reached the server: `http://HOST:PORT`, followed by `root`."""
    others: tuple[str, ...] = ()
    """URLs of the club for other machines, if `base` works on this machine only."""
    root: str = ""
    """Prefix of the paths of the club's pages; empty for main."""
    title: str = ""
    """Title of the club. For a club without a title, the name of the club; for main without a title, empty."""

    @property
    def server(self) -> str:
        """URL of the whole server, used for static files."""
        return self.base.removesuffix(self.root)

    @property
    def bot_url(self) -> str:
        """URL of the WebSocket (`ws:` or `wss:`) at which bots connect."""
        return f"{self.base.replace('http', 'ws', 1)}/bot"

    @property
    def bot_server(self) -> str:
        """Value of SERVER in the command of a bot without the SDK: HOST:PORT, or `base` for a server with TLS."""
        return self.base.removeprefix("http://")

    @property
    def is_only_here(self) -> bool:
        """True if `base` works on the server's own machine only."""
        return is_loopback_host(urlsplit(self.base).netloc)

    @property
    def to_share(self) -> "PublicAddress":
        """Addresses of the club for people who are given a link: the first of `others`, if any, becomes `base`."""
        return replace(self, base=self.others[0], others=()) if self.others else self


class Addresses:
    """The finder of the public address for a request."""

    def __init__(self, public_url: str | None = None, networks: Callable[[], Sequence[str]] = tuple) -> None:
        """Make a finder. If `public_url` is given, all requests get this URL as the public address.

        `networks` returns the server's URLs for other machines, and is called only for requests from this machine.
        """
        self._public_url = public_url
        self._networks = networks

    def of_request(self, request: Request) -> PublicAddress:
        """Return the public address for a request: the configured URL, or else the host that the browser asked for.

        The name of the host comes from a trusted proxy, or else from the Host header.
        """
        root, state = request.scope["root_path"], request.scope["state"]
        title = state.get("title", "")
        if self._public_url is not None:
            return PublicAddress(self._public_url + root, (), root, title)
        shown = state.get("forwarded_host")
        base = f"{request.url.scheme}://{shown}{root}" if shown else str(request.base_url).rstrip("/")
        address = PublicAddress(base, (), root, title)
        local_address = (request.scope.get("server") or ("",))[0]
        is_here = address.is_only_here and is_local(request) and is_loopback(local_address)
        return replace(address, others=tuple(each + root for each in self._networks())) if is_here else address


def public_address_of(request: Request) -> PublicAddress:
    """Return the public address for a request, from the `addresses` of the process."""
    addresses: Addresses = request.state.process.addresses
    return addresses.of_request(request)
