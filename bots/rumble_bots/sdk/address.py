"""The address of a club of a server, which people write in several ways.

`Address.parse` reads `http(s)://host:port`, `ws(s)://host:port` and `host:port`. For the club NAME, `/c/NAME` follows.
At the end, `/bot` or the path of a page may follow. With a scheme, the port may be missing; the default is the scheme's
own port (80 or 443).
"""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from rumble_protocol.clubs import CLUBS_PATH, MAIN, split_path, web_path

from rumble_bots.sdk.errors import BadAddress

FORMS = "write http://host:port, ws://host:port or host:port, and /c/NAME behind it for the club NAME"
PLAIN_PORT, SECURE_PORT = 80, 443
SCHEMES = {"http": False, "ws": False, "https": True, "wss": True}
"""Schemes of addresses. The value is True for a scheme with TLS."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PAGES = ("admin", "bots", "clubs", "code", "console", "docs", "join", "matches", "me", "play", "tournaments", "write")
"""First segments of the paths of pages. `Address.parse` accepts the link of a page, and ignores the page's path and
the query."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a club on a server."""

    host: str
    """The server's name, or its IP address."""
    port: int
    """The server's port, for pages and bots alike."""
    secure: bool = False
    """True if the server speaks TLS."""
    club: str = MAIN
    """The club's name."""

    @classmethod
    def parse(cls, server: str) -> Self:
        """Read an address: `http(s)://host:port`, `ws(s)://host:port` or `host:port`. For a club, `/c/NAME` follows.

        Raises BadAddress.
        """
        text = server.strip()
        try:
            parts = urlsplit(text if "://" in text else f"//{text}")
            port = parts.port
            (parts.hostname or "").encode("idna")  # as the look-up of the host will do
        except ValueError as error:
            raise BadAddress(f"{server!r} is not a server address ({error}); {FORMS}") from None
        if parts.scheme and parts.scheme not in SCHEMES:
            raise BadAddress(f"{server!r} is not a server address: its scheme is {parts.scheme}; {FORMS}")
        if not parts.hostname or any(character.isspace() for character in parts.netloc):
            raise BadAddress(f"{server!r} is not a server address: it has no host; {FORMS}")
        club, path = split_path(parts.path)
        if f"{path}/".startswith(CLUBS_PATH):
            raise BadAddress(f"{server!r} is not a server address: a club's name is 1 to 32 of a-z, 0-9 and -; {FORMS}")
        is_page = path.strip("/").partition("/")[0] in PAGES
        is_end = path.rstrip("/") in ("", "/bot") and not parts.query and not parts.fragment
        if parts.username is not None or not (is_page or is_end):
            raise BadAddress(f"{server!r} is not a server address: it may have only host and port, and a club; {FORMS}")
        secure = SCHEMES.get(parts.scheme, False)
        if port is None and parts.scheme:
            port = SECURE_PORT if secure else PLAIN_PORT
        if not port:
            raise BadAddress(f"{server!r} is not a server address: it has no port; {FORMS}")
        return cls(parts.hostname, port, secure, club)

    @property
    def ws_url(self) -> str:
        """The address to which bots connect."""
        return f"{'wss' if self.secure else 'ws'}://{self.place}/bot"

    @property
    def http_base(self) -> str:
        """The base address of the club's pages and HTTP API, without a slash at the end."""
        return f"{'https' if self.secure else 'http'}://{self.place}"

    @property
    def loopback(self) -> bool:
        """True if the server is on this machine."""
        return self.host in LOOPBACK

    @property
    def label(self) -> str:
        """Relative path of a folder for this club alone.

        The path does not depend on the way in which the address was written.
        """
        server = f"{'localhost' if self.loopback else self.host}_{self.port}".replace(":", "-")
        return server + web_path(self.club)

    @property
    def place(self) -> str:
        """The address without a scheme. Programs get this text in the environment variable RUMBLE_SERVER."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}{web_path(self.club)}"


def ws_url(server: str) -> str:
    """Return the WebSocket address of the club that the text `server` names. Raises BadAddress."""
    return Address.parse(server).ws_url


def http_base(server: str) -> str:
    """Return the base of the HTTP addresses of the club that the text `server` names. Raises BadAddress."""
    return Address.parse(server).http_base
