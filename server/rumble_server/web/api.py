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
from rumble_server.tournament.export import match_json, summary
from rumble_server.tournament.machine import Tournament
from rumble_server.web.errors import WebError, WebErrorAnswer
from rumble_server.web.library import Library
from rumble_server.web.models import (
    ExportDocument,
    MatchList,
    MatchView,
    Result,
    StandingsAnswer,
    TournamentList,
)
from rumble_server.web.site import Site
from rumble_server.web.views import standings_view, tournament_view

MOST_LISTED = 500
MOST_MATCHES = 1000
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
    arena = site.arena

    def is_connected(name: str) -> bool:
        player = arena.player(name)
        return player is not None and player.contact is not None

    return tournament_view(TournamentView, tournament, arena.matches, is_connected, arena.clock.now_ms())


def chosen_matches(tournament: Tournament, bot: str | None, against: str | None) -> list[MatchOver]:
    """The matches with a result that these bots played, in order of finishing."""
    wanted = {name.casefold() for name in (bot, against) if name is not None}
    overs = list(tournament.results.values())
    return [over for over in overs if wanted <= {name.casefold() for name in over.seats}] if wanted else overs


def read_routes(site: Site, library: Library) -> APIRouter:
    """The routes of the API that need no token."""
    router = APIRouter(prefix="/api", tags=["read"], responses=ERRORS)

    async def told(tournament_id: str, view: Callable[[Tournament], Shown]) -> Shown:
        shown = view(await library.tournament(tournament_id))
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
        return await told(
            tournament, lambda found: StandingsAnswer(status=found.status, standings=standings_view(found))
        )

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

    @router.get("/tournaments/{tournament}/export.json", response_model=ExportDocument)
    async def export_json(tournament: str) -> Response:
        """The whole tournament as one document, with every match and its moves."""
        head, matches, voided = await told(tournament, _parts)
        document = await asyncio.to_thread(_document, head, matches, voided)
        disposition = f'attachment; filename="{tournament}.json"'
        return Response(document, media_type="application/json", headers={"Content-Disposition": disposition})

    @router.get("/tournaments/{tournament}/events", response_class=EventStream, responses=EVENTS)
    async def get_events(tournament: str, last_event_id: Annotated[str | None, Header()] = None) -> EventStream:
        """Server-Sent Events: a `snapshot` first, then what changes. `Last-Event-ID` resumes."""
        found = await library.tournament(tournament)
        if site.feed.closed:
            raise WebError.unavailable("the server is about to stop")
        seen = int(last_event_id) if last_event_id is not None and last_event_id.isdecimal() else None
        return EventStream(site.feed.stream(found, seen), headers={"Cache-Control": "no-store"})

    @router.get("/matches/{match}")
    async def get_match(match: str) -> MatchView:
        """A match that is being played, or was: board, moves, clocks, outcome; bots' notes once it is over."""
        found = await library.match(match)
        await site.on_disk()
        return found

    return router


def _parts(tournament: Tournament) -> tuple[dict[str, Any], list[MatchOver], list[MatchOver]]:
    """What an export is made of, as it stands now; the many matches are then written on a thread."""
    standings = [standing.as_json() for standing in tournament.table.standings()]
    head = {"tournament": summary(tournament), "standings": standings}
    return head, list(tournament.results.values()), list(tournament.voided)


def _document(head: dict[str, Any], matches: list[MatchOver], voided: list[MatchOver]) -> bytes:
    """The same as `tournament.export.export` gives."""
    return orjson.dumps(
        {**head, "matches": [match_json(over) for over in matches], "voided": [match_json(over) for over in voided]}
    )


def results(overs: Sequence[MatchOver]) -> list[Result]:
    """The attempts as the API shows them."""
    return [Result.model_validate(match_json(over), strict=False) for over in overs]
