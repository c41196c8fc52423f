"""The addresses of this machine in its networks, for connections from other machines."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path

import ifaddr

PROBES = {4: "192.0.2.1", 6: "2001:db8::1"}
"""Addresses reserved for documentation (RFC 5737, RFC 3849), by IP version.

The system routes packets to them like packets to any address outside of this machine's networks.
"""
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
"""Socket families by IP version."""
INTERFACES = Path("/sys/class/net")
"""Linux's folder with the state of each network interface. Other systems have no such folder."""
Address = IPv4Address | IPv6Address
Source = Callable[[], Iterable[Address]]
"""Function that returns addresses of this machine."""


def of_default_routes() -> Iterator[Address]:
    """Yield the addresses that this machine uses toward the rest of the world. No packet is sent."""
    for version, probe in PROBES.items():
        with suppress(OSError), socket.socket(FAMILIES[version], socket.SOCK_DGRAM) as connected:
            connected.connect((probe, 9))  # a datagram's socket only looks up the route
            yield ip_address(connected.getsockname()[0].partition("%")[0])


def of_interfaces() -> Iterator[Address]:
    """Yield the addresses of each network interface that is up."""
    for adapter in ifaddr.get_adapters():
        for each in adapter.ips:
            if not is_down(adapter.name):
                yield ip_address(each.ip if isinstance(each.ip, str) else each.ip[0])


def is_down(interface: str, states: Path = INTERFACES) -> bool:
    """Return true if Linux reports an interface as down, such as a bridge without a running container."""
    try:
        return (states / interface / "operstate").read_text(encoding="ascii").strip() == "down"
    except OSError:
        return False


def can_listen(address: Address) -> bool:
    """Return true if a server can listen at an address.

    On Windows, an adapter without a cable keeps its address, but no server can listen there.
    """
    try:
        with socket.socket(FAMILIES[address.version], socket.SOCK_DGRAM) as bound:
            bound.bind((str(address), 0))
    except OSError:
        return False
    return True


def network_addresses(
    default_routes: Source = of_default_routes,
    interfaces: Source = of_interfaces,
    is_used: Callable[[Address], bool] = can_listen,
) -> list[str]:
    """Return this machine's addresses in its networks: every IPv4 address, and an address for each IPv6 network (/64).

    IPv4 addresses come before IPv6 addresses. The address of the default route is the first of its IP version. Loopback
    and link-local addresses are left out. No packet is sent, and names are looked up only on this machine.
    """
    kept: dict[object, Address] = {}
    for address in sorted([*default_routes(), *interfaces()], key=lambda each: each.version):
        if not (address.is_loopback or address.is_link_local or address.is_unspecified) and is_used(address):
            # IPv6 addresses of the same /64 are on one network. The network of an IPv4 address is unknown here.
            kept.setdefault(IPv6Network((int(address) >> 64 << 64, 64)) if address.version == 6 else address, address)
    return [str(address) for address in kept.values()]
