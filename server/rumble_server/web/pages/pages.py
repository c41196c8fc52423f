"""The routes of all pages. The server renders whole pages, which work without scripts; scripts keep them live.

Pages about a whole tournament are written by `tournament_pages` in the process that reads the log. The other pages are
rendered here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVarTuple

from fastapi import FastAPI, Request
from rumble_engine import get_game
from rumble_protocol.clubs import MAIN
from starlette.responses import JSONResponse, Response

from rumble_server.arena.commands.join_codes import LENGTH, read_code
from rumble_server.arena.state.names_and_keys import is_house_name
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.admin.clubs import club_views
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.gzip_answers import NO_CACHE, gzip_answer
from rumble_server.web.api.host.invitations import NOT_INVITED, page_invitation
from rumble_server.web.api.opponents import opponents, playable_games
from rumble_server.web.api.reading import tournament_json
from rumble_server.web.api.streamed import single_piece, streamed
from rumble_server.web.compression import mark_public
from rumble_server.web.errors import WebError
from rumble_server.web.guards.secret_checks import checker_of, shows_secret
from rumble_server.web.pages import browser_files, guide
from rumble_server.web.pages.code import PAGE_POLICY, frame, starting_code
from rumble_server.web.pages.console import form_groups, games_with_settings
from rumble_server.web.pages.digests import Record, lines_of, listing, records
from rumble_server.web.pages.docs import document_in, operations
from rumble_server.web.pages.match_page import match_context
from rumble_server.web.pages.play import CLOCKS, FIRST_GAME, SEATS, choose
from rumble_server.web.pages.rendering import NOT_STORED, html
from rumble_server.web.pages.tournament_pages import (
    BOT_NAME,
    page_of_matches,
    page_of_results,
    page_of_tournament,
    part_with_audit,
    part_with_rounds,
)
from rumble_server.web.path_owner import CODE_FILES
from rumble_server.web.public_address import public_address_of
from rumble_server.web.random_names import random_name
from rumble_server.web.site import clubs_of, site_of

MOST_BOTS = 200
"""Maximum number of bots on the page of all tournaments."""
MOST_CLUBS = 500
"""Maximum number of clubs on the page of clubs."""
PAIRED_BY_POINTS = " ".join(name for name, each in FORMATS.items() if each.pairs_by_points)
"""Names of the formats that have half-point byes, for the scripts of the console."""
QUOTAS = {
    "bots": "Names of bots",
    "tournaments": "Tournaments",
    "bytes": "Bytes",
    "matches": "Matches at once",
    "house_bots": "Added house bots",
}
"""The names of a club's quotas, with labels for people."""
MOST_UNFOLDED = 20
"""Number of bots that the page of all tournaments shows unfolded; further bots are folded away."""
GROUPS = (
    ("Playing now", ("running", "paused")),
    ("Open: waiting for bots", ("lobby",)),
    ("Over", ("finished", "cancelled")),
)

Page = Callable[[Request], Awaitable[Response]]
Args = TypeVarTuple("Args")


async def _answer(request: Request, template: str, **context: Any) -> Response:
    await site_of(request).wait_for_disk()
    return await asyncio.to_thread(html, request, template, **context)


def _check_code(request: Request, tournament: Tournament) -> str | None:
    """Return the invitation code in the page's address, and count a wrong code.

    Returns an empty text for a wrong code, and None if the address has no code or the tournament needs no code.
    """
    code = request.query_params.get("invite")
    if code is None or tournament.invite is None:
        return None
    return code if checker_of(site_of(request)).check_invitation(request, tournament, code) else ""


def _invitation_to(request: Request, tournament: Tournament | None) -> dict[str, Any]:
    """Make a page's invitation from the code in the page's address. If `tournament` is None, return `NOT_INVITED`."""
    return NOT_INVITED if tournament is None else page_invitation(tournament, _check_code(request, tournament))


