"""Boards for pages: the board of any position, with the cells to click for each move, and the boards of a match."""

from contextlib import suppress
from http import HTTPStatus
from random import Random
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import ValidationError
from rumble_engine import BadPosition, BadSettings, EngineError, Game, MoveError, NotSampled, State, get_game
from rumble_protocol.codes import ErrorCode
from rumble_protocol.fields import Count
from starlette.responses import Response

from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host.commands import body_schema
from rumble_server.web.api.models import BoardAnswer, BoardQuestion, MatchBoards
from rumble_server.web.api.problems import bad_request
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.compression import mark_public
from rumble_server.web.errors import WebError, error_answers
from rumble_server.web.guards.bodies import read_body
from rumble_server.web.site import site_of

MOST_BOARDS = 400
"""Maximum number of boards in an answer."""

router = APIRouter(prefix="/api", tags=["read"], dependencies=[Depends(mark_public)], responses=ERRORS)


@router.get("/matches/{match}/boards", response_model=MatchBoards)
async def get_boards(
    request: Request,
    match: str,
    first: Count = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_BOARDS)] = MOST_BOARDS,
) -> Response:
    """Show the boards of a match from ply `first` on, to step through the match."""
    return Response(await answers_of(request).boards(match, first, limit), media_type="application/json")


@router.post(
    "/games/{game}/board",
    response_model=BoardAnswer,
    openapi_extra=body_schema(BoardQuestion),
    responses=error_answers(HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
)
async def post_board(game: str, request: Request) -> Response:
    """Show the board of a position, such as the `state` of a turn, and the cells to click for each move."""
    drawn = await site_of(request).reader.run(draw, game, await read_body(request))
    return Response(drawn, media_type="application/json")


def draw(name: str, body: bytes) -> bytes:
    """Return a BoardAnswer as JSON. `body` is a BoardQuestion as JSON, about the game `name`.

    Raises WebError for a bad question or position, and for illegal moves.
    """
    try:
        question = BoardQuestion.model_validate_json(body)
    except ValidationError as error:
        raise bad_request(error.errors(include_url=False)) from None
    try:
        game = get_game(name)
        settings = game.complete(question.settings) if question.settings else {}
        view = {**settings, **question.state}
        if game.hides:
            return _hiding(game, view, question).encode()
        state = game.load(view)
        return _answer(game, state, question, state.view()).model_dump_json().encode()
    except EngineError as error:
        raise refused(error) from None


def _hiding(game: Game, view: dict[str, Any], question: BoardQuestion) -> str:
    """Draw a view of a hidden game, as JSON.

    Raises BadSettings for bad settings in the view, MoveError for illegal moves, and BadPosition for any other error in
    the view.
    """
    # The settings in the view are checked, because a drawing is as large as they say.
    game.complete({setting.name: view[setting.name] for setting in game.settings if setting.name in view})
    try:
        return _answer(game, _sample(game, view), question, view).model_dump_json(warnings="error")
    except EngineError:
        raise
    except Exception as error:
        # No `load` has checked the view, so the game's code may raise any error.
        raise BadPosition(f"not a {game.name} view") from error


def _answer(game: Game, state: State | None, question: BoardQuestion, view: dict[str, Any]) -> BoardAnswer:
    """Draw `view`, with the moves of `question.legal`, or by default with all legal moves of `state`.

    Raises MoveError for an illegal move in `question.legal`. If `state` is None, moves are neither checked nor added.
    """
    legal = question.legal or []
    if state is not None:
        for move in legal:
            check_move(state, move)
        legal = moves_of(state) if question.legal is None else legal
    spellings = {} if state is None else {move: list(game.spellings(state, move)) for move in legal}
    return BoardAnswer(
        drawing=game.drawing(view, question.last_move),
        diagram=game.diagram(view),
        moves={move: game.path(view, move) for move in legal},
        spellings={move: texts for move, texts in spellings.items() if texts != [move]},
        keys={move: key for move, key in game.keys.items() if move in legal},
        refusal=None if state is None or question.try_move is None else _refusal(state, question.try_move),
    )


def _refusal(state: State, move: str) -> str | None:
    """Return the reason why no mover may make `move`; None if at least one mover may make `move`."""
    try:
        check_move(state, move)
    except MoveError as error:
        return str(error)
    return None


def _sample(game: Game, view: dict[str, Any]) -> State | None:
    """Return a state that agrees with a view; None if the game has no samples, or the view belongs to no seat."""
    with suppress(NotSampled, BadPosition):
        return game.sample(view, Random(0))
    return None


def moves_of(state: State) -> list[str]:
    """Return the legal moves of the seats to move, each text once."""
    return list(dict.fromkeys(state.text_for(seat, code) for seat in state.movers for code in state.codes_for(seat)))


def check_move(state: State, move: str) -> None:
    """Check that at least one of the seats to move may make `move`. Raises MoveError."""
    *others, last = state.movers or (state.to_move,)
    for seat in others:
        with suppress(MoveError):
            state.code_for(seat, move)
            return
    state.code_for(last, move)


def refused(error: EngineError) -> WebError:
    """Convert an error about a game, its settings, a position or a move to the web's error."""
    match error:
        case BadSettings():
            code = str(ErrorCode.BAD_SETTINGS)
        case BadPosition():
            code = "bad_position"
        case MoveError():
            code = "illegal_move"
        case _:
            return WebError(HTTPStatus.NOT_FOUND, ErrorCode.UNKNOWN_GAME, str(error))
    return WebError(HTTPStatus.UNPROCESSABLE_ENTITY, code, str(error))
