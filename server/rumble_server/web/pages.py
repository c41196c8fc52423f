"""The pages: rendered whole by the server; scripts only keep them live."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from rumble_engine import get_game
from rumble_protocol.feed_messages import Pair
from starlette.datastructures import URL
from starlette.responses import HTMLResponse, Response

from rumble_server.tournament.audit import Audit
from rumble_server.tournament.exports import WRITERS
from rumble_server.tournament.machine import Tournament
from rumble_server.tournament.tiebreaks import TIEBREAKS
from rumble_server.web import guide
from rumble_server.web.api import chosen_matches, results, show
from rumble_server.web.audits import Auditor
from rumble_server.web.docs import operations
from rumble_server.web.hosting import join_command
from rumble_server.web.library import Library
from rumble_server.web.rendering import render
from rumble_server.web.site import Site

MOST_ON_HOME = 100
MOST_BOARDS = 24
"""The page shows so many running boards; the script in `tournament.js` keeps to the same number."""
MOST_MATCHES = 1000
MOST_AUDITED = 5000
"""Where more matches are over the page has no audit, which then takes a while; the API has."""
EXPORTS = ("json", *WRITERS)
GROUPS = (
    ("Playing now", ("running", "paused")),
    ("Open: waiting for bots", ("lobby",)),
    ("Over", ("finished", "cancelled")),
)

Page = Callable[[Request], Awaitable[Response]]


def add_pages(app: FastAPI, site: Site, library: Library, auditor: Auditor) -> None:
    """Add every page to the app."""

    async def told(request: Request, template: str, **context: Any) -> Response:
        await site.on_disk()
        return await asyncio.to_thread(html, request, template, **context)

    async def home(request: Request) -> Response:
        listed = await library.listed(MOST_ON_HOME)
        groups = [(title, [each for each in listed if each.status in statuses]) for title, statuses in GROUPS]
        return await told(request, "home.html", groups=groups)

    async def tournament(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        await site.ranker.fresh(found)
        audit = await page_audit(found)
        view = show(site, found)
        return await told(
            request,
            "tournament.html",
            view=view,
            game=get_game(view.game),
            entrants={entrant.name: entrant for entrant in view.entrants},
            crosstable=crosstable(view.pairs),
            boards=view.running[:MOST_BOARDS],
            tiebreaks={name: TIEBREAKS[name] for name in found.config.tiebreak_order},
            audit=audit,
            exports=EXPORTS,
            **invitation(request, found),
        )

    async def page_audit(found: Tournament) -> Audit | None:
        if found.agenda is None or len(found.results) > MOST_AUDITED:
            return None
        return await auditor.audit(found)

    async def matches(request: Request) -> Response:
        found = await library.tournament(request.path_params["tournament"])
        bot, against = request.query_params.get("bot"), request.query_params.get("against")
        overs = chosen_matches(found, bot, against)
        return await told(
            request,
            "matches.html",
            tournament=found,
            bot=bot,
            against=against,
            total=len(overs),
            matches=results(overs[: -MOST_MATCHES - 1 : -1]),
        )

    async def match(request: Request) -> Response:
        view = await library.match(request.path_params["match"])
        return await told(request, "match.html", view=view, game=get_game(view.game))

    async def write(request: Request) -> Response:
        joins = request.query_params.get("join", "")
        found = await library.tournament(joins) if joins else None
        tournament = None if found is None else found.id
        return html(request, "write.html", tournament=tournament, bare_bot=guide.bare_bot(), protocol=guide.protocol())

    async def protocol(request: Request) -> Response:
        return Response(guide.protocol_json(), media_type="application/schema+json")

    async def docs(request: Request) -> Response:
        return html(request, "docs.html", groups=operations(app.openapi()))

    pages: dict[str, Page] = {
        "/": home,
        "/tournaments/{tournament}": tournament,
        "/tournaments/{tournament}/matches": matches,
        "/matches/{match}": match,
        "/write": write,
        "/protocol.json": protocol,
        "/docs": docs,
    }
    for path, page in pages.items():
        app.add_route(path, page, methods=["GET"], include_in_schema=False)


def html(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page. `base` is this server's address as the reader knows it, `bot_url` where bots connect."""
    base = str(request.base_url).rstrip("/")
    bot_url = str(URL(base).replace(scheme="wss" if request.url.scheme == "https" else "ws", path="/bot"))
    page = render(template, base=base, bot_url=bot_url, **context)
    return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})


def invitation(request: Request, tournament: Tournament) -> dict[str, str | bool]:
    """The command to join with. Who has the link of an invitation is shown its code; an old link is told to be old.

    A code that is wrong is never shown: whoever made the link could have people copy what they like.
    """
    given = request.query_params.get("invite")
    invited = tournament.invite is not None and given is not None
    right = invited and hmac.compare_digest(str(given).encode(), str(tournament.invite).encode())
    base = str(request.base_url).rstrip("/")
    command = join_command(tournament, base, invite=tournament.invite if right else None)
    return {
        "join_command": command,
        "invite": tournament.invite or "" if right else "",
        "invite_is_old": invited and not right,
    }


def crosstable(pairs: list[Pair] | None) -> dict[tuple[str, str], tuple[float, int]] | None:
    """Points and matches of each bot against each other; None where the field is too large."""
    if pairs is None:
        return None
    cells: dict[tuple[str, str], tuple[float, int]] = {}
    for pair in pairs:
        first, second = pair.names
        cells[first, second] = pair.scores[0], pair.played
        cells[second, first] = pair.scores[1], pair.played
    return cells
