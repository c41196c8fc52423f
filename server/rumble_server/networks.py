"""The addresses of this machine on its networks, for those who connect from other machines."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import psutil

PROBES = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849): the way to them is that to the rest of the world."""
Address = IPv4Address | IPv6Address


def network_addresses() -> list[str]:
    """Return one address of this machine for each of its networks: IPv4 first, and first that of the default route.

    Loopback and link-local addresses are left out. No packet is sent and no name is looked up outside of this machine.
    """
    kept: dict[object, Address] = {}
    for address in sorted([*_of_default_routes(), *_of_interfaces()], key=lambda each: each.version):
        if not (address.is_loopback or address.is_link_local or address.is_unspecified):
            kept.setdefault(IPv6Network((int(address) >> 64 << 64, 64)) if address.version == 6 else address, address)
    return [str(address) for address in kept.values()]


def _of_default_routes() -> Iterator[Address]:
    for family, probe in PROBES.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as connected:
            connected.connect((probe, 9))  # a datagram's socket only looks up the route
            yield ip_address(connected.getsockname()[0].partition("%")[0])


def _of_interfaces() -> Iterator[Address]:
    states = psutil.net_if_stats()
    for interface, addresses in psutil.net_if_addrs().items():
        if interface in states and states[interface].isup:
            for each in addresses:
                if each.family in PROBES:
                    yield ip_address(each.address.partition("%")[0])
