"""The host names that a server answers to. This prevents DNS rebinding, for pages and bots."""

import ipaddress
import re

SHORTEST_TOKEN = 12
"""Least number of characters of a host token that is good from beyond the server's own machine."""
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port, in lower case."""
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    return name.lower()


def is_host(host: str) -> bool:
    """Return whether this can be a Host header: a name or an address, and a port; or nothing."""
    return re.fullmatch(r"([\w.~%!$&'()*+,;=-]*|\[[0-9a-fA-F:.]+\])(:[0-9]*)?", host, re.ASCII) is not None


def is_loopback(address: str) -> bool:
    """Return whether an IP address is a loopback address. The empty address of a Unix socket counts as one."""
    try:
        return ipaddress.ip_address(address).is_loopback if address else True
    except ValueError:
        return False


def is_known(host: str, local_address: str, hosts: frozenset[str]) -> bool:
    """Return whether to answer a request with this Host header. On a loopback address it must be local or in `hosts`.

    Otherwise any web page could point its own host name to this machine and read what the server answers.
    """
    return not is_loopback(local_address) or host_name(host) in LOCAL_HOSTS | hosts
