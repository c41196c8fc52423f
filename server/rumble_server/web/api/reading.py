"""The HTTP API that anyone may read."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar, cast

import orjson
from fastapi import APIRouter, Header, Query
from rumble_protocol.feed_messages import TournamentView
from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from rumble_server.match.facts import MatchOver
from rumble_server.results.ratings import rate
from rumble_server.tournament.exports.document import match_json
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.auditor import Auditor
from rumble_server.web.api.library import Library
from rumble_server.web.api.models import (
    AuditAnswer,
    MatchList,
    MatchView,
    RatingsAnswer,
    Result,
    StandingsAnswer,
    TournamentList,
)
from rumble_server.web.errors import WebError, WebErrorAnswer
from rumble_server.web.feed.views import tournament_view
from rumble_server.web.site import Site

MOST_LISTED = 500
NO_RATINGS = rate(())
MOST_MATCHES = 1000
LONGEST_NUMBER = 18
"""Digits of a number that a header brings."""
ERRORS: dict[int | str, dict[str, Any]] = {status: {"model": WebErrorAnswer} for status in (404, 422, 503)}
EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}

Shown = TypeVar("Shown")


class EventStream(StreamingResponse):
    """Server-Sent Events. Whatever ends the answer, its iterator is closed at once."""

    media_type = "text/event-stream"

    async def stream_response(self, send: Send) -> None:
        """Send what comes, until it ends or the reader goes."""
        try:
            await super().stream_response(send)
        finally:
            await cast(Any, self.body_iterator).aclose()


def show(site: Site, tournament: Tournament) -> TournamentView:
    """The tournament as it stands now; to be told once `site.on_disk()` returns."""
    return tournament_view(TournamentView, tournament, site.arena, site.ranker.ranking(tournament))


def chosen_matches(tournament: Tournament, bot: str | None, against: str | None) -> list[MatchOver]:
    """The matches with a result that these bots played, in order of finishing."""
    wanted = {name.casefold() for name in (bot, against) if name is not None}
    overs = list(tournament.results.values())
    return [over for over in overs if wanted <= {name.casefold() for name in over.seats}] if wanted else overs


def read_routes(site: Site, library: Library, auditor: Auditor) -> APIRouter:
    """The routes of the API that need no token."""
    router = APIRouter(prefix="/api", tags=["read"], responses=ERRORS)

    async def told(tournament_id: str, view: Callable[[Tournament], Shown]) -> Shown:
        found = await library.tournament(tournament_id)
        await site.ranker.fresh(found)
        shown = view(found)
        await site.on_disk()
        return shown

    @router.get("/tournaments")
    async def list_tournaments(limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50) -> TournamentList:
        """The tournaments that are listed, newest first."""
        listed = await library.listed(limit)
        await site.on_disk()
        return TournamentList(tournaments=listed)

    @router.get("/tournaments/{tournament}")
    async def get_tournament(tournament: str) -> TournamentView:
        """Everything about one tournament, listed or not."""
        return await told(tournament, lambda found: show(site, found))

    @router.get("/tournaments/{tournament}/standings")
    async def get_standings(tournament: str) -> StandingsAnswer:
        """The standings by rank."""

        def view(found: Tournament) -> StandingsAnswer:
            return StandingsAnswer(status=found.status, standings=site.ranker.ranking(found).standings)

        return await told(tournament, view)

    @router.get("/tournaments/{tournament}/ratings", response_model=RatingsAnswer)
    async def get_ratings(tournament: str) -> Response:
        """The ratings with their 95% intervals, the model in words, and who is how likely the stronger of two."""
        found = await library.tournament(tournament)
        if not found.config.rated:
            raise WebError.not_found(f"{tournament} is not rated")
        ratings = (await site.ranker.fresh(found)).ratings or NO_RATINGS
        await site.on_disk()
        document = await asyncio.to_thread(lambda: orjson.dumps(ratings.as_json()))
        return Response(document, media_type="application/json")

    @router.get("/tournaments/{tournament}/audit")
    async def get_audit(tournament: str) -> AuditAnswer:
        """The fairness audit: matches, seats and waits of every bot, repeated matches, and what is not fair."""
        found = await auditor.audit(await library.tournament(tournament))
        return AuditAnswer.model_validate(found.as_json())

    @router.get("/tournaments/{tournament}/matches")
    async def get_matches(
        tournament: str,
        bot: str | None = None,
        against: str | None = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_MATCHES)] = MOST_MATCHES,
    ) -> MatchList:
        """The matches that are over, in order of finishing; those of one bot, or of two against each other."""
        overs = await told(tournament, lambda found: chosen_matches(found, bot, against))
        return MatchList(total=len(overs), matches=results(overs[offset : offset + limit]))

    @router.get("/tournaments/{tournament}/events", response_class=EventStream, responses=EVENTS)
    async def get_events(
        tournament: str,
        last_event_id: Annotated[str | None, Header()] = None,
        accept_encoding: Annotated[str, Header(include_in_schema=False)] = "",
    ) -> EventStream:
        """Server-Sent Events: a `snapshot` first, then what changes. `Last-Event-ID` resumes."""
        found = await library.tournament(tournament)
        if site.feed.closed:
            raise WebError.unavailable("the server is about to stop")
        seen = read_event_id(last_event_id)
        packed = takes_gzip(accept_encoding)
        headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
        if packed:
            headers["Content-Encoding"] = "gzip"
        return EventStream(site.feed.stream(found, seen, packed=packed), headers=headers)

    @router.get("/matches/{match}")
    async def get_match(match: str) -> MatchView:
        """A match that is being played, or was: board, moves, clocks, outcome; bots' notes once it is over."""
        found = await library.match(match)
        await site.on_disk()
        return found

    return router


def read_event_id(text: str | None) -> int | None:
    """A `Last-Event-ID` as we give them; None for any other."""
    return int(text) if text is not None and text.isdecimal() and len(text) <= LONGEST_NUMBER else None


def takes_gzip(accept_encoding: str) -> bool:
    """Whether an `Accept-Encoding` names gzip, and does not refuse it by a weight of zero."""
    for each in accept_encoding.lower().split(","):
        coding, _, weight = each.replace(" ", "").partition(";q=")
        if coding == "gzip":
            return not weight or weight.strip("0.") != ""
    return False


def results(overs: Sequence[MatchOver]) -> list[Result]:
    """The attempts as the API shows them."""
    return [Result.model_validate(match_json(over), strict=False) for over in overs]
