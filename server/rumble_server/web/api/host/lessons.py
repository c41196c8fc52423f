"""The host's API for a lesson: the next tournament of the same pupils, and a message to all bots."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentView

from rumble_server.arena.organiser import Organiser
from rumble_server.tournament.again import next_config
from rumble_server.tournament.errors import TournamentError
from rumble_server.web.api import from_log
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host import models
from rumble_server.web.api.host.commands import body_schema, carry_out, host_router, read_config, read_model
from rumble_server.web.api.reading import show
from rumble_server.web.site import site_of


def lesson_routes() -> APIRouter:
    """Make the routes of a lesson."""
    router = host_router()

    @router.post(
        "/tournaments/{tournament}/again",
        status_code=HTTPStatus.CREATED,
        openapi_extra=body_schema(models.Again, required=False),
    )
    async def again(tournament: str, request: Request) -> TournamentView:
        """Create the next tournament after one that is over, and move over everyone who came by a join code.

        With `top`, only the best of the standings are moved. Other fields change the configuration.
        """
        site, answers = site_of(request), answers_of(request)
        given = await read_model(request, models.Again)
        await site.on_disk()
        if answers.going_on(tournament) is not None:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{tournament} is not over yet: end it first")
        last = (await answers.basics(tournament)).config
        ended = await answers.made(tournament, from_log.ended)
        config = await site.reader.draw(read_config, next_config(last, given.model_extra or {}, given.top))
        site.need_disk()
        with site.arena.transaction() as transaction:
            made = Organiser(site.arena).again(ended, config, top=given.top)
        shown = show(site, made)
        await site.on_disk(transaction.number)
        return shown

    @router.post("/tournaments/{tournament}/notice", openapi_extra=body_schema(models.Message))
    async def tell(tournament: str, request: Request) -> TournamentView:
        """Tell every bot of the tournament a message."""
        given = await read_model(request, models.Message)
        return await carry_out(request, tournament, lambda host: host.tell(tournament, given.message))

    return router
