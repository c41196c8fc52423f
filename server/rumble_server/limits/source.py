"""The source of a request: the address by which limits count, and whether the client is on this machine.

The source of an IPv4 address is the address itself, also if written as an IPv6 address. The source of any other IPv6
address is its network of 64 bits, because a client can use every address of its network. Behind a trusted proxy the
source is the client that the proxy names.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from rumble_server.host.host_names import LOCAL_HOSTS, host_name, is_host, is_loopback

Headers = Iterable[tuple[bytes, bytes]]
"""Names and values of HTTP headers; names are in lower case."""

FORWARDS = re.compile(rb"forwarded|real-?ip|client-?ip|connecting-?ip|remote-?(ip|addr)|^via$|^proxy-")
"""Matches the name of a header in which a proxy names its client, or itself."""
TUNNELLED = "{} (forwarded)"
"""The address of all requests that an untrusted proxy on this machine forwards.

Unlike loopback, this address is exempt from no limit, and wrong tries of the proxy's clients do not count against the
people at the machine itself.
"""
SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a request."""

    address: str
    """The address by which limits count.

    An IPv4 address, or an IPv6 network of 64 bits such as `2001:db8:0:1::/64`; empty for a Unix socket; `TUNNELLED` for
    all clients of an untrusted proxy on this machine.
    """
    is_local: bool
    """True if the client is on this machine, and nobody forwarded the request."""
    scheme: str
    """The scheme that the client used: `http` or `https`."""
    is_proxied: bool = False
    """True if a trusted proxy passed the request on, so that the socket is the proxy's."""
    host: str = ""
    """The host that the client asked for, as a trusted proxy reports; empty to use the request's own Host."""


class Sources:
    """Finds the source of requests. Trusted proxies are given as addresses and networks (`10.0.0.0/8`)."""

    def __init__(self, proxies: Iterable[str] = ()) -> None:
        """Read the trusted proxies. Raises ValueError for a text that is neither an address nor a network."""
        self._proxies = [ip_network(proxy) for proxy in proxies]

    def is_proxy(self, peer: str) -> bool:
        """Return whether this peer is a trusted proxy, whose connections belong to its clients."""
        address = _read(peer)
        return address is not None and any(address in network for network in self._proxies)

    def of_request(self, peer: str, scheme: str, headers: Headers) -> Source:
        """Return the source of a request, given its peer, the scheme of its connection, and its headers."""
        headers = list(headers)
        if not self.is_proxy(peer):
            address = source_of(peer)
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
        named, host = _told(schemes, believed).lower(), _told(hosts, believed)
        return Source(
            source_of(client),
            False,
            named if named in SCHEMES else scheme,
            is_proxied=True,
            host=host if is_host(host) else "",
        )


def source_of(peer: str) -> str:
    """Return the source of a peer's address; return a text that is no address unchanged."""
    address = _read(peer)
    if address is None:
        return peer
    if isinstance(address, IPv4Address) or address.is_loopback:
        return str(address)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))


def is_forwarded(headers: Headers) -> bool:
    """Return whether the headers show that a proxy passed the request on.

    A header shows it by its name, by a value that is an address (proxies may use any name for such a header), or, for
    Host, by a value that is not this machine.
    """
    for name, value in headers:
        if name == b"host":
            if host_name(value.decode("latin-1")) not in LOCAL_HOSTS:
                return True
        elif FORWARDS.search(name) or _read(value.partition(b",")[0].decode("latin-1")) is not None:
            return True
    return False


@lru_cache(maxsize=1024)  # the address of a proxy comes with each of its requests
def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address, with or without a port, brackets or a zone; None for any other text."""
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


def _told(values: list[str], believed: int) -> str:
    """Return the value written by the trusted proxy nearest to the client; an empty text without values.

    The newest value is last. Each of the `believed` trusted proxies wrote a value.
    """
    return values[max(0, len(values) - max(believed, 1))] if values else ""


def _forwarded(headers: Headers) -> tuple[list[str], list[str], list[str]]:
    """Return the clients, schemes and hosts that proxies named, the newest last. Clients may have a port.

    X-Forwarded-For is preferred to Forwarded, because most proxies write X-Forwarded-For, and pass a Forwarded on that
    the client has made up.
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
    """Yield the names and values in an element of Forwarded (RFC 7239, section 4)."""
    for pair in element.split(";"):
        name, _, value = pair.partition("=")
        yield name.strip().lower(), value.strip().strip('"')
