"""The client of a request: its address, and whether it is on this machine."""

from fastapi import Request

from rumble_server.host.host_names import is_loopback


def client_address(request: Request) -> str:
    """Return the address of a request's client. Limits are counted by this address."""
    return "" if request.client is None else request.client.host


def is_local(request: Request) -> bool:
    """Return whether a request comes from this machine, and was not forwarded."""
    known = request.scope.get("state", {}).get("is_local")
    return is_loopback(client_address(request)) if known is None else bool(known)
