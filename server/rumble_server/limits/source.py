"""The source of a request: the address by which limits count, and whether the client is on this machine.

Limits count an IPv4 address as itself, even if it is written as an IPv6 address. Limits count any other IPv6 address as
its network of 64 bits, because a client can use every address of the network. If a trusted proxy forwards a request,
the source is the client that the proxy names.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from rumble_server.host.host_names import LOCAL_HOST_NAMES, host_name, is_host_header, is_loopback

Headers = Sequence[tuple[bytes, bytes]]
"""Names and values of HTTP headers. The names are in lower case."""

FORWARDS = re.compile(rb"forwarded|real-?ip|client-?ip|connecting-?ip|remote-?(ip|addr)|^via$|^proxy-")
"""Pattern of the names of headers in which a proxy names its client, or itself."""
TUNNELLED = "{} (forwarded)"
"""Template of the address for all requests that an untrusted proxy on this machine forwards.

The proxy's own address is filled in. Unlike loopback, the resulting address is not exempt from limits. Wrong
tries of the proxy's clients do not count against people at this machine itself.
"""
LONGEST = 128
"""Maximum number of bytes of a header that are read as an address. Read texts are kept in memory."""
SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a request: the address for limits, and facts about the client."""

    address: str
    """Address by which limits count.

    The text is an IPv4 address, or an IPv6 network of 64 bits such as `2001:db8:0:1::/64`. The text is empty for a Unix
    socket, and made from `TUNNELLED` for clients of an untrusted proxy on this machine.
    """
    is_local: bool
    """True if the client is on this machine, and no proxy forwarded the request."""
    scheme: str
    """Scheme used by the client: `http` or `https`."""
    is_proxied: bool = False
    """True if a trusted proxy forwarded the request."""
    forwarded_host: str = ""
    """Host requested by the client, as reported by a trusted proxy; if empty, the request's own Host applies."""


class Sources:
    """A finder of the sources of requests. Trusted proxies are given as addresses and networks (`10.0.0.0/8`)."""

    def __init__(self, proxies: Iterable[str] = ()) -> None:
        """Parse the trusted proxies. Raises ValueError for a text that is neither an address nor a network."""
        self._proxies = [ip_network(proxy) for proxy in proxies]

    def is_proxy(self, peer: str) -> bool:
        """Return true if a peer is a trusted proxy. Connections of such a proxy count as connections of its clients."""
        address = _read(peer)
        return address is not None and any(address in network for network in self._proxies)

    def of_request(self, peer: str, scheme: str, headers: Headers) -> Source:
        """Return the source of a request, from its peer, the scheme of the connection, and the headers."""
        if not self.is_proxy(peer):
            address = limited_address(peer)
            is_local = is_loopback(address) and not is_forwarded(headers)
            if is_loopback(address) and not is_local:
                address = TUNNELLED.format(address)
            return Source(address, is_local, scheme)
        # Each proxy appends the address of its peer, and a client can begin the list with any addresses. So read the
        # list backward, for as long as the address read last is a trusted proxy.
        hops, schemes, hosts = _forwarded(headers)
        client, believed = peer, 0
        while self.is_proxy(client) and believed < len(hops) and _read(hops[-1 - believed]) is not None:
            client = hops[-1 - believed]
            believed += 1
        named, forwarded_host = _believed_value(schemes, believed).lower(), _believed_value(hosts, believed)
        return Source(
            limited_address(client),
            False,
            named if named in SCHEMES else scheme,
            is_proxied=True,
            forwarded_host=forwarded_host if is_host_header(forwarded_host) else "",
        )


def limited_address(peer: str) -> str:
    """Return the address by which limits count a peer. A text that is not an address is returned unchanged."""
    address = _read(peer)
    if address is None:
        return peer
    if isinstance(address, IPv4Address) or address.is_loopback:
        return str(address)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))


def is_forwarded(headers: Headers) -> bool:
    """Return true if the headers show that a proxy has forwarded the request.

    There are three signs of a proxy: a header with a name that proxies use (`FORWARDS`), a header whose value is an
    address, and a Host that is not this machine. Values are examined because a proxy may give its header any name.
    """
    for name, value in headers:
        if name == b"host":
            if host_name(value.decode("latin-1")) not in LOCAL_HOST_NAMES:
                return True
        elif FORWARDS.search(name) or _read(value.partition(b",")[0][:LONGEST].decode("latin-1")) is not None:
            return True
    return False


@lru_cache(maxsize=1024)  # the address of a proxy comes with each of its requests
def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, with or without a port, brackets or a zone; return None for a different text."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    if not 2 <= len(text) <= 64:
        return None
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _believed_value(values: list[str], believed: int) -> str:
    """Return the value written by the trusted proxy that is nearest to the client; an empty text if `values` is empty.

    The last of the `values` is the newest. `believed` is the number of trusted proxies, each of which has written a
    value.
    """
    return values[max(0, len(values) - max(believed, 1))] if values else ""


def _forwarded(headers: Headers) -> tuple[list[str], list[str], list[str]]:
    """Return the clients, schemes and hosts that proxies have named, the newest last. A client's text may have a port.

    Most proxies write `X-Forwarded-For`, and pass on the client's own header `Forwarded`, which may be forged.
    `X-Forwarded-For` is therefore preferred to `Forwarded`.
    """
    names = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"forwarded")
    values: dict[bytes, list[str]] = {name: [] for name in names}
    for name, value in headers:
        if name in values:
            values[name] += [each.strip() for each in value.decode("latin-1").split(",")]
    if values[b"x-forwarded-for"]:
        return values[b"x-forwarded-for"], values[b"x-forwarded-proto"], values[b"x-forwarded-host"]
    pairs = [dict(_pairs(element)) for element in values[b"forwarded"]]
    schemes, hosts = ([pair[key] for pair in pairs if key in pair] for key in ("proto", "host"))
    clients = [pair.get("for", "") for pair in pairs]
    return clients, schemes or values[b"x-forwarded-proto"], hosts or values[b"x-forwarded-host"]


def _pairs(element: str) -> Iterable[tuple[str, str]]:
    """Yield the name and value of each pair in an element of Forwarded (RFC 7239, section 4)."""
    for pair in element.split(";"):
        name, _, value = pair.partition("=")
        yield name.strip().lower(), value.strip().strip('"')
