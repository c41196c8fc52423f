"""Transcripts of matches: for the organiser, and for the owners of the bots that played."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.security import host_of
from rumble_server.web.site import Site, site_of

ND_JSON = "application/x-ndjson"


def transcript_routes() -> APIRouter:
    """Make the route of transcripts; the route needs the host token, or the key of a bot that played."""
    router = APIRouter(prefix="/api", tags=["owner"], responses=ERRORS)

    @router.get("/matches/{match}/transcript", response_class=Response, responses={200: {"content": {ND_JSON: {}}}})
    async def get_transcript(match: str, request: Request) -> Response:
        """Return all frames from and to the bots of a match, with server times, and the verdict, as ND-JSON.

        The host sees all frames (`Authorization: Bearer TOKEN`); a bot that played sees the frames of its own
        connection (`Authorization: Bot NAME:KEY`).
        """
        owner = reader_of(site_of(request), request)
        try:
            lines = await answers_of(request).transcript(match, owner)
        except PermissionError as error:
            raise WebError(HTTPStatus.FORBIDDEN, "not_yours", str(error)) from None
        if lines is None:
            raise WebError.not_found(f"there is no match {match!r}, or it never began")
        return Response(lines, media_type=ND_JSON)

    return router


def reader_of(site: Site, request: Request) -> str | None:
    """Return the name of the bot whose owner asks; None if the host asks.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    if host_of(request, site) is not None:
        return None
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    name, _, key = credentials.strip().partition(":")
    is_key = scheme.lower() == "bot" and key != ""
    if is_key and site.tries.is_right(request, name, key, lambda: site.arena.names.owns(name, key)):
        return name
    raise WebError(
        HTTPStatus.UNAUTHORIZED,
        "bad_token",
        "a transcript is for the host (`Authorization: Bearer <host token>`) and for the owners of the bots that "
        "played (`Authorization: Bot NAME:KEY`)",
    )
