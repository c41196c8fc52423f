"""The host names to which a server answers. Checking a request's host name prevents DNS rebinding."""

import ipaddress
import re
from urllib.parse import urlsplit

LOCAL_HOST_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
OWN_PORTS = {"http": 80, "https": 443}
"""Default port of each scheme, left out in URLs."""


def host_name(host_header: str) -> str:
    """Return the name in a Host header: without the port, in lower case."""
    has_port = ":" in host_header and not host_header.endswith("]")
    name = host_header.rpartition(":")[0] if has_port else host_header
    return name.lower()


def is_host_header(text: str) -> bool:
    """Return true if a text may be a Host header: a name or address with or without a port, or an empty text."""
    return re.fullmatch(r"([\w.~%!$&'()*+,;=-]*|\[[0-9a-fA-F:.]+\])(:[0-9]*)?", text, re.ASCII) is not None


def is_loopback(address: str) -> bool:
    """Return true if an IP address is a loopback address. The empty address of a Unix socket counts as loopback."""
    try:
        return ipaddress.ip_address(address).is_loopback if address else True
    except ValueError:
        return False


def is_loopback_host(host_header: str) -> bool:
    """Return true if the host in a Host header always means the client's own machine."""
    name = host_name(host_header)
    return name in LOCAL_HOST_NAMES or name.endswith(".localhost") or (name != "" and is_loopback(name.strip("[]")))


def netloc(address: str, port: int, scheme: str = "http") -> str:
    """Return an address and port as in a URL: IPv6 in brackets, and no port if it is the scheme's default."""
    name = f"[{address}]" if ":" in address else address
    return name if port == OWN_PORTS[scheme] else f"{name}:{port}"


def public_origin(url: str) -> str:
    """Return the origin of a public URL as browsers write it, such as `https://rumble.example`.

    Raises ValueError if the text is not a URL with `http` or `https`, or has more than the origin.
    """
    forms = "write http://HOST or https://HOST, with :PORT where it is another than the usual"
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
        if ":" in name:
            ipaddress.IPv6Address(name)
    except ValueError:
        raise ValueError(f"this is no address of a server: {forms}") from None
    if parts.scheme not in OWN_PORTS or not re.fullmatch(r"[a-z0-9._-]+|[0-9a-f:.]+", name) or "@" in url or port == 0:
        raise ValueError(f"this is no address of a server: {forms}")
    if parts.path not in ("", "/") or "?" in url or "#" in url:
        raise ValueError(f"the pages are at the root of their host, without a path: {forms}")
    return f"{parts.scheme}://{netloc(name, port or OWN_PORTS[parts.scheme], parts.scheme)}"


def is_allowed_host(host_header: str, local_address: str, host_names: frozenset[str]) -> bool:
    """Return true if the server may answer a request with this Host header.

    If the request came to a loopback address, the header must have a local name or a name in `host_names`. Without
    this check, any web page could point its own host name to this machine, and read the server's answers. At any other
    address, every host name is accepted.
    """
    return not is_loopback(local_address) or host_name(host_header) in LOCAL_HOST_NAMES | host_names
