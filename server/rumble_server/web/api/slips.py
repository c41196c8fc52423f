"""The route by which a pupil redeems a slip. The route needs no token."""

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from rumble_server.arena.joining import JoinRefused
from rumble_server.arena.slips import SlipDesk
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host.commands import body_schema
from rumble_server.web.api.host.organising import SECRET
from rumble_server.web.api.joining import REFUSED, refusal
from rumble_server.web.api.models import RedeemAnswer, SlipCode
from rumble_server.web.api.problems import bad_request
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.guards.secret_checks import source_of
from rumble_server.web.security import read_body
from rumble_server.web.site import site_of


def slip_routes() -> APIRouter:
    """Make the route of slips."""
    router = APIRouter(prefix="/api/slips", tags=["play"], responses={**ERRORS, **REFUSED})

    @router.post("", openapi_extra=body_schema(SlipCode))
    async def redeem(request: Request, response: Response) -> RedeemAnswer:
        """Take a name to this computer with the one-time code of a slip.

        The answer has a new key of the name. The old key, and everything that is logged in with it, is signed out.
        """
        site = site_of(request)
        try:
            given = SlipCode.model_validate_json(await read_body(request) or b"{}")
        except ValidationError as error:
            raise bad_request(error.errors(include_url=False)) from None
        try:
            async with site.recording():
                redeemed = SlipDesk(site.arena).redeem(given.code, source_of(request))
        except JoinRefused as error:
            raise refusal(error) from None
        about = await answers_of(request).basics(redeemed.tournament)
        response.headers.update(SECRET)
        return RedeemAnswer(
            name=redeemed.name,
            display_name=redeemed.display,
            key=redeemed.key,
            tournament=about.id,
            title=about.config.name,
            game=about.config.game,
        )

    return router
