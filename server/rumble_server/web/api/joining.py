"""The routes with which a pupil joins by a join code. The routes need no token."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from pydantic import ValidationError

from rumble_server.arena.joining import Joining, JoinRefused
from rumble_server.web.api.host.commands import body_schema
from rumble_server.web.api.models import JoinAnswer, JoinRequest, JoinView
from rumble_server.web.api.problems import bad_request
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError, error_answers
from rumble_server.web.guards.secret_checks import source_of
from rumble_server.web.security import read_body
from rumble_server.web.site import site_of

STATUSES = {
    "unknown_code": HTTPStatus.NOT_FOUND,
    "too_many_requests": HTTPStatus.TOO_MANY_REQUESTS,
    "bad_display_name": HTTPStatus.UNPROCESSABLE_ENTITY,
    "name_taken": HTTPStatus.CONFLICT,
}
"""Statuses of refusals by code."""
MOST_NOTED = 64
"""Maximum number of characters of a refused name that hosts see."""
REFUSED = error_answers(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)


def joining_routes() -> APIRouter:
    """Make the routes of join codes."""
    router = APIRouter(prefix="/api/join", tags=["play"], responses={**ERRORS, **REFUSED})

    @router.get("/{code}")
    async def find(code: str, request: Request) -> JoinView:
        """Show the tournament that pupils join with a code."""
        site = site_of(request)
        try:
            found = Joining(site.arena).find(code, source_of(request))
        except JoinRefused as error:
            raise refusal(error) from None
        await site.on_disk()
        config = found.config
        return JoinView(
            tournament=found.id, title=config.name, game=config.game, settings=config.settings, status=found.status
        )

    @router.post("", openapi_extra=body_schema(JoinRequest))
    async def join(request: Request) -> JoinAnswer:
        """Enter a pupil in the tournament of a code, under a new name that the key protects.

        With the key of an earlier name and the display name of that name, the pupil keeps the name.
        """
        site = site_of(request)
        try:
            given = JoinRequest.model_validate_json(await read_body(request) or b"{}")
        except ValidationError as error:
            raise bad_request(error.errors(include_url=False)) from None
        try:
            async with site.recording():
                joined = Joining(site.arena).join(given.code, given.display_name, given.key, source_of(request))
        except JoinRefused as error:
            now_ms, who = site.arena.clock.now_ms(), given.display_name[:MOST_NOTED]
            site.arena.refused_bots.note(who, source_of(request), None, error.code, str(error), now_ms)
            raise refusal(error) from None
        return JoinAnswer(
            name=joined.name,
            display_name=joined.display,
            tournament=joined.tournament.id,
            title=joined.tournament.config.name,
            game=joined.tournament.config.game,
        )

    return router


def refusal(error: JoinRefused) -> WebError:
    """Return the error answer for a refused pupil."""
    return WebError(STATUSES[error.code], error.code, str(error))
