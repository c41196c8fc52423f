"""The routes of the host's commands. A command is on disk before it is answered."""

from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ValidationError
from rumble_protocol.feed_messages import TournamentView

from rumble_server.arena.commands.organiser import Organiser
from rumble_server.match.match_id import tournament_id_of
from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.api.host.auditing import audit_command, audited_parameters
from rumble_server.web.api.host.models import HalfBye, NewKey, Start
from rumble_server.web.api.models import BotName, DoneAnswer, MatchNamed, Pause
from rumble_server.web.api.problems import bad_request, read_config
from rumble_server.web.api.reading import ERRORS, show
from rumble_server.web.errors import WebError, error_answers
from rumble_server.web.guards.bodies import MOST_BODY_BYTES, read_body
from rumble_server.web.guards.tokens import organiser_only
from rumble_server.web.site import site_of

REFUSED = error_answers(HTTPStatus.UNAUTHORIZED, HTTPStatus.CONFLICT, HTTPStatus.INSUFFICIENT_STORAGE)

Body = TypeVar("Body", bound=BaseModel)


def body_schema(model: type[BaseModel], *, required: bool = True) -> dict[str, object]:
    """Describe a request body for the OpenAPI document.

    Routes read their bodies themselves, since FastAPI would check a body before the token is checked.
    """
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)  # every model that the schema refers to is also part of an answer
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}


async def carry_out(request: Request, tournament_id: str, command: Callable[[Organiser], None]) -> TournamentView:
    """Carry out a command, wait until the command is on disk, and return the changed tournament.

    Raises CommandRefused, WebError.
    """
    site = site_of(request)
    tournament = site.play.tournaments.find(tournament_id)
    await site.ranker.fresh_ranking(tournament)

    def carry() -> TournamentView:
        command(site.commands.organiser)
        return show(site, tournament)

    return await site.run_command(carry)


def host_router(prefix: str = "/api", *, audited: bool = True) -> APIRouter:
    """Make a router whose routes need the host token; with `audited`, the audit log records their commands."""
    dependencies = [Depends(organiser_only), *([Depends(audit_command)] if audited else [])]
    return APIRouter(prefix=prefix, tags=["host"], dependencies=dependencies, responses={**ERRORS, **REFUSED})


router = host_router()


@router.post("/tournaments", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(TournamentConfig))
async def create_tournament(request: Request) -> TournamentView:
    """Create a tournament, which waits in its lobby."""
    site = site_of(request)
    config = await site.reader.run(read_tournament_config, await read_body(request))
    request.state.audited_parameters = audited_parameters(config)
    return await site.run_command(lambda: show(site, site.commands.organiser.create(config)))


@router.post("/tournaments/{tournament}/start", openapi_extra=body_schema(Start, required=False))
async def start(tournament: str, request: Request) -> TournamentView:
    """Give the bots their numbers, and start the tournament.

    With `without_absent`, first take out the bots that are not connected. House bots stay.
    """
    body = await read_model(request, Start)
    return await carry_out(
        request, tournament, lambda organiser: organiser.start(tournament, without_absent=body.without_absent)
    )


@router.post("/tournaments/{tournament}/pause", openapi_extra=body_schema(Pause, required=False))
async def pause(tournament: str, request: Request) -> TournamentView:
    """Pause the tournament: running matches finish, no match starts."""
    body = await read_model(request, Pause)
    return await carry_out(request, tournament, lambda organiser: organiser.pause(tournament, body.reason))


@router.post("/tournaments/{tournament}/resume")
async def resume(request: Request, tournament: str) -> TournamentView:
    """Resume the tournament: matches start again."""
    return await carry_out(request, tournament, lambda organiser: organiser.resume(tournament))


@router.post("/tournaments/{tournament}/cancel")
async def cancel(request: Request, tournament: str) -> TournamentView:
    """Cancel the tournament; no result counts."""
    return await carry_out(request, tournament, lambda organiser: organiser.end(tournament, cancelled=True))


@router.post("/tournaments/{tournament}/end")
async def end(request: Request, tournament: str) -> TournamentView:
    """End the tournament early, with the standings at this moment."""
    return await carry_out(request, tournament, lambda organiser: organiser.end(tournament, cancelled=False))


@router.post("/tournaments/{tournament}/remove", openapi_extra=body_schema(BotName))
async def remove(tournament: str, request: Request) -> TournamentView:
    """Remove a bot for good; the bot loses its remaining matches."""
    body = await read_model(request, BotName)
    return await carry_out(request, tournament, lambda organiser: organiser.remove(tournament, body.name))


@router.post("/tournaments/{tournament}/unbench", openapi_extra=body_schema(BotName))
async def unbench(tournament: str, request: Request) -> TournamentView:
    """Let a benched bot play again."""
    body = await read_model(request, BotName)
    return await carry_out(request, tournament, lambda organiser: organiser.unbench(tournament, body.name))


@router.post("/tournaments/{tournament}/bye", openapi_extra=body_schema(HalfBye))
async def give_half_bye(tournament: str, request: Request) -> TournamentView:
    """Give a bot a half-point bye in a round of a Swiss, or take the bye back, before the round is paired."""
    body = await read_model(request, HalfBye)

    def command(organiser: Organiser) -> None:
        change = organiser.take_half_bye if body.take_back else organiser.give_half_bye
        change(tournament, body.name, body.round)

    return await carry_out(request, tournament, command)


@router.post("/tournaments/{tournament}/replay", openapi_extra=body_schema(MatchNamed))
async def play_again(tournament: str, request: Request) -> TournamentView:
    """Have a match played again, as its next attempt; the earlier result no longer counts."""
    body = await read_model(request, MatchNamed)
    if tournament_id_of(body.match) != tournament:
        raise WebError.not_found(f"{tournament} has no match {body.match!r}")
    return await carry_out(request, tournament, lambda organiser: organiser.play_again(body.match))


@router.post("/names/{name}/reset", openapi_extra=body_schema(NewKey, required=False))
async def reset_name(name: str, request: Request) -> DoneAnswer:
    """Forget the key of a name, so that the next login claims the name; with `key`, protect the name with `key`."""
    site = site_of(request)
    body = await read_model(request, NewKey)
    await site.run_command(lambda: site.commands.organiser.reset_key(name, body.key))
    message = f"the next login of {name} claims the name" if body.key is None else f"the key protects {name}"
    return DoneAnswer(message=message)


def read_tournament_config(body: bytes) -> TournamentConfig:
    """Read a configuration and make its openings, which may take a second. Raises WebError for a bad configuration."""
    config = read_config(body)
    config.make_openings()
    return config


async def read_model(request: Request, model: type[Body], most_bytes: int = MOST_BODY_BYTES) -> Body:
    """Read the body of a command; an empty body is an empty object. Raises WebError for a bad body."""
    try:
        body = model.model_validate_json(await read_body(request, most_bytes) or b"{}")
    except ValidationError as error:
        raise bad_request(error.errors(include_url=False)) from None
    request.state.audited_parameters = audited_parameters(body)
    return body
