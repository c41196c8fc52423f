"""Transcripts of matches: for the organiser, and for the owners of the bots that played."""

from http import HTTPStatus

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from rumble_server.match.transcript import as_json, seats_in, transcript, transcript_of_seats
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.security import host_of
from rumble_server.web.site import Site

ND_JSON = "application/x-ndjson"


def transcript_routes(site: Site) -> APIRouter:
    """Make the route of transcripts; it needs the host token, or a bot's key."""
    router = APIRouter(prefix="/api", tags=["owner"], responses=ERRORS)

    @router.get("/matches/{match}/transcript", response_class=Response, responses={200: {"content": {ND_JSON: {}}}})
    async def get_transcript(match: str, request: Request) -> Response:
        """Return every frame both ways with server times, and the verdict, as ND-JSON.

        The host sees all frames (`Authorization: Bearer TOKEN`), a bot that played sees those of its own connection
        (`Authorization: Bot NAME:KEY`).
        """
        owner = reader_of(site, request)
        await site.on_disk()
        facts = await site.archive.match_facts(match)
        seats = seats_in(facts)
        if seats is None:
            raise WebError.not_found(f"there is no match {match!r}, or it never began")
        lines = transcript(facts) if owner is None else transcript_of_seats(facts, _own_seats(seats, owner))
        body = b"".join(orjson.dumps(as_json(each)) + b"\n" for each in lines)
        return Response(body, media_type=ND_JSON)

    return router


def reader_of(site: Site, request: Request) -> str | None:
    """Return the bot whose owner asks; None for the organiser.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    if host_of(request, site.arena.host_tokens, site.tries) is not None:
        return None
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    name, _, key = credentials.strip().partition(":")
    is_key = scheme.lower() == "bot" and key != ""
    if is_key and site.tries.is_right(request, name, lambda: site.arena.names.owns(name, key)):
        return name
    raise WebError(
        HTTPStatus.UNAUTHORIZED,
        "bad_token",
        "a transcript is for the host (`Authorization: Bearer <host token>`) and for the owners of the bots that "
        "played (`Authorization: Bot NAME:KEY`)",
    )


def _own_seats(seats: tuple[str, ...], owner: str) -> set[int]:
    own = {seat for seat, name in enumerate(seats) if name.casefold() == owner.casefold()}
    if not own:
        raise WebError(HTTPStatus.FORBIDDEN, "not_yours", f"{owner} did not play this match")
    return own
