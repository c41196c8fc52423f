"""The routes with which a pupil joins by a join code, or redeems a slip. The routes need no token."""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response

from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.from_log import Basics
from rumble_server.web.api.host.commands import body_schema, read_model
from rumble_server.web.api.models import JoinAnswer, JoinRequest, JoinView, RedeemAnswer, SlipCode
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.client import client_address
from rumble_server.web.errors import error_answers
from rumble_server.web.site import site_of

REFUSED = error_answers(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INSUFFICIENT_STORAGE)

router = APIRouter(prefix="/api", tags=["play"], responses={**ERRORS, **REFUSED})


@router.get("/join/{code}")
async def find(code: str, request: Request) -> JoinView:
    """Show the tournament that pupils join with a code."""
    site = site_of(request)
    found = site.commands.joining.try_code(code, client_address(request))
    shown = JoinView(**_about(found), settings=found.config.settings, status=found.status)
    await site.wait_for_disk()
    return shown


@router.post("/join", openapi_extra=body_schema(JoinRequest))
async def join(request: Request) -> JoinAnswer:
    """Enter a pupil in the tournament of a code, under a new name that the key protects.

    A pupil who gives the key and the display name of an earlier name keeps the earlier name.
    """
    site, address = site_of(request), client_address(request)
    body = await read_model(request, JoinRequest)

    def enter() -> JoinAnswer:
        joined = site.commands.joining.join(body.code, body.display_name, body.key, address)
        return JoinAnswer(name=joined.name, display_name=joined.display, **_about(joined.tournament))

    return await site.run_command(enter)


@router.post("/slips", openapi_extra=body_schema(SlipCode))
async def redeem(request: Request, response: Response) -> RedeemAnswer:
    """Redeem the one-time code of a slip, by which a pupil takes a name to another computer.

    The answer has a new key of the name. The old key is no longer valid, and every session with the old key ends.
    """
    site, address = site_of(request), client_address(request)
    body = await read_model(request, SlipCode)
    desk = site.commands.slips
    # Before the command, since an error after the command would lose the new key.
    about = await answers_of(request).basics(desk.find(body.code, address).tournament)
    redeemed = await site.run_command(lambda: desk.redeem(body.code, address))
    response.headers["Cache-Control"] = "no-store"
    return RedeemAnswer(name=redeemed.name, display_name=redeemed.display, key=redeemed.key, **_about(about))


def _about(tournament: Tournament | Basics) -> dict[str, str]:
    return {"tournament": tournament.id, "title": tournament.config.name, "game": tournament.config.game}
