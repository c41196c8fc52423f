"""The part of the HTTP API that anyone may read: tournaments and matches."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Query
from rumble_protocol.feed_messages import TournamentView
from starlette.responses import Response

from rumble_server.match.facts import MatchOver
from rumble_server.results.ratings import rate
from rumble_server.tournament.exports.document import match_json
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api import models
from rumble_server.web.api.auditor import Auditor
from rumble_server.web.api.library import Library
from rumble_server.web.errors import WebError, WebErrorAnswer
from rumble_server.web.feed.views import tournament_view
from rumble_server.web.site import Site

MOST_LISTED = 500
"""Maximum number of tournaments in one answer."""
NO_RATINGS = rate(())
MOST_MATCHES = 1000
"""Maximum number of matches in one answer."""
ERRORS: dict[int | str, dict[str, Any]] = {status: {"model": WebErrorAnswer} for status in (404, 410, 422, 503)}

Shown = TypeVar("Shown")


def show(site: Site, tournament: Tournament) -> TournamentView:
    """Show the tournament as it stands now; it may be told once `site.on_disk()` returns."""
    return tournament_view(TournamentView, tournament, site.arena, site.ranker.ranking(tournament))


def chosen_matches(tournament: Tournament, bot: str | None, against: str | None) -> list[MatchOver]:
    """Return the matches with a result in which these bots played, in the order in which they ended."""
    wanted = {name.casefold() for name in (bot, against) if name is not None}
    overs = list(tournament.results.values())
    return [over for over in overs if wanted <= {name.casefold() for name in over.seats}] if wanted else overs


def read_routes(site: Site, library: Library, auditor: Auditor) -> APIRouter:
    """Make the routes of tournaments and matches; they need no token."""
    router = APIRouter(prefix="/api", tags=["read"], responses=ERRORS)

    async def durable(tournament_id: str, view: Callable[[Tournament], Shown]) -> Shown:
        found = await library.tournament(tournament_id)
        await site.ranker.fresh(found)
        shown = view(found)
        await site.on_disk()
        return shown

    @router.get("/tournaments")
    async def list_tournaments(limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50) -> models.TournamentList:
        """Show the listed tournaments, newest first."""
        listed = await library.listed(limit)
        await site.on_disk()
        return models.TournamentList(tournaments=listed)

    @router.get("/tournaments/{tournament}")
    async def get_tournament(tournament: str) -> TournamentView:
        """Show everything about one tournament, listed or not."""
        return await durable(tournament, lambda found: show(site, found))

    @router.get("/tournaments/{tournament}/standings")
    async def get_standings(tournament: str) -> models.StandingsAnswer:
        """Show the standings by rank."""
        return await durable(
            tournament,
            lambda found: models.StandingsAnswer(status=found.status, standings=site.ranker.ranking(found).standings),
        )

    @router.get("/tournaments/{tournament}/ratings", response_model=models.RatingsAnswer)
    async def get_ratings(tournament: str) -> Response:
        """Show the ratings with their 95% intervals, their model, and how likely each bot is the stronger of two."""
        found = await library.tournament(tournament)
        if not found.config.rated:
            raise WebError.not_found(f"{tournament} is not rated")
        ratings = (await site.ranker.fresh(found)).ratings or NO_RATINGS
        await site.on_disk()
        document = await asyncio.to_thread(lambda: orjson.dumps(ratings.as_json()))
        return Response(document, media_type="application/json")

    @router.get("/tournaments/{tournament}/audit")
    async def get_audit(tournament: str) -> models.AuditAnswer:
        """Show the fairness audit: matches, seats, waits and clocks of every bot, repeated matches, flags."""
        found = await auditor.audit(await library.tournament(tournament))
        return models.AuditAnswer.model_validate(found.as_json())

    @router.get("/tournaments/{tournament}/matches")
    async def get_matches(
        tournament: str,
        bot: str | None = None,
        against: str | None = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_MATCHES)] = MOST_MATCHES,
    ) -> models.MatchList:
        """List the matches that are over, in the order in which they ended; all, those of one bot, or of two bots."""
        overs = await durable(tournament, lambda found: chosen_matches(found, bot, against))
        return models.MatchList(total=len(overs), matches=results(overs[offset : offset + limit]))

    @router.get("/matches/{match}")
    async def get_match(match: str) -> models.MatchView:
        """Show a match that has begun: board, moves, clocks, outcome; the bots' notes once it is over."""
        found = await library.match(match)
        await site.on_disk()
        return found

    return router


def results(overs: Sequence[MatchOver]) -> list[models.Result]:
    """Show these attempts at matches."""
    return [models.Result.model_validate(match_json(over), strict=False) for over in overs]
