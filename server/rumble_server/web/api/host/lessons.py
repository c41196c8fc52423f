"""The host's API for a lesson: roster, changes in the lobby, a message to all bots, the next tournament."""

from http import HTTPStatus

from fastapi import Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentView

from rumble_server.arena.commands.slips import LIFETIME_MS
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.next_tournament import next_config
from rumble_server.web.api import from_log
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host import models
from rumble_server.web.api.host.auditing import audited_parameters
from rumble_server.web.api.host.commands import body_schema, carry_out, host_router, read_model, read_tournament_config
from rumble_server.web.api.models import BotName, DoneAnswer
from rumble_server.web.api.reading import show
from rumble_server.web.guards.bodies import read_body
from rumble_server.web.site import site_of

router = host_router()


@router.post(
    "/tournaments/{tournament}/again",
    status_code=HTTPStatus.CREATED,
    openapi_extra=body_schema(models.Again, required=False),
)
async def again(tournament: str, request: Request) -> TournamentView:
    """Create the next tournament after an ended one, and move the pupils over.

    With `top`, only the best of the standings are moved. Other fields change the configuration.
    """
    site, answers = site_of(request), answers_of(request)
    body = await read_model(request, models.Again)
    await site.wait_for_disk()
    if answers.open_tournament(tournament) is not None:
        raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{tournament} is not over yet: end it first")
    last = (await answers.basics(tournament)).config
    ended = await answers.made_from_log(tournament, from_log.ended)
    config = await site.reader.run(read_tournament_config, next_config(last, body.model_extra or {}, body.top))
    return await site.run_command(lambda: show(site, site.commands.organiser.create_next(ended, config, top=body.top)))


@router.put("/tournaments/{tournament}/config", openapi_extra=body_schema(TournamentConfig))
async def change_config(tournament: str, request: Request) -> TournamentView:
    """Change the configuration in the lobby, except the invitation code. Later, only `listed` can be changed."""
    config = await site_of(request).reader.run(read_tournament_config, await read_body(request))
    request.state.audited_parameters = audited_parameters(config)
    return await carry_out(request, tournament, lambda organiser: organiser.change_config(tournament, config))


@router.put("/tournaments/{tournament}/roster", openapi_extra=body_schema(models.Roster))
async def change_roster(tournament: str, request: Request) -> TournamentView:
    """Keep the names of the pupils who should come, so that the console shows who is missing."""
    names = (await read_model(request, models.Roster)).names
    return await carry_out(request, tournament, lambda organiser: organiser.change_roster(tournament, tuple(names)))


@router.post("/tournaments/{tournament}/slips", openapi_extra=body_schema(BotName))
async def make_slip(tournament: str, request: Request) -> models.SlipAnswer:
    """Make a slip for a pupil: a one-time code that brings the pupil's name and a new key to another computer.

    The code is valid for two weeks. An older slip of the pupil is no longer valid.
    """
    site, name = site_of(request), (await read_model(request, BotName)).name
    await answers_of(request).basics(tournament)
    until_ms = site.play.clock.now_ms() + LIFETIME_MS
    shown = site.play.display_names.get(name)
    code = await site.run_command(lambda: site.commands.slips.make(tournament, name))
    return models.SlipAnswer(name=name, display_name=shown, code=code, until_ms=until_ms)


@router.delete("/tournaments/{tournament}/slips/{name}")
async def void_slip(tournament: str, name: str, request: Request) -> DoneAnswer:
    """Make a pupil's slip invalid."""
    site = site_of(request)
    await site.run_command(lambda: site.commands.slips.void(name))
    return DoneAnswer(message=f"the slip of {name} is no longer valid")


@router.post("/tournaments/{tournament}/notice", openapi_extra=body_schema(models.HostMessage))
async def tell(tournament: str, request: Request) -> TournamentView:
    """Send a message to every bot of the tournament."""
    body = await read_model(request, models.HostMessage)
    return await carry_out(request, tournament, lambda organiser: organiser.send_notice(tournament, body.message))
