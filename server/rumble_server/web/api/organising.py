"""What the host's console is made of: who is connected, house bots, invitations. Only with the host's token."""

import secrets
from http import HTTPStatus
from importlib.metadata import version

from fastapi import APIRouter, Depends, Request
from rumble_protocol.feed_messages import TournamentSummary, TournamentView
from starlette.responses import Response

from rumble_server.arena.organiser import Host
from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.tournament import OVER, Tournament
from rumble_server.web.api.commands import REFUSED, Commander, body_schema, read_model
from rumble_server.web.api.invitations import base_of, invite_answer, page_link, qr_code
from rumble_server.web.api.library import Library
from rumble_server.web.api.organiser_models import (
    AddHouse,
    ChangeInvite,
    HostAnswer,
    HostEntrant,
    HostTournaments,
    HostView,
    HouseAnswer,
    HousePlayer,
    InviteAnswer,
    LastFault,
)
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.feed.views import summary_view
from rumble_server.web.security import host_only
from rumble_server.web.site import Site

MOST_LISTED = 200
CODE_BYTES = 9
"""Of randomness in a code that the server makes: 12 characters."""
SECRET = {"Cache-Control": "no-store"}


def hosting_routes(site: Site, library: Library) -> APIRouter:
    """The routes beside the commands that need the host's token."""
    arena, host, housekeeper = site.arena, Host(site.arena), site.housekeeper
    commander = Commander(site)
    router = APIRouter(
        prefix="/api",
        tags=["host"],
        dependencies=[Depends(host_only(site.host_token))],
        responses={**ERRORS, **REFUSED},
    )

    @router.get("/host")
    async def get_host() -> HostAnswer:
        """Whether the token is right, and what goes on on this server."""
        connected = sum(player.is_connected for player in arena.players.values())
        return HostAnswer(
            version=version("rumble"), connected=connected, matches=len(arena.matches), house_room=housekeeper.room
        )

    @router.get("/host/tournaments")
    async def list_all() -> HostTournaments:
        """The tournaments that are listed, and those that are not listed and not over; no challenges."""
        found = {each.id: each for each in await library.listed(MOST_LISTED)}
        found |= {each.id: each for each in _unlisted(site)}
        await site.on_disk()
        newest = sorted(found.values(), key=lambda each: each.created_at_ms, reverse=True)
        return HostTournaments(tournaments=newest)

    @router.get("/tournaments/{tournament}/host")
    async def get_host_view(tournament: str) -> HostView:
        """A tournament as its host sees it: every choice, who is connected, and everyone's last fault."""
        found = await library.tournament(tournament)
        shown = _host_view(site, found)
        await site.on_disk()
        return shown

    @router.get("/tournaments/{tournament}/house")
    async def get_house(tournament: str) -> HouseAnswer:
        """The house bots that can be added to fill the field."""
        players = housekeeper.players(await library.tournament(tournament))
        bots = [HousePlayer(bot=name, about=about) for name, about in players.items()]
        return HouseAnswer(bots=bots, room=housekeeper.room)

    @router.post("/tournaments/{tournament}/house", openapi_extra=body_schema(AddHouse))
    async def add_house(tournament: str, request: Request) -> TournamentView:
        """Add house bots to fill the field; they connect by themselves, and stay until the tournament is over."""
        given = await read_model(request, AddHouse)
        return await commander.done(tournament, lambda: housekeeper.add(tournament, given.bot, given.name, given.count))

    @router.get("/tournaments/{tournament}/invite")
    async def get_invite(tournament: str, request: Request) -> InviteAnswer:
        """How to invite: the code if there is one, a link for those who are invited, and the command of a bot."""
        found = await library.tournament(tournament)
        await site.on_disk()
        return invite_answer(found, request)

    @router.post("/tournaments/{tournament}/invite", openapi_extra=body_schema(ChangeInvite, required=False))
    async def change_invite(tournament: str, request: Request) -> InviteAnswer:
        """Change the code: to `code`, to a new one where none is given, to none where it is null.

        Whoever is in stays in.
        """
        given = await read_model(request, ChangeInvite)
        code = given.code if "code" in given.model_fields_set else secrets.token_urlsafe(CODE_BYTES)
        await commander.done(tournament, lambda: host.invite(tournament, code))
        return invite_answer(arena.tournament(tournament), request)

    @router.get("/tournaments/{tournament}/invite.svg", response_class=Response, responses=_SVG)
    async def get_qr(tournament: str, request: Request) -> Response:
        """The link for those who are invited, as a QR code."""
        found = await library.tournament(tournament)
        await site.on_disk()
        return Response(qr_code(page_link(found, base_of(request))), HTTPStatus.OK, SECRET, media_type="image/svg+xml")

    return router


_SVG: dict[int | str, dict[str, object]] = {200: {"content": {"image/svg+xml": {}}}}


def _unlisted(site: Site) -> list[TournamentSummary]:
    challenges = {player.challenge for player in site.arena.players.values()}
    return [
        summary_view(each)
        for each in site.arena.tournaments.values()
        if not each.config.listed and each.status not in OVER and each.id not in challenges
    ]


def _host_view(site: Site, tournament: Tournament) -> HostView:
    summary = summary_view(tournament)
    return HostView(
        **summary.model_dump(),
        reason=tournament.reason,
        by_invitation=tournament.invite is not None,
        config=tournament.config.model_copy(update={"invite": None}),
        field=[_host_entrant(site, tournament.field[name]) for name in sorted(tournament.field, key=str.casefold)],
    )


def _host_entrant(site: Site, entrant: Entrant) -> HostEntrant:
    player, claim = site.arena.player(entrant.bot), site.arena.names.get(entrant.bot)
    contact = None if player is None else player.contact
    over = entrant.last_fault
    return HostEntrant(
        name=entrant.bot,
        connected=contact is not None,
        version=None if contact is None else contact.version,
        client=None if contact is None else contact.client,
        withdrawn=entrant.withdrawn,
        benched=entrant.benched,
        open=claim is None or claim.open,
        house=entrant.house,
        playing=entrant.playing,
        faulty_in_a_row=entrant.faulty_in_a_row,
        absent_left_ms=entrant.absent_left(site.arena.clock.now_ms())
        if entrant.is_waited_for
        else entrant.absent_left_ms,
        last_fault=None
        if over is None
        else LastFault(match=over.match, termination=over.termination, reason=over.reason, at_ms=over.at_ms),
    )
