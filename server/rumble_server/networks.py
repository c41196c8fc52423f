"""The addresses of this machine on its networks, for those who connect from other machines."""

import ctypes
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

PROBES = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849): the way to them is that to the rest of the world."""
UP, RUNNING = 0x1, 0x40
"""Flags of an interface: it is in use, and has a link."""
Address = IPv4Address | IPv6Address


def network_addresses() -> list[str]:
    """Return one address of this machine for each of its networks: IPv4 first, and first that of the default route.

    Loopback and link-local addresses are left out. No packet is sent and no name is looked up outside of this machine.
    """
    found = [*_of_default_routes(), *(_of_host_name() if sys.platform == "win32" else _of_interfaces())]
    kept: dict[object, Address] = {}
    for address in sorted(found, key=lambda each: each.version):  # the order within a version stays
        if not (address.is_loopback or address.is_link_local or address.is_unspecified):
            kept.setdefault(IPv6Network((int(address) >> 64 << 64, 64)) if address.version == 6 else address, address)
    return [str(address) for address in kept.values()]


def _of_default_routes() -> Iterator[Address]:
    for family, probe in PROBES.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as connected:
            connected.connect((probe, 9))  # a datagram's socket only looks up the route
            yield ip_address(connected.getsockname()[0].partition("%")[0])


def _of_host_name() -> Iterator[Address]:
    """Windows knows every address of its own name."""
    with suppress(OSError):
        for *_, (host, *_) in socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM):
            yield ip_address(str(host).partition("%")[0])


class _Interface(ctypes.Structure):
    """The first fields of `struct ifaddrs`, which are the same on Linux, macOS and the BSDs."""

    _fields_ = (
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint),
        ("address", ctypes.c_void_p),
    )


def _of_interfaces() -> Iterator[Address]:
    """Read the interfaces by `getifaddrs`, which the standard library does not offer."""
    libc = ctypes.CDLL(None)
    first = ctypes.c_void_p()
    if libc.getifaddrs(ctypes.byref(first)) != 0:
        return
    try:
        place = first.value
        while place is not None:
            interface = _Interface.from_address(place)
            if interface.address and interface.flags & UP and interface.flags & RUNNING:
                yield from _of_sockaddr(interface.address)
            place = interface.next
    finally:
        libc.freeifaddrs(first)


def _of_sockaddr(place: int) -> Iterator[Address]:
    """Read a `struct sockaddr`. The family is two bytes on Linux, and the second byte where a length comes first."""
    head = ctypes.string_at(place, 2)
    family = int.from_bytes(head, sys.byteorder) if sys.platform == "linux" else head[1]
    if family == socket.AF_INET:
        yield IPv4Address(ctypes.string_at(place + 4, 4))
    elif family == socket.AF_INET6:
        yield IPv6Address(ctypes.string_at(place + 8, 16))
