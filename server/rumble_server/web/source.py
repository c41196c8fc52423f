"""The source of a request: its address, and whether it comes from this machine."""

from fastapi import Request

from rumble_server.host.host_names import is_loopback


def source_of(request: Request) -> str:
    """Return the address of a request's client. Limits are counted by this address."""
    return "" if request.client is None else request.client.host


def is_local(request: Request) -> bool:
    """Return whether a request comes from this machine, and was not forwarded."""
    told = request.scope.get("state", {}).get("is_local")
    return is_loopback(source_of(request)) if told is None else bool(told)
