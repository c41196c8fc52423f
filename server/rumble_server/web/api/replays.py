"""Matches as pages and the API show them: the newest position, and all boards ply by ply. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rumble_engine import ALL, get_game
from rumble_engine.joint import IDLE
from rumble_protocol.fields import MoveInfo

from rumble_server.match import public_view
from rumble_server.match.facts import MatchOver, MatchStarted, played
from rumble_server.match.progress import Progress
from rumble_server.web.api.models import MatchBoards, MatchView, PlyBoard
from rumble_server.web.feed.position_view import PositionView, drawing_of, newest_position_view, position_view
from rumble_server.web.feed.views import away_view


def replay(
    terms: MatchStarted,
    moves: Sequence[str],
    seat: int | None,
    first: int,
    most: int,
    thought_ms: list[int | None],
) -> MatchBoards:
    """Draw at most `most` boards, beginning with the board after `first` plies; none if the match has fewer plies.

    `seat` is None for the spectators of a running match, and `ALL` once the match is over.
    """
    game = get_game(terms.game)
    state, boards, course = terms.first_state(), list[PlyBoard](), _course(terms, moves, seat)
    blank = drawing_of(game, state.view(seat))
    seen = None
    for ply, move in enumerate((None, *moves[: first + most - 1])):
        if move is not None:
            seen, state = state.seen(move, seat), state.play(move)
        if ply >= first:
            board = position_view(game, state, seen, seat)
            boards.append(
                PlyBoard(
                    board="" if board.drawing is None else board.drawing.board,
                    last=[] if board.drawing is None else list(board.drawing.last),
                    diagram=board.diagram if board.drawing is None else None,
                    position=board.position,
                )
            )
    return MatchBoards(
        match=terms.match,
        attempt=terms.attempt,
        plies=len(moves),
        first=first,
        drawing=None if blank is None else replace(blank, last=()),
        boards=boards,
        **course,
        thought_ms=thought_ms,
    )


def running_view(progress: Progress, now_ms: int) -> MatchView:
    """Make the view of the running attempt at a match. The view has only the public part."""
    public = public_view.position(progress, now_ms)
    clock = public_view.clocks(progress, public, now_ms)
    return _match_view(
        progress.terms,
        public.moves,
        newest_position_view(progress, public),
        status="running",
        seat=public.state.to_move,
        thinking=public_view.movers(progress) if public.is_newest else [],
        seats_ms=list(clock.seats_ms),
        ticking=public_view.is_ticking(progress) and public.is_newest,
        at_ms=clock.at_ms,
        away=away_view(progress) if public.is_newest else [],
    )


def ended_view(
    terms: MatchStarted,
    over: MatchOver,
    thought_ms: list[int | None],
    notes: list[str | None] | None = None,
    infos: list[MoveInfo | None] | None = None,
) -> MatchView:
    """Make the view of a finished attempt at a match. The view has every secret."""
    last = over.moves[-1] if over.moves else None
    return _match_view(
        terms,
        over.moves,
        position_view(get_game(terms.game), played(terms.first_state(), over.moves), last, ALL),
        status="over",
        notes=notes,
        infos=infos,
        thought_ms=thought_ms,
        scores=None if over.scores is None else list(over.scores),
        winner=over.winner,
        termination=over.termination,
        reason=over.reason,
        at_fault=list(over.at_fault),
        ended_at_ms=over.at_ms,
        **_course(terms, over.moves, ALL),
    )


def _match_view(
    terms: MatchStarted,
    moves: Sequence[str],
    board: PositionView,
    *,
    notes: list[str | None] | None = None,
    infos: list[MoveInfo | None] | None = None,
    **more: Any,
) -> MatchView:
    nothing = dict.fromkeys(("seat", "seats_ms", "at_ms", "scores", "winner", "termination", "ended_at_ms"))
    return MatchView(
        id=terms.match,
        tournament=terms.tournament,
        attempt=terms.attempt,
        game=terms.game,
        settings=terms.settings,
        time_control=terms.time_control,
        seats=list(terms.seats),
        ply=len(moves),
        opening=min(len(terms.moves), len(moves)),
        moves=list(moves),
        notes=notes or [None] * len(moves),
        infos=infos or [None] * len(moves),
        **board._asdict(),
        started_at_ms=terms.at_ms,
        absent=list(terms.absent),
        **{**nothing, "thinking": [], "ticking": False, "reason": "", "at_fault": [], **more},
    )


def _course(terms: MatchStarted, moves: Sequence[str], seat: int | None) -> dict[str, Any]:
    """Return two fields with an entry for each move: `written` and `movers`.

    `written` has the moves as people write them, as far as `seat` may see the moves. `movers` has the seats that moved.
    """
    game = get_game(terms.game)
    state, written, movers = terms.first_state(), [], []
    for move in moves:
        seen = state.seen(move, seat)
        is_move = bool(state.movers) and seen == move != IDLE  # not drawn by chance, nor hidden, nor made by a fall
        written.append(game.written(state, move) if is_move else seen)
        movers.append(state.to_move)
        state = state.play(move)
    return {"written": written, "movers": movers}
