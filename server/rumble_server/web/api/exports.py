"""The export of a whole tournament as a file: as JSON, or in one of the formats of `tournament.exports`."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter, Depends, Request
from rumble_protocol.codes import ErrorCode
from starlette.responses import Response

from rumble_server.tournament.exports import WRITERS
from rumble_server.tournament.exports.phh import POKER
from rumble_server.tournament.exports.sgf import GO
from rumble_server.web.api import from_log
from rumble_server.web.api.answers import ClubAnswers, answers_of
from rumble_server.web.api.export_models import ExportDocument
from rumble_server.web.api.reading import ERRORS, JSON
from rumble_server.web.api.streamed import single_piece, streamed
from rumble_server.web.compression import mark_public
from rumble_server.web.errors import WebError

FOR_TWO = ("pgn", "trf")
"""The formats in which only matches of two seats can be written."""
OF_GAME = {"phhs": POKER, "sgf": GO}
"""Formats that can express the matches of only a single game, each with the name of this game."""


def _route(kind: str, media_type: str) -> Callable[..., Awaitable[Response]]:
    """Make the function that answers a request for an export; the routes need no token."""

    async def export_file(request: Request, tournament: str) -> Response:
        return await _answer(tournament, kind, media_type, _pieces(answers_of(request), tournament, kind))

    async def export_trf(request: Request, tournament: str, edition: Literal["16", "2026"] = "16") -> Response:
        made = answers_of(request).made_from_log(tournament, from_log.export_trf, edition)
        return await _answer(tournament, kind, media_type, single_piece(await _await_part(made)))

    chosen = export_trf if kind == "trf" else export_file
    chosen.__doc__ = ABOUT[kind]
    return chosen


async def _answer(tournament: str, kind: str, media_type: str, pieces: AsyncIterator[bytes]) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{tournament}.{kind}"'}
    return await streamed(pieces, media_type, headers)


async def _pieces(answers: ClubAnswers, tournament: str, kind: str) -> AsyncIterator[bytes]:
    yield await _await_part(answers.made_from_log(tournament, from_log.export_head, kind))
    total, voided_result_count = await answers.made_from_log(tournament, from_log.count)
    matches = range(0, total, from_log.PIECE_MATCHES if kind == "csv" else from_log.PIECE_GAMES)
    async for piece in answers.pieces(tournament, matches, from_log.export_matches, kind, voided_result_count):
        yield piece
    yield await answers.made_from_log(tournament, from_log.export_tail, kind)


async def _await_part(made: Awaitable[bytes]) -> bytes:
    """Await a part of an export, and return the part. Raises WebError if the format cannot express the tournament."""
    try:
        return await made
    except ValueError as error:
        raise WebError(HTTPStatus.UNPROCESSABLE_ENTITY, ErrorCode.BAD_SETTINGS, str(error)) from None


ABOUT = {
    "json": "The whole tournament as one document, with every match and its moves.",
    "csv": "A row for each match; `rumble standings` and `rumble ratings` read this file.",
    "pgn": "The matches with their moves as PGN; games other than chess have the same headers.",
    "phhs": "The hands of poker in the Poker Hand History format, for poker's tools.",
    "sgf": "The matches of Go as SGF, for Go's tools.",
    "trf": "The results as TRF16, or as TRF-2026, for FIDE's tools and pairing engines.",
}


def kinds_for(game: str, seats: int) -> dict[str, str]:
    """Return the export formats for tournaments of a game with this number of seats, each with a description."""
    without = FOR_TWO if seats > 2 else ()
    return {kind: about for kind, about in ABOUT.items() if kind not in without and OF_GAME.get(kind, game) == game}


router = APIRouter(prefix="/api", tags=["read"], dependencies=[Depends(mark_public)], responses=ERRORS)
router.get("/tournaments/{tournament}/export.json", response_model=ExportDocument)(_route("json", JSON))
for _kind, (_, _media_type) in WRITERS.items():
    router.get(
        f"/tournaments/{{tournament}}/export.{_kind}",
        response_class=Response,
        responses={200: {"content": {re.sub(";.*", "", _media_type): {}}}},
        name=f"export_{_kind}",
    )(_route(_kind, _media_type))
