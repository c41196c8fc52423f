"""Where a request comes from: the address by which limits count, and whether it is this very machine.

An IPv4 address is itself, also when IPv6 maps it; of other IPv6 addresses a network of 64 bits is one source, since
whoever has one address has them all. Behind a proxy the source is the client that the proxy names, if it is believed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from rumble_server.hosts import LOCAL_HOSTS, host_name, is_host, is_loopback

Headers = Iterable[tuple[bytes, bytes]]
"""Names in lower case, and values."""

FORWARDS = re.compile(rb"forwarded|real-?ip|client-?ip|connecting-?ip|remote-?(ip|addr)|^via$|^proxy-")
"""The name of a header with which a proxy tells of its client, or of itself."""
TUNNELLED = "{} (forwarded)"
"""The address for what a proxy on this machine forwards that is not believed. No bound of an address exempts it, and
what its clients do wrong is not counted for the people at the machine itself."""
SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True)
class Source:
    """Where a request comes from."""

    address: str
    """An IPv4 address, or an IPv6 network of 64 bits such as `2001:db8:0:1::/64`; empty for a Unix socket; `TUNNELLED`
    for all clients of a proxy on this machine that is not believed."""
    is_local: bool
    """Whether its client is on this very machine: nobody forwarded it."""
    scheme: str
    """`http` or `https`, as the client sees it."""
    is_proxied: bool = False
    """Whether a proxy that is believed passed it on: the socket is the proxy's."""
    host: str = ""
    """The host that the client asked, as a believed proxy tells; empty: as the request's own Host says."""


class Sources:
    """Finds the source of requests. The proxies that are believed are addresses and networks (`10.0.0.0/8`)."""

    def __init__(self, proxies: Iterable[str] = ()) -> None:
        """Raises ValueError for what is neither an address nor a network."""
        self._proxies = [ip_network(proxy) for proxy in proxies]

    def is_proxy(self, peer: str) -> bool:
        """Whether this peer is a proxy that is believed, so that its connections are those of its clients."""
        address = _read(peer)
        return address is not None and any(address in network for network in self._proxies)

    def of_request(self, peer: str, scheme: str, headers: Headers) -> Source:
        """Find the source of a request from its peer, the scheme of the connection, and the headers."""
        headers = list(headers)
        if not self.is_proxy(peer):
            address = source_of(peer)
            is_local = is_loopback(address) and not is_forwarded(headers)
            if is_loopback(address) and not is_local:
                address = TUNNELLED.format(address)
            return Source(address, is_local, scheme)
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
    """Return the source of a peer's address; a text that is no address is returned as it is."""
    address = _read(peer)
    if address is None:
        return peer
    if isinstance(address, IPv4Address) or address.is_loopback:
        return str(address)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))


def is_forwarded(headers: Headers) -> bool:
    """Whether a header tells that a proxy passed the request on: by its name, by an address as its value, or by Host.

    A proxy may call its header as it likes, and then the value is still an address.
    """
    for name, value in headers:
        if name == b"host":
            if host_name(value.decode("latin-1")) not in LOCAL_HOSTS:
                return True
        elif FORWARDS.search(name) or _read(value.partition(b",")[0].decode("latin-1")) is not None:
            return True
    return False


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
    """Return what the first of the believed proxies told, of values with the latest last; empty: nothing."""
    return values[max(0, len(values) - max(believed, 1))] if values else ""


def _forwarded(headers: Headers) -> tuple[list[str], list[str], list[str]]:
    """Return the clients, schemes and hosts that proxies named, the latest last, each address still with its port.

    X-Forwarded-For goes before Forwarded: most proxies write it, and pass on what else a client sent.
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
    """Read the pairs of one element of Forwarded (RFC 7239, section 4)."""
    for pair in element.split(";"):
        name, _, value = pair.partition("=")
        yield name.strip().lower(), value.strip().strip('"')
