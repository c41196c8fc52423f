"""What the page of a match shows."""

from dataclasses import replace
from typing import Any

from rumble_engine import get_game

from rumble_server.web.api.library import Library
from rumble_server.web.api.models import MatchBoards, MatchView
from rumble_server.web.texts import ask_command


async def match_context(library: Library, match_id: str, asked_ply: str) -> dict[str, Any]:
    """Make what `match.html` needs. A page without a valid `asked_ply` shows the last ply."""
    view = await library.match(match_id)
    ply = min(int(asked_ply), view.ply) if asked_ply.isdecimal() and len(asked_ply) < 10 else view.ply
    ply, frame = await _frame_of(library, view, ply)
    return {
        "view": view,
        "tournament_name": await library.name(view.tournament),
        "game": get_game(view.game),
        "ply": ply,
        "follows": not asked_ply,
        "frame": frame,
        "ask": ask_command(view.game, view.settings),
    }


async def _frame_of(library: Library, view: MatchView, ply: int) -> tuple[int, dict[str, Any]]:
    """Return the ply that is shown and its board; the last ply if another attempt has begun meanwhile."""
    if ply < view.ply:
        found = MatchBoards.model_validate_json(await library.boards(view.id, ply, 1))
        if found.attempt == view.attempt and found.boards:
            board, blank = found.boards[0], found.drawing
            drawing = blank and replace(blank, board=board.board, last=tuple(board.last))
            return ply, {"drawing": drawing, "diagram": board.diagram, "position": board.position, "asks": True}
    asks = view.status == "running"
    return view.ply, {"drawing": view.drawing, "diagram": view.diagram, "position": view.position, "asks": asks}
