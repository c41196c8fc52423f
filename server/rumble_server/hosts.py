"""Under which names a server may be reached: the rule against DNS rebinding, for pages and bots alike."""

import ipaddress

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


def host_name(host: str) -> str:
    """The name in a Host header, without the port, in lower case."""
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    return name.lower()


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own. Unix sockets, which have none, are."""
    try:
        return ipaddress.ip_address(address).is_loopback if address else True
    except ValueError:
        return False


def is_known(host: str, local_address: str, hosts: frozenset[str]) -> bool:
    """Whether a request for this Host is answered: on a loopback address only if it is loopback's, or in `hosts`.

    Else any page on the web could have its own name lead to this machine, and read what is served here.
    """
    return not is_loopback(local_address) or host_name(host) in LOCAL_HOSTS | hosts