async def _home(request: Request) -> Response:
    site = site_of(request)
    listed = await listing(site, answers_of(request))
    groups = [(title, [each for each in listed.tournaments if each.status in statuses]) for title, statuses in GROUPS]
    bots = await asyncio.to_thread(records, listed.counted)
    own, house = ([each for each in bots if is_house_name(each.name) is of_house] for of_house in (False, True))
    live, directory = site.play.tournaments, clubs_of(request).directory
    invited = live.get(request.query_params.get("join", ""))
    invitation = _invitation_to(request, invited)
    lobbies = [each.id for each in listed.tournaments if each.status == "lobby"]
    open_to_all = (each for each in lobbies if each in live and live[each].invite is None)
    return await _answer(
        request,
        "home.html",
        groups=groups,
        listing=listed,
        joinable=invited.id if invited is not None and invitation["invite"] else next(open_to_all, None),
        display_names=site.play.display_names.of(each.name for each in bots),
        bots=own[:MOST_BOTS],
        most_unfolded=MOST_UNFOLDED,
        house_bots=house[:MOST_BOTS],
        more_bots=len(own[MOST_BOTS:]) + len(house[MOST_BOTS:]),
        is_connected=site.play.is_connected,
        other_clubs=site.club == MAIN and any(each.listed for each in directory if each.name != MAIN),
        **invitation,
    )


async def _list_of_clubs(request: Request) -> Response:
    listed = await club_views(clubs_of(request))
    shown = sorted(listed, key=lambda each: (each.name != MAIN, -each.tournaments, each.name))
    first, more = shown[:MOST_CLUBS], len(shown[MOST_CLUBS:])
    return await asyncio.to_thread(lambda: html(request, "clubs.html", clubs=first, more=more))


async def _bot(request: Request) -> Response:
    name, site = request.path_params["bot"], site_of(request)
    listed = await listing(site, answers_of(request))
    found = await asyncio.to_thread(lines_of, listed.counted, name)
    player = site.play.players.get(name)
    if found:
        (record,) = records(replace(each, lines=(line,)) for each, line in found)
    elif player is not None and player.is_connected:
        record = Record(player.name)
    else:
        damaged = f"; {listed.damaged} of them are damaged" if listed.damaged else ""
        raise WebError.not_found(f"none of the listed tournaments has a bot {name!r}{damaged}")
    session, shown = None if player is None else player.newest, site.play.display_names.of([record.name])
    return await _answer(
        request, "bot.html", record=record, lines=found, session=session, listing=listed, display_names=shown
    )


async def _tournament(request: Request) -> Response:
    site, answers = site_of(request), answers_of(request)
    found = answers.open_tournament(request.path_params["tournament"])
    if found is None:
        return await _written(request, page_of_tournament, None, None, public_address_of(request), None)
    invite, address = _check_code(request, found), public_address_of(request)

    async def make() -> bytes:
        shown = await tournament_json(site, answers, found)
        context = answers.audit_context(found.id)
        return await answers.made_from_log(found.id, page_of_tournament, shown, context, address, invite)

    page = await answers.once((page_of_tournament, found.id, address, invite), make)
    own = page.replace(BOT_NAME.encode(), random_name().encode())
    return await streamed(single_piece(own), "text/html")


async def _results(request: Request) -> Response:
    return await _written(request, page_of_results, public_address_of(request))


async def _rounds(request: Request) -> Response:
    page = await answers_of(request).gzipped(
        request.path_params["tournament"], part_with_rounds, public_address_of(request)
    )
    if not page:
        raise WebError.not_found("this tournament is not shown in rounds")
    return await gzip_answer(request, page, "text/html")


async def _audit(request: Request) -> Response:
    context = answers_of(request).audit_context(request.path_params["tournament"])
    return await _written(request, part_with_audit, context, public_address_of(request))


async def _matches(request: Request) -> Response:
    query = request.query_params
    page = query.get("page", "")
    number = int(page) if page.isdecimal() and len(page) < 10 else 1
    return await _written(
        request, page_of_matches, query.get("bot"), query.get("against"), number, public_address_of(request)
    )


async def _written(request: Request, make: Callable[[Rebuilt, *Args], bytes], *args: *Args) -> Response:
    """Answer with a page about the request's tournament, written in the process that reads the log."""
    page = await answers_of(request).gzipped(request.path_params["tournament"], make, *args)
    return await gzip_answer(request, page, "text/html")


async def _match(request: Request) -> Response:
    asked_ply = request.query_params.get("ply", "")
    context = await match_context(answers_of(request), request.path_params["match"], asked_ply)
    return await _answer(request, "match.html", **context)


async def _play(request: Request) -> Response:
    games = playable_games()
    here = opponents(site_of(request), games)
    choice = choose(request.query_params, games, here)
    names = {each.name: each.display_name for each in here if each.display_name}
    about: dict[str, Any] = {"games": games, "opponents": here, "choice": choice, "seats": SEATS, "clocks": CLOCKS}
    return await asyncio.to_thread(html, request, "play.html", display_names=names, **about)


