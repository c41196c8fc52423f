"""What this server is called: in pages, and in links that are passed on to others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from fastapi import Request

from rumble_server.hosts import is_loopback, is_loopback_host
from rumble_server.web.tries import is_local


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is seen."""

    base: str
    """The club's address as the reader knows it: `http://HOST:PORT`, with `root` behind it."""
    others: tuple[str, ...] = ()
    """Its addresses for other machines, where `base` is for this machine only."""
    root: str = ""
    """What the paths of the club's pages begin with; empty for main."""
    title: str = ""
    """What people call the club; main may have no title, and another has its name instead."""

    @property
    def server(self) -> str:
        """The address of the whole server, which static files have."""
        return self.base.removesuffix(self.root)

    @property
    def bot_url(self) -> str:
        """Where bots connect."""
        return f"{self.base.replace('http', 'ws', 1)}/bot"

    @property
    def bot_server(self) -> str:
        """The server as a bot without the SDK takes it: HOST:PORT, or `base` where it speaks TLS."""
        return self.base.removeprefix("http://")

    @property
    def only_here(self) -> bool:
        """Whether nobody can use `base` but those who sit at the server's own machine."""
        return is_loopback_host(urlsplit(self.base).netloc)

    @property
    def to_share(self) -> "Place":
        """Where those are to whom a link is given."""
        return replace(self, base=self.others[0], others=()) if self.others else self


class Addresses:
    """Finds the place of a request."""

    def __init__(self, public_url: str | None = None, networks: Callable[[], Sequence[str]] = tuple) -> None:
        """`networks` gives this server's addresses on the networks of its machine; it is asked by local requests."""
        self._public_url = public_url
        self._networks = networks

    def place_of(self, request: Request) -> Place:
        """Return the public URL if there is one, else what the browser asked, as a believed proxy or Host tells."""
        root: str = request.scope["root_path"]
        title: str = request.scope["state"].get("title", "")
        if self._public_url is not None:
            return Place(self._public_url + root, (), root, title)
        shown = request.scope.get("state", {}).get("shown_host")
        base = f"{request.url.scheme}://{shown}{root}" if shown else str(request.base_url).rstrip("/")
        place = Place(base, (), root, title)
        local_address = (request.scope.get("server") or ("",))[0]
        is_here = place.only_here and is_local(request) and is_loopback(local_address)
        return replace(place, others=tuple(each + root for each in self._networks())) if is_here else place


def place_of(request: Request) -> Place:
    """Return where the reader of a request is."""
    addresses: Addresses = request.state.process.addresses
    return addresses.place_of(request)
