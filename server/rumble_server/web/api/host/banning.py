"""The routes of bans, and of the bots that were refused."""

from dataclasses import asdict
from functools import partial
from http import HTTPStatus

from fastapi import Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.limits.bans import Ban, Bans, network_to_ban
from rumble_server.limits.buckets import MINUTE_MS
from rumble_server.web.api.host import models
from rumble_server.web.api.host.commands import body_schema, host_router, read_model
from rumble_server.web.api.models import DoneAnswer
from rumble_server.web.client import client_address
from rumble_server.web.errors import WebError
from rumble_server.web.site import site_of

router = host_router()


@router.get("/bans")
async def list_bans(request: Request) -> models.BanList:
    """List the bans in force, the newest first."""
    play = site_of(request).play
    bans = [_shown(ban) for ban in play.bans.in_force(play.clock.now_ms())]
    await site_of(request).wait_for_disk()
    return models.BanList(bans=bans)


@router.get("/refused")
async def list_refused(request: Request) -> models.RefusedList:
    """List the bots whose login or join was refused lately, the latest first.

    Refusals with the same name, address, tournament and error code are one entry, which counts them.
    """
    latest = site_of(request).play.refused_bots.newest_first()
    return models.RefusedList(refused=[models.RefusedBot(**asdict(each)) for each in latest])


@router.post("/bans", openapi_extra=body_schema(models.NewBan))
async def ban(request: Request) -> DoneAnswer:
    """Ban an address, a network or a name, and close its connections. Your own address cannot be banned."""
    site = site_of(request)
    play = site.play
    body = await read_model(request, models.NewBan)
    what, by_name = _subject_of(body)
    now_ms = play.clock.now_ms()
    until_ms = None if body.minutes is None else now_ms + body.minutes * MINUTE_MS
    new = Ban(what, by_name, until_ms, body.reason, now_ms)
    if Bans([new]).of_address(client_address(request), now_ms) is not None:
        raise WebError(HTTPStatus.CONFLICT, ErrorCode.UNAVAILABLE, f"{what} has your own address")
    organiser = site.commands.organiser
    await site.run_command(lambda: organiser.ban(what, by_name=by_name, until_ms=until_ms, reason=body.reason))
    return DoneAnswer(message=f"{what} is banned")


@router.post("/bans/lift", openapi_extra=body_schema(models.BanSubject))
async def lift(request: Request) -> DoneAnswer:
    """Lift the ban of an address, a network or a name."""
    site = site_of(request)
    what, by_name = _subject_of(await read_model(request, models.BanSubject))
    await site.run_command(lambda: site.commands.organiser.lift_ban(what, by_name=by_name))
    return DoneAnswer(message=f"{what} is let in again")


def _subject_of(body: models.BanSubject) -> tuple[str, bool]:
    """Return the subject of a ban, and whether the subject is a name (otherwise a network). Raises WebError."""
    refused = partial(WebError, HTTPStatus.UNPROCESSABLE_ENTITY, ErrorCode.BAD_MESSAGE)
    if body.name is not None and body.address is None:
        return body.name, True
    if body.address is None or body.name is not None:
        raise refused("give either an `address` or a `name`")
    try:
        return network_to_ban(body.address), False
    except ValueError as error:
        raise refused(str(error), [FieldProblem(field="address", problem=str(error))]) from None


def _shown(ban: Ban) -> models.BanView:
    return models.BanView(
        name=ban.what if ban.by_name else None,
        address=None if ban.by_name else ban.what,
        until_ms=ban.until_ms,
        reason=ban.reason,
        at_ms=ban.at_ms,
    )
