"""Hosts' commands in the audit log."""

import logging
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from rumble_server.web.client import client_address
from rumble_server.web.guards.secret_checks import SECRETS

audit = logging.getLogger("rumble_server.audit")

READS = frozenset({"GET", "HEAD"})


def audited_parameters(body: BaseModel) -> dict[str, Any]:
    """Return those parameters of a command that the audit log shows: texts and numbers, but no secrets."""
    parameters = body.model_dump(mode="json", exclude=set(SECRETS), exclude_unset=True)
    return {name: value for name, value in parameters.items() if isinstance(value, str | int)}


async def audit_command(request: Request) -> AsyncIterator[None]:
    """Log a host's command after it was carried out or refused. Routes have this function as a dependency."""
    try:
        yield
    except Exception as error:
        _log(request, str(error))
        raise
    _log(request, "")


def _log(request: Request, refused: str) -> None:
    if request.method not in READS:
        parameters = getattr(request.state, "audited_parameters", {})
        fields = {
            "host": request.state.token_holder,
            "command": f"{request.method} {request.url.path}",
            "about": ", ".join(f"{name}: {value}" for name, value in parameters.items()),
            "address": client_address(request),
            "refused": refused,
        }
        audit.info("host command", extra=fields)
