"""The address of a server, which people write in several ways.

`Address.parse` reads `http(s)://host:port`, `ws(s)://host:port`, either with `/bot` at the end, and `host:port`. With a
scheme, the port defaults to the scheme's own (80 or 443).
"""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from rumble_bots.sdk.errors import BadAddress

FORMS = "write http://host:port, ws://host:port or host:port"
PLAIN_PORT, SECURE_PORT = 80, 443
SCHEMES = {"http": False, "ws": False, "https": True, "wss": True}
"""By scheme: whether it is secure."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of one server."""

    host: str
    """Its name, or its IP address."""
    port: int
    """Its port, for pages and bots alike."""
    secure: bool = False
    """Whether it speaks TLS."""

    @classmethod
    def parse(cls, server: str) -> Self:
        """Read an address: `http(s)://host:port`, `ws(s)://host:port` or `host:port`. Raises BadAddress."""
        text = server.strip()
        try:
            parts = urlsplit(text if "://" in text else f"//{text}")
            port = parts.port
        except ValueError as error:
            raise BadAddress(f"{server!r} is not a server address ({error}); {FORMS}") from None
        if parts.scheme and parts.scheme not in SCHEMES:
            raise BadAddress(f"{server!r} is not a server address: its scheme is {parts.scheme}; {FORMS}")
        if not parts.hostname or any(character.isspace() for character in parts.netloc):
            raise BadAddress(f"{server!r} is not a server address: it has no host; {FORMS}")
        if parts.username is not None or parts.query or parts.fragment or parts.path not in ("", "/", "/bot", "/bot/"):
            raise BadAddress(f"{server!r} is not a server address: it may have only host and port; {FORMS}")
        secure = SCHEMES.get(parts.scheme, False)
        if port is None and parts.scheme:
            port = SECURE_PORT if secure else PLAIN_PORT
        if not port:
            raise BadAddress(f"{server!r} is not a server address: it has no port; {FORMS}")
        return cls(parts.hostname, port, secure)

    @property
    def ws_url(self) -> str:
        """The address to which bots connect."""
        return f"{'wss' if self.secure else 'ws'}://{self._netloc}/bot"

    @property
    def http_base(self) -> str:
        """The base address of the pages and the HTTP API, without a slash at the end."""
        return f"{'https' if self.secure else 'http'}://{self._netloc}"

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        return self.host in LOOPBACK

    @property
    def label(self) -> str:
        """The server's name as a folder name, the same for each way to write the address."""
        return f"{'localhost' if self.loopback else self.host}_{self.port}".replace(":", "-")

    @property
    def _netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def ws_url(server: str) -> str:
    """Return the WebSocket address of the server written `server`. Raises BadAddress."""
    return Address.parse(server).ws_url


def http_base(server: str) -> str:
    """Return the base of the HTTP addresses of the server written `server`. Raises BadAddress."""
    return Address.parse(server).http_base
