"""The part of the host's API that is not in `commands`: views of tournaments and entrants, house bots, invitations."""

from importlib.metadata import version

from fastapi import Request
from rumble_engine.registry import game_title
from rumble_protocol.feed_messages import TournamentView
from rumble_protocol.secret import make_secret
from starlette.responses import Response

from rumble_server.match.facts import MatchOver
from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host import models
from rumble_server.web.api.host.commands import body_schema, carry_out, host_router, read_model
from rumble_server.web.api.host.invitations import door_answer, invite_answer, join_link, page_link, qr_code
from rumble_server.web.feed.views import byes_to_come, summary_view
from rumble_server.web.public_address import public_address_of
from rumble_server.web.site import Site, process_of, site_of

MOST_IN_CONSOLE = 200
"""Maximum number of listed tournaments in the console; older tournaments are left out."""
SVG: dict[int | str, dict[str, object]] = {200: {"content": {"image/svg+xml": {}}}}

router = host_router()


@router.get("/host")
async def check_token(request: Request) -> models.OrganiserAnswer:
    """Check the token, and show the activity of this club."""
    site = site_of(request)
    play = site.play
    return models.OrganiserAnswer(
        version=version("botrumble"),
        connected=sum(player.is_connected for player in play.players),
        matches=play.running_count,
        house_room=site.house_bots.room,
        reached=process_of(request).remote_access.was_reached,
    )


@router.get("/host/tournaments")
async def list_all(request: Request) -> models.OrganiserTournaments:
    """Show the listed tournaments, and the newest unlisted tournaments. Challenges are left out."""
    site, answers = site_of(request), answers_of(request)
    found = {each.id: each for each in await answers.listed(MOST_IN_CONSOLE)}
    found |= {each.id: summary_view(each) for each in await site.reader.unlisted()}
    unlisted = (each for each in site.play.tournaments.values() if not each.config.listed)
    found |= {each.id: summary_view(each) for each in unlisted if each.challenger is None}
    await site.wait_for_disk()
    newest = sorted(found.values(), key=lambda each: each.created_at_ms, reverse=True)
    shown = [models.OrganiserTournament(**each.model_dump(), game_title=game_title(each.game)) for each in newest]
    return models.OrganiserTournaments(tournaments=shown)


@router.get("/tournaments/{tournament}/host")
async def get_organiser_view(request: Request, tournament: str) -> models.OrganiserView:
    """Show a tournament to its host: the configuration, the connected bots, and each bot's last fault."""
    site, answers = site_of(request), answers_of(request)
    found = answers.open_tournament(tournament)
    if found is None:
        shown = await answers.made_from_log(tournament, organiser_view)
    else:
        shown = organiser_view_of(found, site.play.clock.now_ms())
    field = [_live_entrant(site, each) for each in shown.field]
    await site.wait_for_disk()
    return shown.model_copy(update={"field": field})


@router.get("/tournaments/{tournament}/house")
async def list_reference_bots(request: Request, tournament: str) -> models.ReferenceBots:
    """List the reference bots that can be added as house bots."""
    house_bots = site_of(request).house_bots
    offered = house_bots.reference_bots((await answers_of(request).basics(tournament)).config)
    bots = [models.ReferenceBot(bot=name, about=about) for name, about in offered.items()]
    return models.ReferenceBots(bots=bots, room=house_bots.room)


@router.post("/tournaments/{tournament}/house", openapi_extra=body_schema(models.AddHouseBots))
async def add_house_bots(tournament: str, request: Request) -> TournamentView:
    """Add house bots to the field; house bots connect by themselves, and stay until the tournament is over."""
    body = await read_model(request, models.AddHouseBots)

    def add(_: object) -> None:
        site_of(request).house_bots.add(tournament, body.bot, body.name, body.count)

    return await carry_out(request, tournament, add)


@router.get("/tournaments/{tournament}/invite")
async def get_invite(tournament: str, request: Request) -> models.InviteAnswer:
    """Show the invitation: the code if bots need a code, a link to the page, and the command that starts a bot."""
    going_on, address = answers_of(request).open_tournament(tournament), public_address_of(request)
    door = None if going_on is None or going_on.join_code is None else door_answer(going_on, address)
    found = await answers_of(request).basics(tournament)
    return invite_answer(found, address).model_copy(update={"door": door})


