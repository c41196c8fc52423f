"""The values that the page of a match shows (`match.html`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rumble_engine import get_game
from rumble_engine.drawing import SEAT_COLOURS

from rumble_server.web.api.answers import ClubAnswers
from rumble_server.web.api.models import MatchBoards, MatchView
from rumble_server.web.pages.think_chart import bars, view_box
from rumble_server.web.texts import ask_command

IN_PAIRS = ("chess",)
"""The games whose moves are numbered in pairs, such as `1. e4 e5` in chess."""


@dataclass(frozen=True, slots=True)
class Course:
    """The moves of a match as people write them, the seats that moved, and the thinking times in ms.

    The time of a ply of the opening is None.
    """

    written: Sequence[str]
    movers: Sequence[int]
    thought_ms: Sequence[int | None]


async def match_context(answers: ClubAnswers, match_id: str, asked_ply: str) -> dict[str, Any]:
    """Make the values for `match.html`.

    The page shows the board after `asked_ply`, or after the last ply if `asked_ply` is not valid.
    """
    view = await answers.match(match_id)
    ply = min(int(asked_ply), view.ply) if asked_ply.isdecimal() and len(asked_ply) < 10 else view.ply
    found = None
    if ply < view.ply or view.status == "running":
        found = MatchBoards.model_validate_json(await answers.boards(view.id, ply, 1))
        if found.attempt != view.attempt or not found.boards:  # another attempt has begun since `answers.match`
            ply, found = view.ply, None
    course, game = _course(view, found), get_game(view.game)
    return {
        "view": view,
        "display_names": view.display_names,
        "tournament_name": await answers.name(view.tournament),
        "neighbours": await answers.neighbours(view.id),
        "game": game,
        "ply": ply,
        "follows": not asked_ply,
        "tells_result": view.status == "running" or ply == view.ply,
        "frame": _frame(view, ply, found),
        "course": course,
        "in_pairs": view.game in IN_PAIRS,
        "colours": _colours(view),
        "bars": bars(course.thought_ms, course.movers),
        "bars_box": view_box(view.ply),
        "ask": ask_command(view.game, view.settings),
    }


def _course(view: MatchView, found: MatchBoards | None) -> Course:
    if view.written is not None and view.movers is not None:
        return Course(view.written, view.movers, view.thought_ms or [None] * view.ply)
    if found is not None:
        return Course(found.written[: view.ply], found.movers[: view.ply], found.thought_ms[: view.ply])
    return Course(view.moves, [ply % len(view.seats) for ply in range(view.ply)], [None] * view.ply)


def _colours(view: MatchView) -> list[str]:
    """Return the colour of each seat's pieces; a seat without pieces has a default."""
    found: list[str] = list(SEAT_COLOURS[: len(view.seats)])
    for piece in reversed(list(view.drawing.pieces.values()) if view.drawing else []):
        if piece.seat is not None and piece.seat < len(found):  # a drawing may have pieces of seats that do not play
            found[piece.seat] = piece.colour
    return found


def _frame(view: MatchView, ply: int, found: MatchBoards | None) -> dict[str, Any]:
    if ply == view.ply or found is None:
        asks = view.status == "running" and view.position != ""  # empty if something is hidden
        return {"drawing": view.drawing, "diagram": view.diagram, "position": view.position, "asks": asks}
    board, blank = found.boards[0], found.drawing
    drawing = blank and replace(blank, board=board.board, last=tuple(board.last))
    return {"drawing": drawing, "diagram": board.diagram, "position": board.position, "asks": board.position != ""}
