"""The public part of the HTTP API: tournaments and matches."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from rumble_protocol.feed_messages import TournamentView
from starlette.responses import Response

from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api import from_log, models
from rumble_server.web.api.answers import ClubAnswers, answers_of
from rumble_server.web.api.gzip_answers import gzip_answer
from rumble_server.web.api.streamed import single_piece, streamed
from rumble_server.web.compression import mark_public
from rumble_server.web.errors import WebError, WebErrorAnswer, error_answers
from rumble_server.web.feed.crosstable import prepare_pairs
from rumble_server.web.feed.views import live, live_in_pieces, tournament_view
from rumble_server.web.site import Site, site_of

LARGEST_LIST = 500
"""Largest `limit` of a list of tournaments; a larger `limit` is refused."""
MOST_MATCHES = 1000
"""Largest `limit` of an answer with matches; without a `limit` all matches are sent, a piece at a time."""
ERRORS = error_answers(
    HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.SERVICE_UNAVAILABLE
)
WITH_MODEL: dict[int | str, dict[str, Any]] = {404: {"model": WebErrorAnswer}}
"""The error answer 404 with the model of all errors. For a route with this answer, FastAPI puts the definition of the
model into the OpenAPI document. A single such route suffices, and more would slow the start (see `error_answers`)."""
JSON = "application/json"
MANY_RESULTS = 500
"""Minimum number of results of a large tournament. To show a large tournament takes the event loop some ms."""


def show(site: Site, tournament: Tournament) -> TournamentView:
    """Make the view of a tournament. The caller sends the answer only after `site.wait_for_disk()` has returned."""
    return tournament_view(TournamentView, tournament, site.ranker.ranking(tournament), live(tournament, site.play))


router = APIRouter(prefix="/api", tags=["read"], dependencies=[Depends(mark_public)], responses=ERRORS)


@router.get("/tournaments")
async def list_tournaments(
    request: Request, limit: Annotated[int, Query(ge=1, le=LARGEST_LIST)] = 50
) -> models.TournamentList:
    """Show the listed tournaments, newest first."""
    listed = await answers_of(request).listed(limit)
    await site_of(request).wait_for_disk()
    return models.TournamentList(tournaments=listed)


@router.get("/tournaments/{tournament}", response_model=TournamentView, responses=WITH_MODEL)
async def get_tournament(tournament: str, request: Request) -> Response:
    """Show everything about a tournament, listed or not."""
    answers = answers_of(request)
    found = answers.open_tournament(tournament)
    if found is not None:
        return await streamed(single_piece(await tournament_json(site_of(request), answers, found)), JSON)
    return await gzip_answer(request, await answers.gzipped(tournament, from_log.view_json), JSON)


@router.get("/tournaments/{tournament}/standings", response_model=models.StandingsAnswer)
async def get_standings(tournament: str, request: Request) -> Response:
    """Show the standings by rank."""
    site, answers = site_of(request), answers_of(request)
    found = answers.open_tournament(tournament)
    if found is None:
        return await gzip_answer(request, await answers.gzipped(tournament, from_log.standings), JSON)
    standings = (await site.ranker.fresh_ranking(found)).standings
    rules = found.config.tiebreak_rules
    shown = models.StandingsAnswer(status=found.status, standings=standings, tiebreak_rules=rules)
    await site.wait_for_disk()
    return Response(from_log.to_json(shown), media_type=JSON)


@router.get("/tournaments/{tournament}/ratings", response_model=models.RatingsAnswer)
async def get_ratings(tournament: str, request: Request) -> Response:
    """Show the ratings with 95% intervals, their model, and each bot's chance to be stronger than another bot."""
    document = await answers_of(request).gzipped(tournament, from_log.ratings)
    if not document:
        raise WebError.not_found(f"{tournament} is not rated")
    return await gzip_answer(request, document, JSON)


@router.get("/tournaments/{tournament}/audit", response_model=models.AuditAnswer)
async def get_audit(tournament: str, request: Request) -> Response:
    """Show the fairness audit: matches, seats, waits and clocks of every bot, repeated matches, flags."""
    answers = answers_of(request)
    context = answers.audit_context(tournament)
    return await gzip_answer(request, await answers.gzipped(tournament, from_log.audit_json, context), JSON)


@router.get("/tournaments/{tournament}/matches", response_model=models.MatchList)
async def get_matches(
    request: Request,
    tournament: str,
    bot: str | None = None,
    against: str | None = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int | None, Query(ge=1, le=MOST_MATCHES)] = None,
) -> Response:
    """List the matches that are over, in the order of their ends: all, or the matches of one or two bots."""
    return await streamed(_match_list(answers_of(request), tournament, bot, against, offset, limit), JSON)


@router.get("/matches/{match}")
async def get_match(request: Request, match: str) -> models.MatchView:
    """Show a match that has begun: board, moves, clocks, outcome; after the end, the bots' notes, too."""
    found = await answers_of(request).match(match)
    await site_of(request).wait_for_disk()
    return found


async def tournament_json(site: Site, answers: ClubAnswers, tournament: Tournament) -> bytes:
    """Return a tournament in memory as the API's JSON. Raises WebError.

    The call returns only when all facts that the JSON shows are on disk.
    """
    make = partial(_show, site, tournament)
    return await make() if len(tournament.results) < MANY_RESULTS else await answers.recent(tournament, make)


async def _show(site: Site, tournament: Tournament) -> bytes:
    await site.ranker.fresh_ranking(tournament)
    await prepare_pairs(tournament)
    live_state = await live_in_pieces(tournament, site.play)
    shown = tournament_view(TournamentView, tournament, site.ranker.ranking(tournament), live_state)
    await site.wait_for_disk()
    await asyncio.sleep(0)  # lets other tasks run, since encoding takes as long as `show` did
    return from_log.to_json(shown)


async def _match_list(
    answers: ClubAnswers, tournament: str, bot: str | None, against: str | None, offset: int, limit: int | None
) -> AsyncIterator[bytes]:
    total, voided_result_count = await answers.made_from_log(tournament, from_log.count, bot, against)
    yield b'{"total":%d,"matches":[' % total
    until = total if limit is None else min(total, offset + limit)
    asked = range(offset, until, from_log.PIECE_MATCHES)
    separator = b""
    async for piece in answers.pieces(tournament, asked, from_log.matches, bot, against, voided_result_count):
        yield separator + piece
        separator = b","
    yield b"]}"