@router.post("/tournaments/{tournament}/door", openapi_extra=body_schema(models.ChangeDoor))
async def change_door(tournament: str, request: Request) -> models.DoorAnswer:
    """Open the door with a new join code, by which pupils join in a browser, or close the door.

    Pupils that joined stay.
    """
    site, body = site_of(request), await read_model(request, models.ChangeDoor)
    found, organiser = site.play.tournaments.find(tournament), site.commands.organiser

    def change() -> models.DoorAnswer:
        (organiser.open_door if body.open else organiser.close_door)(tournament)
        return door_answer(found, public_address_of(request))

    return await site.run_command(change)


@router.post("/tournaments/{tournament}/invite", openapi_extra=body_schema(models.ChangeInvite, required=False))
async def change_invite(tournament: str, request: Request) -> models.InviteAnswer:
    """Change the invitation code to `code`. Bots that joined stay.

    If `code` is left out, the server makes a code; if `code` is null, bots need no code.
    """
    site, body = site_of(request), await read_model(request, models.ChangeInvite)
    found = site.play.tournaments.find(tournament)
    code = body.code if "code" in body.model_fields_set else make_secret()

    def change() -> models.InviteAnswer:
        site.commands.organiser.change_invite(tournament, code)
        return invite_answer(found, public_address_of(request))

    return await site.run_command(change)


@router.get("/tournaments/{tournament}/invite.svg", response_class=Response, responses=SVG)
async def get_qr(tournament: str, request: Request) -> Response:
    """Draw a link as a QR code.

    While the door is open, the link leads to the page where pupils join. Otherwise it leads to the tournament.
    """
    going_on, base = answers_of(request).open_tournament(tournament), public_address_of(request).to_share.base
    link = None if going_on is None or going_on.join_code is None else join_link(going_on, base)
    found = await answers_of(request).basics(tournament)
    return Response(qr_code(link or page_link(found, base)), media_type="image/svg+xml")


def organiser_view(rebuilt: Rebuilt) -> models.OrganiserView:
    """Make the host's view of a tournament rebuilt from the log, without facts about the sessions of bots."""
    return organiser_view_of(rebuilt.tournament, 0)


def organiser_view_of(tournament: Tournament, now_ms: int) -> models.OrganiserView:
    """Make the host's view of a tournament. `_live_entrant` adds the facts about the sessions of bots."""
    summary = summary_view(tournament)
    byes = byes_to_come(tournament)
    names = sorted(tournament.field, key=str.casefold)
    return models.OrganiserView(
        **summary.model_dump(),
        game_title=game_title(summary.game),
        reason=tournament.reason,
        by_invitation=tournament.invite is not None,
        config=tournament.config.model_copy(update={"invite": None}),
        field=[_entrant(tournament.field[name], byes.get(name, []), now_ms) for name in names],
        roster=list(tournament.roster),
    )


def _entrant(entrant: Entrant, bye_rounds: list[int], now_ms: int) -> models.OrganiserEntrant:
    over = entrant.last_fault
    return models.OrganiserEntrant(
        name=entrant.bot,
        display_name=entrant.display,
        by_code=entrant.by_code,
        connected=False,
        version=None,
        client=None,
        withdrawn=entrant.withdrawn,
        benched=entrant.benched,
        open=True,
        house=entrant.reference_bot,
        playing=entrant.playing,
        faulty_in_a_row=entrant.faulty_in_a_row,
        absent_left_ms=entrant.absent_left(now_ms) if entrant.is_waited_for else entrant.absent_left_ms,
        last_fault=None if over is None else _last_fault(over, entrant.bot),
        bye_rounds=bye_rounds,
    )


def _last_fault(over: MatchOver, bot: str) -> models.LastFault:
    """Make the model of a match that `bot` lost by its own fault."""
    failure = over.failures[over.seats.index(bot)] if over.failures else ""
    return models.LastFault(
        match=over.match, termination=over.termination, reason=over.reason, failure=failure, at_ms=over.at_ms
    )


def _live_entrant(site: Site, entrant: models.OrganiserEntrant) -> models.OrganiserEntrant:
    """Return `entrant` with facts that the tournament lacks: the bot's session, and whether the name has a key."""
    player, claim = site.play.players.get(entrant.name), site.play.names.get(entrant.name)
    session = None if player is None else player.newest
    return entrant.model_copy(
        update={
            "connected": session is not None,
            "version": None if session is None else session.version,
            "client": None if session is None else session.client,
            "open": claim is None or claim.is_open,
        }
    )
