"""The pages: each is rendered whole by the server; scripts only keep it live."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from rumble_server.tournament.audit import Audit
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.auditor import Auditor
from rumble_server.web.api.invitations import page_invitation
from rumble_server.web.api.library import Library
from rumble_server.web.api.opponents import opponents, playable_games
from rumble_server.web.api.reading import chosen_matches, results, show
from rumble_server.web.errors import WebError
from rumble_server.web.pages import guide
from rumble_server.web.pages.console import form_groups, games_with_settings
from rumble_server.web.pages.digests import Digests, lines_of, records
from rumble_server.web.pages.docs import operations
from rumble_server.web.pages.match_page import match_context
from rumble_server.web.pages.play import CLOCKS, SEATS, choose
from rumble_server.web.pages.rendering import html
from rumble_server.web.pages.tournament_page import IN_ROUNDS, audit_context, rounds_context, tournament_context
from rumble_server.web.site import Site

MOST_BOTS = 200
"""Maximum number of bots on the page of all tournaments."""
MOST_MATCHES = 1000
"""Maximum number of matches on the page of a tournament's matches: the newest."""
MOST_AUDITED = 5000
"""Maximum number of results of a tournament whose page has an audit; a larger audit is only in the API."""
GROUPS = (
    ("Playing now", ("running", "paused")),
    ("Open: waiting for bots", ("lobby",)),
    ("Over", ("finished", "cancelled")),
)

Page = Callable[[Request], Awaitable[Response]]


def add_pages(app: FastAPI, site: Site, library: Library, auditor: Auditor) -> None:
    """Add every page to the app."""
    digests = Digests(site, library)

    async def answer(request: Request, template: str, **context: Any) -> Response:
        await site.on_disk()
        return await asyncio.to_thread(html, request, template, **context)

    async def home(request: Request) -> Response:
        listing = await digests.listing()
        groups = [
            (title, [each for each in listing.tournaments if each.status in statuses]) for title, statuses in GROUPS
        ]
        bots = records(listing.digests[each.id] for each in listing.tournaments if each.id in listing.digests)
        return await answer(
            request,
            "home.html",
            groups=groups,
            listing=listing,
            joinable=next((each.id for each in listing.tournaments if each.status == "lobby"), "TOURNAMENT"),
            bots=bots[:MOST_BOTS],
            more_bots=len(bots[MOST_BOTS:]),
            is_connected=site.arena.is_connected,
        )

    async def bot(request: Request) -> Response:
        name = request.path_params["bot"]
        listing = await digests.listing()
        found = lines_of((listing.digests[each.id] for each in listing.tournaments if each.id in listing.digests), name)
        if not found:
            unread = f"; {listing.unread} of them are still being read, or are damaged" if listing.unread else ""
            raise WebError.not_found(f"none of the listed tournaments has a bot {name!r}{unread}")
        (record,) = records(replace(each, lines=(line,)) for each, line in found)
        player = site.arena.players.get(record.name)
        session = None if player is None else player.session
        return await answer(request, "bot.html", record=record, lines=found, session=session, listing=listing)

    async def tournament(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        await site.ranker.fresh(found)
        audit = await page_audit(found)
        context = tournament_context(found, show(site, found), audit)
        return await answer(request, "tournament.html", **context, **page_invitation(found, request, site.tries))

    async def rounds(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        if found.config.format not in IN_ROUNDS:
            raise WebError.not_found(f"{found.id} is a {found.config.format}: it is not shown in rounds")
        return await answer(request, "part.html", part="rounds", **rounds_context(found))

    async def audit(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        return await answer(request, "part.html", part="audit", **audit_context(found, await page_audit(found)))

    async def page_audit(found: Tournament) -> Audit | None:
        if found.agenda is None or len(found.results) > MOST_AUDITED:
            return None
        return await auditor.audit(found)

    async def matches(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        bot, against = request.query_params.get("bot"), request.query_params.get("against")
        overs = chosen_matches(found, bot, against)
        return await answer(
            request,
            "matches.html",
            tournament=found,
            bot=bot,
            against=against,
            total=len(overs),
            matches=results(overs[: -MOST_MATCHES - 1 : -1]),
        )

    async def match(request: Request) -> Response:
        context = await match_context(library, request.path_params["match"], request.query_params.get("ply", ""))
        return await answer(request, "match.html", **context)

    async def play(request: Request) -> Response:
        games = playable_games()
        here = opponents(site, games)
        choice = choose(request.query_params, games, here)
        return html(request, "play.html", games=games, opponents=here, choice=choice, seats=SEATS, clocks=CLOCKS)

    async def write(request: Request) -> Response:
        joins = request.query_params.get("join", "")
        found = await library.tournament(joins) if joins else None
        tournament = None if found is None else found.id
        return html(request, "write.html", tournament=tournament, bare_bot=guide.bare_bot(), protocol=guide.protocol())

    async def protocol(request: Request) -> Response:
        return Response(guide.protocol_json(), media_type="application/schema+json")

    async def docs(request: Request) -> Response:
        return html(request, "docs.html", groups=operations(app.openapi()))

    async def console(request: Request) -> Response:
        return html(request, "console.html", groups=form_groups(), games=games_with_settings())

    async def console_tournament(request: Request) -> Response:
        return html(request, "console_tournament.html", id=request.path_params["tournament"])

    pages: dict[str, Page] = {
        "/console": console,
        "/console/{tournament}": console_tournament,
        "/": home,
        "/bots/{bot}": bot,
        "/tournaments/{tournament}": tournament,
        "/tournaments/{tournament}/matches": matches,
        "/tournaments/{tournament}/rounds": rounds,
        "/tournaments/{tournament}/audit": audit,
        "/matches/{match}": match,
        "/play": play,
        "/write": write,
        "/protocol.json": protocol,
        "/docs": docs,
    }
    for path, page in pages.items():
        app.add_route(path, page, methods=["GET"], include_in_schema=False)
