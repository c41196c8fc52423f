"""Transcripts of matches: for the organiser, and for the owners of the bots that played."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.guards.tokens import check_reader
from rumble_server.web.site import site_of

ND_JSON = "application/x-ndjson"
REFUSAL = "a transcript is for the host and for the owners of the bots that played"

router = APIRouter(prefix="/api", tags=["owner"], responses=ERRORS)


@router.get("/matches/{match}/transcript", response_class=Response, responses={200: {"content": {ND_JSON: {}}}})
async def get_transcript(match: str, request: Request) -> Response:
    """Return all frames from and to the bots of a match, with server times, and the verdict, as ND-JSON.

    The host sees all frames (`Authorization: Bearer TOKEN`); a bot that played sees the frames of its own
    connection (`Authorization: Bot NAME:KEY`).
    """
    owner = check_reader(site_of(request), request, REFUSAL)
    lines = await answers_of(request).transcript(match, owner)
    if lines is None:
        raise WebError.not_found(f"there is no match {match!r}, or it never began")
    return Response(lines, media_type=ND_JSON)
