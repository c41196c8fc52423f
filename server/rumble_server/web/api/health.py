"""Probes for orchestrators, such as Kubernetes. The routes need no token."""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response

from rumble_server.web.api.models import Health, Readiness
from rumble_server.web.site import process_of

router = APIRouter(tags=["operation"])


@router.get("/healthz")
async def healthz() -> Health:
    """Answer, to show that the process runs."""
    return Health(status="ok", reason="")


@router.get("/readyz", responses={503: {"model": Readiness}})
async def readyz(request: Request, response: Response) -> Readiness:
    """Answer 200 if matches can start, and 503 while the server drains or the database cannot be written."""
    process = process_of(request)
    reason = process.unready_reason()
    if reason is not None:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return Readiness(status="ok" if reason is None else "unavailable", reason=reason or "", leads=process.led_clubs())
