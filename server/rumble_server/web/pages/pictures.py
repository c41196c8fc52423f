"""The routes of pictures of boards: every ply of a match, and any position of a game.

A page contains the address of a picture. Chat programs show the picture in the preview of a link to the page. Other
sites can embed the pictures.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from http import HTTPStatus
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request
from rumble_engine import ALL, BadSettings, Drawing, EngineError, get_game
from rumble_protocol.fields import Count
from starlette.responses import Response

from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.boards import refused
from rumble_server.web.api.models import MatchBoards
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.compression import mark_public
from rumble_server.web.errors import WebError
from rumble_server.web.pages.picture import MAKES_PNG, picture, png
from rumble_server.web.request_headers import has_etag
from rumble_server.web.site import site_of
from rumble_server.web.static_files import FOR_GOOD, REVALIDATED

PictureKind = Literal["svg", "png"]
MEDIA_TYPES: dict[PictureKind, str] = {"svg": "image/svg+xml", "png": "image/png"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The Content-Security-Policy of a picture: its own style is allowed, scripts and requests are not."""
FOR_A_DAY = "public, max-age=86400"
MOST_POSITION = 2048
"""Maximum number of characters in the text of a position, and in the settings."""
MOST_MOVES = 400
"""Maximum number of moves made from a position."""

NO_MOVES: list[str] = []

Flipped = Annotated[bool, Query(description="seen from the second seat, where the game has sides")]

router = APIRouter(tags=["read"], dependencies=[Depends(mark_public)], responses=ERRORS)
OF_ANY_KIND: dict[int | str, dict[str, Any]] = {200: {"content": {each: {} for each in MEDIA_TYPES.values()}}}


@router.get("/matches/{match}/board.{kind}", responses=OF_ANY_KIND, response_class=Response)
async def get_match_picture(
    request: Request,
    match: str,
    kind: PictureKind,
    ply: Count | None = None,
    flipped: Flipped = False,
    attempt: int | None = None,
) -> Response:
    """Draw the board of a match after `ply` plies, by default after the last ply.

    Browsers keep a picture for good if both `ply` and `attempt` are given.

    PNG needs the server's extra `pictures`.
    """
    site, answers = site_of(request), answers_of(request)
    is_named = ply is not None and attempt is not None
    found = MatchBoards.model_validate_json(await answers.boards(match, ply or 0, 1))
    if ply is None and found.plies:
        ply = found.plies
        found = MatchBoards.model_validate_json(await answers.boards(match, ply, 1))
    if attempt not in (None, found.attempt) or not found.boards:
        raise WebError.not_found(f"{match} is at attempt {found.attempt}, which has {found.plies} plies")
    await site.wait_for_disk()
    board = found.boards[0]
    drawing = found.drawing and replace(found.drawing, board=board.board, last=tuple(board.last))
    body = await site.reader.run(draw_picture, drawing, f"{match}, ply {ply or 0}", flipped, known(kind))
    # A running match of a hidden game has no position; the picture will show the secrets after the match.
    return answer(request, body, kind, FOR_GOOD if is_named and board.position != "" else REVALIDATED)


@router.get("/api/games/{game}/board.{kind}", responses=OF_ANY_KIND, response_class=Response)
async def get_position_picture(
    request: Request,
    game: str,
    kind: PictureKind,
    position: Annotated[str | None, Query(max_length=MOST_POSITION)] = None,
    settings: Annotated[str, Query(max_length=MOST_POSITION, description="a JSON object")] = "{}",
    move: Annotated[list[str], Query(max_length=MOST_MOVES)] = NO_MOVES,
    flipped: Flipped = False,
) -> Response:
    """Draw a position in the game's notation (by default the first position), after the moves in `move`."""
    try:
        reader = site_of(request).reader
        body = await reader.run(draw_position, game, position, settings, move, flipped, known(kind))
    except EngineError as error:
        raise refused(error) from None
    return answer(request, body, kind, FOR_A_DAY)


def known(kind: PictureKind) -> PictureKind:
    """Return `kind` unchanged. Raises WebError if this server cannot make pictures of this kind."""
    if kind == "png" and not MAKES_PNG:
        raise WebError.not_found("this server makes no PNG, which needs the extra `pictures`; ask for board.svg")
    return kind


def draw_picture(drawing: Drawing | None, label: str, flipped: bool, kind: PictureKind) -> bytes:
    """Draw a board; return an empty picture for a game without pictures."""
    if drawing is None:
        return b""
    return png(drawing, label, flipped) if kind == "png" else picture(drawing, label, flipped).encode()


def draw_position(
    name: str, position: str | None, settings: str, moves: Sequence[str], flipped: bool, kind: PictureKind
) -> bytes:
    """Draw the board after `moves` from `position` (None: the first position of the game).

    Raises EngineError for an unknown game, bad settings, a bad position or an illegal move.
    """
    game = get_game(name)
    try:
        given = orjson.loads(settings)
    except orjson.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise BadSettings("settings are a JSON object")
    state = game.initial(given) if position is None else game.parse(position, given)
    for each in moves:
        state = state.play(each)
    return draw_picture(game.drawing(state.view(ALL), moves[-1] if moves else None), game.title, flipped, kind)


def answer(request: Request, body: bytes, kind: PictureKind, kept: str) -> Response:
    """Answer with a picture, or with 304 if the browser has the picture. Raises WebError for an empty picture."""
    if not body:
        raise WebError.not_found("this game has no pictures, only diagrams")
    headers = {
        "ETag": f'W/"{blake2b(body, digest_size=8).hexdigest()}"',
        "Cache-Control": kept,
        "Content-Security-Policy": POLICY,
    }
    if has_etag(request.headers.get("If-None-Match", ""), headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, media_type=MEDIA_TYPES[kind], headers=headers)
