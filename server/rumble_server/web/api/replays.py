"""Matches as pages and the API show them: the newest position, and all boards ply by ply. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rumble_engine import State, get_game
from rumble_protocol.fields import MoveInfo

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.referee import Referee
from rumble_server.web.api.models import MatchBoards, MatchView, PlyBoard
from rumble_server.web.feed.views import away_view


def replay(
    terms: MatchStarted, moves: Sequence[str], first: int, most: int, thought_ms: list[int | None]
) -> MatchBoards:
    """Draw at most `most` boards, beginning with the board after `first` plies; none if the match has fewer plies."""
    game = get_game(terms.game)
    state, boards, course = terms.first_state(), list[PlyBoard](), _course(terms, moves)
    blank = game.drawing(state.view())
    for ply, last in enumerate((None, *moves[: first + most - 1])):
        if last is not None:
            state = state.play(last)
        if ply >= first:
            drawing = game.drawing(state.view(), last)
            boards.append(
                PlyBoard(
                    board="" if drawing is None else drawing.board,
                    last=[] if drawing is None else list(drawing.last),
                    diagram=state.diagram() if drawing is None else None,
                    position=state.text(),
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


def match_view(
    terms: MatchStarted,
    moves: Sequence[str],
    *,
    over: MatchOver | None = None,
    notes: list[str | None] | None = None,
    infos: list[MoveInfo | None] | None = None,
    thought_ms: list[int | None] | None = None,
    referee: Referee | None = None,
    now_ms: int | None = None,
) -> MatchView:
    """Show an attempt at a match: the finished attempt `over`, or the running attempt that `referee` judges."""
    game = get_game(terms.game)
    state = state_after(terms, moves) if referee is None else referee.state
    view = state.view()
    scores = None if over is None or over.scores is None else list(over.scores)
    clock = None if referee is None or now_ms is None else referee.told_clock(now_ms)
    return MatchView(
        id=terms.match,
        tournament=terms.tournament,
        attempt=terms.attempt,
        status="running" if over is None else "over",
        game=terms.game,
        settings=terms.settings,
        time_control=terms.time_control,
        seats=list(terms.seats),
        seat=state.to_move if over is None else None,
        thinking=[] if referee is None else referee.movers(),
        ply=len(moves),
        opening=min(len(terms.moves), len(moves)),
        moves=list(moves),
        notes=notes or [None] * len(moves),
        infos=infos or [None] * len(moves),
        state=view,
        position=state.text(),
        diagram=state.diagram(),
        drawing=game.drawing(view, moves[-1] if moves else None),
        seats_ms=None if clock is None else list(clock.seats_ms),
        ticking=referee is not None and referee.is_ticking,
        at_ms=None if clock is None else clock.at_ms,
        scores=scores,
        winner=None if over is None else over.winner,
        termination=None if over is None else over.termination,
        reason="" if over is None else over.reason,
        at_fault=[] if over is None else list(over.at_fault),
        started_at_ms=terms.at_ms,
        ended_at_ms=None if over is None else over.at_ms,
        **({} if over is None else _course(terms, moves)),
        thought_ms=thought_ms,
        away=[] if referee is None else away_view(referee),
        absent=list(terms.absent),
    )


def _course(terms: MatchStarted, moves: Sequence[str]) -> dict[str, Any]:
    """Return the moves as people write them (`written`), and the seats that made the moves (`movers`)."""
    game = get_game(terms.game)
    state, written, movers = terms.first_state(), [], []
    for move in moves:
        written.append(game.written(state, move))
        movers.append(state.to_move)
        state = state.play(move)
    return {"written": written, "movers": movers}


def state_after(terms: MatchStarted, moves: Sequence[str]) -> State:
    """Return the state after `moves`, which include the moves of the opening."""
    state = terms.first_state()
    for move in moves:
        state = state.play(move)
    return state
