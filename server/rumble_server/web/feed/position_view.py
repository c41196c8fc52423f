"""Positions for the feed, the API and pages; in a hidden game, made from a view alone."""

import logging
from functools import lru_cache
from typing import Any, NamedTuple

from rumble_engine import ALL, Drawing, Game, State, get_game

from rumble_server.match.plies import PublicPosition
from rumble_server.match.progress import Progress

log = logging.getLogger(__name__)


class PositionView(NamedTuple):
    """A position for people. `Board`, `MatchView` and `PlyBoard` have fields with the same names."""

    state: dict[str, object]
    position: str
    """The position in the game's notation; empty during a match of a hidden game."""
    diagram: str
    drawing: Drawing | None


def position_view(game: Game, state: State, last: str | None, seat: int | None) -> PositionView:
    """Show the position `state` as `seat` sees the position. `last` is the ply that led to `state`, if any.

    `seat` is None for a spectator, and `ALL` for a reader after the match.
    """
    view = state.view(seat)
    drawing = drawing_of(game, view, last)
    if not game.hides:
        return PositionView(view, state.text(), state.diagram(), drawing)
    return PositionView(view, state.text() if seat == ALL else "", game.diagram(view), drawing)


def newest_position_view(progress: Progress, public: PublicPosition) -> PositionView:
    """Show the position in `public`: without secrets during the match, and with all secrets after the match."""
    game, moves = get_game(progress.terms.game), public.moves
    return position_view(game, public.state, moves[-1] if moves else None, None if progress.over is None else ALL)


def drawing_of(game: Game, view: dict[str, Any], last: str | None = None) -> Drawing | None:
    """Return the drawing of a view. If the game has no drawings, or its code fails, return None.

    Pages then show the diagram.
    """
    try:
        return game.drawing(view, last)
    except Exception:  # noqa: BLE001  # a game's code may raise anything
        log_once(f"{game.name} is shown without a drawing")
        return None


@lru_cache(maxsize=1_024)
def log_once(effect: str) -> None:
    """Log the present error of a game's code, and its effect. Do nothing if the same effect was logged already."""
    log.exception("%s, because the code of the game failed", effect)
