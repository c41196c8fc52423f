"""The clubs of the server over HTTP: the public list, and the administrator's commands."""

from dataclasses import asdict, replace
from http import HTTPStatus

from fastapi import APIRouter, Depends, Request
from rumble_protocol.clubs import MAIN
from starlette.responses import Response

from rumble_server.arena.state.clubs import ClubEntry
from rumble_server.limits.quotas import Quotas
from rumble_server.web.api.admin import models
from rumble_server.web.api.host.auditing import audit_command
from rumble_server.web.api.host.commands import REFUSED, body_schema, read_model
from rumble_server.web.api.host.host_tokens import add_token
from rumble_server.web.api.host.models import MadeHostToken, NewHostToken
from rumble_server.web.api.models import DoneAnswer
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.guards.tokens import administrator_only
from rumble_server.web.site import ClubSites, ClubUse, clubs_of, entry_of, process_of, site_of

router = APIRouter(prefix="/api", responses={**ERRORS, **REFUSED})
commands = APIRouter(
    prefix="/clubs", tags=["administrator"], dependencies=[Depends(administrator_only), Depends(audit_command)]
)


@router.get("/clubs", tags=["read"])
async def list_clubs(request: Request, response: Response) -> models.ClubList:
    """List the public clubs. With the administrator's token, list all clubs, with their quotas and their use."""
    is_administrator = "Authorization" in request.headers
    if is_administrator:
        await administrator_only(request, response)
    views = await club_views(clubs_of(request), everything=is_administrator)
    await site_of(request).wait_for_disk()
    return models.ClubList(clubs=views)


@commands.post("", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(models.NewClub))
async def create_club(request: Request) -> models.ClubView:
    """Create a club, still without a host token. The name never changes, and no later club can have the name."""
    main = site_of(request)
    body = await read_model(request, models.NewClub)
    quotas = _changed(process_of(request).bounds.club_quotas, body.quotas)
    chosen = {"listed": body.listed, "house": body.house}
    await main.run_command(lambda: main.commands.administrator.create(body.name, body.title, quotas, **chosen))
    return await _view_of(clubs_of(request), body.name)


@commands.patch("/{club}", openapi_extra=body_schema(models.ChangedClub))
async def change_club(request: Request, club: str) -> models.ClubView:
    """Change the given settings of a club: title, quotas, listing, and residents."""
    main = site_of(request)
    given = await read_model(request, models.ChangedClub)
    known = entry_of(clubs_of(request), club)
    quotas = None if given.quotas is None else _changed(known.quotas, given.quotas)
    changes = given.model_dump(include={"title", "listed", "house"})
    await main.run_command(lambda: main.commands.administrator.change(club, quotas=quotas, **changes))
    return await _view_of(clubs_of(request), club)


@commands.delete("/{club}")
async def remove_club(request: Request, club: str) -> DoneAnswer:
    """Remove a club for good, with all running tournaments. The club's facts stay in the database."""
    main = site_of(request)
    entry_of(clubs_of(request), club)
    await main.run_command(lambda: main.commands.administrator.remove(club))
    return DoneAnswer(message=f"the club {club} is removed")


@commands.post("/{club}/tokens", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(NewHostToken))
async def add_host(request: Request, club: str) -> MadeHostToken:
    """Make a host token of a club. Only this answer ever shows the token."""
    # `site_of` returns the site of the club in the path, not of main: see `web.path_owner.TOKENS`.
    return await add_token(request)


router.include_router(commands)


async def club_views(clubs: ClubSites, *, everything: bool = False) -> list[models.ClubView]:
    """Return the public views of listed clubs. With `everything`, return the full views of all clubs.

    No club is loaded for its view.
    """
    uses = await clubs.read_uses(stored=everything)
    return [
        _view(entry, uses.get(entry.name, ClubUse()), has_house=clubs.has_residents, everything=everything)
        for entry in clubs.directory
        if everything or entry.listed
    ]


async def _view_of(clubs: ClubSites, name: str) -> models.ClubView:
    use = (await clubs.read_uses(stored=True)).get(name, ClubUse())
    return _view(entry_of(clubs, name), use, has_house=clubs.has_residents, everything=True)


def _view(entry: ClubEntry, use: ClubUse, *, has_house: bool, everything: bool) -> models.ClubView:
    """Make the view of a club. `has_house` is true if main has residents (house bots that take challenges)."""
    return models.ClubView(
        name=entry.name,
        title=entry.title,
        listed=entry.listed,
        house=has_house if entry.name == MAIN else entry.has_residents,
        since_ms=entry.since_ms,
        tournaments=use.running,
        bots=use.connected,
        quotas=models.ClubQuotas(**asdict(entry.quotas)) if everything else None,
        used=models.ClubQuotas(**asdict(use.used)) if everything and use.used is not None else None,
    )


def _changed(quotas: Quotas, changes: models.ClubQuotas) -> Quotas:
    return replace(quotas, **changes.model_dump(exclude_unset=True))