async def _write(request: Request) -> Response:
    joins = request.query_params.get("join", "")
    invitation = _invitation_to(request, site_of(request).play.tournaments.get(joins) if joins else None)
    found = await answers_of(request).basics(joins) if joins else None
    tournament, by_invitation = (None, False) if found is None else (found.id, found.invite is not None)

    def page() -> Response:
        game = "tictactoe" if found is None else found.config.game
        about = {"tournament": tournament, "game": game, "by_invitation": by_invitation, **invitation}
        return html(request, "write.html", bare_bot=guide.bare_bot(), protocol=guide.protocol(), **about)

    return await asyncio.to_thread(page)


async def _code(request: Request) -> Response:
    plays = request.query_params.get("tournament", "")
    found = await answers_of(request).basics(plays) if plays else None
    games = [game for game in playable_games() if ":" not in game.name]
    asked = request.query_params.get("game", FIRST_GAME) if found is None else found.config.game
    about = {
        "tournament": found,
        "games": games if found is None else [get_game(asked)],
        "game": asked,
        "language": request.query_params.get("language"),
        "files": await asyncio.to_thread(browser_files.address),
        "starts": starting_code(),
    }
    answer = await _answer(request, "code.html", **about)
    answer.headers["Content-Security-Policy"] = PAGE_POLICY
    return answer


async def _code_frame(request: Request) -> Response:
    return frame()


async def _protocol(request: Request) -> Response:
    return Response(await asyncio.to_thread(guide.protocol_json), media_type="application/schema+json")


async def _exported(request: Request) -> Response:
    return Response(await asyncio.to_thread(guide.export_schema_json), media_type="application/schema+json")


def _document(request: Request) -> Mapping[str, Any]:
    return document_in(request.app.openapi(), request.scope["root_path"])


async def _openapi(request: Request) -> Response:
    return await asyncio.to_thread(lambda: JSONResponse(_document(request)))


async def _docs(request: Request) -> Response:
    return await asyncio.to_thread(lambda: html(request, "docs.html", groups=operations(_document(request))))


async def _console(request: Request) -> Response:
    return await asyncio.to_thread(
        lambda: html(request, "console.html", groups=form_groups(), games=games_with_settings())
    )


def _filled_in(template: str, **context: Any) -> Page:
    """Return a page whose script uses a token or a key to ask for the contents.

    The template gets the tournament in the page's path as `id`.
    """

    async def page(request: Request) -> Response:
        return html(request, template, id=request.path_params.get("tournament"), **context)

    return page


async def _join(request: Request) -> Response:
    code = read_code(request.query_params.get("code", ""))[:LENGTH]
    return await asyncio.to_thread(html, request, "join.html", code=code)


PAGES: dict[str, Page] = {
    "/join": _join,
    "/console": _console,
    "/console/{tournament}": _filled_in("console_tournament.html", paired_by_points=PAIRED_BY_POINTS),
    "/console/{tournament}/roster": _filled_in("console_roster.html"),
    "/console/{tournament}/slips": _filled_in("console_slips.html"),
    "/": _home,
    "/bots/{bot}": _bot,
    "/tournaments/{tournament}": _tournament,
    "/tournaments/{tournament}/matches": _matches,
    "/tournaments/{tournament}/results": _results,
    "/tournaments/{tournament}/rounds": _rounds,
    "/tournaments/{tournament}/audit": _audit,
    "/matches/{match}": _match,
    "/play": _play,
    "/me": _filled_in("me.html"),
    "/write": _write,
    "/code": _code,
    "/code/frame": _code_frame,
    "/protocol.json": _protocol,
    "/export.schema.json": _exported,
    "/openapi.json": _openapi,
    "/docs": _docs,
    "/clubs": _list_of_clubs,
    "/admin": _filled_in("admin.html", quotas=QUOTAS),
}


def add_pages(app: FastAPI) -> None:
    """Add every page to the app."""
    for path, page in PAGES.items():
        app.add_route(path, _with_cache_headers(page), methods=["GET"], include_in_schema=False)
    app.add_route(f"{CODE_FILES}/{{path:path}}", browser_files.answer, methods=["GET"], include_in_schema=False)


def _with_cache_headers(page: Page) -> Page:
    """Return the page, with its answers marked as public if the request contains no secret.

    An answer that may repeat a secret is neither compressed nor kept by browsers.
    """

    async def serve(request: Request) -> Response:
        is_secret = shows_secret(request)
        if not is_secret:
            await mark_public(request)
        answer = await page(request)
        answer.headers.update(NOT_STORED if is_secret else NO_CACHE)
        return answer

    return serve
