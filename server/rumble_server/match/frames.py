"""Frames that follow from the facts of a match. The referee sends them, and the transcript rebuilds them from the log.

Both must build the same bytes. Therefore everything in these frames must come from facts.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from rumble_engine import ALL, State
from rumble_protocol.frames import listed_moves, match_over_frame, match_start_frame, turn_frame

from rumble_server.match.draws import commitment_of
from rumble_server.match.facts import MatchOver, MatchStarted, Placement, StartTold, TurnAsked
from rumble_server.match.plies import Plies

log = logging.getLogger(__name__)


def frames_of_start(fact: StartTold, terms: MatchStarted, moves: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the frames `match_start` that were sent according to the fact, as pairs of seat and frame.

    `moves` are the opening and all moves made before the frames were sent.
    """
    tournament, chance_seed = terms.tournament, terms.chance_seed
    commitment = commitment_of(chance_seed, terms.match, terms.attempt) if chance_seed else None
    for seat in range(len(terms.seats)) if fact.all_seats else (fact.seat,):
        frame = match_start_frame(  # arguments by position are cheaper, as in all calls here
            terms.match,
            terms.attempt,
            tournament,
            terms.game,
            terms.settings,
            seat,
            terms.seats,
            terms.time_control,
            () if chance_seed else moves,
            fact.resumed,
            terms.away_clock,
            commitment,
        )
        yield seat, frame


def frame_of_turn(turn: TurnAsked, game: str, state: State, moves: Sequence[str]) -> bytes:
    """Return the frame `turn` of a plain match. `state` and `moves` are from before the ply.

    `Announcer.ask` makes the same frame without this function, because a `TurnAsked` and a further call
    take 0.4 µs, 2 % of the time of a move.
    """
    return turn_frame(
        turn.match,
        turn.attempt,
        turn.turn_id,
        game,
        turn.ply,
        turn.seat,
        state.view(turn.seat),
        None if "legal" in turn.omit else state.legal_moves,
        None if "moves" in turn.omit else moves,
        turn.remaining_ms,
        turn.seats_ms,
        turn.lag_ms,
    )


def frame_of_turn_with_news(turn: TurnAsked, game: str, plies: Plies) -> bytes:
    """Return the frame `turn` of a match that is not plain. `plies` must end with the newest ply before the turn."""
    legal, is_whole = (None, True) if "legal" in turn.omit else listed_moves(plies.state, turn.seat, turn.turn_id)
    return turn_frame(
        turn.match,
        turn.attempt,
        turn.turn_id,
        game,
        turn.ply,
        turn.seat,
        orjson.Fragment(plies.view(turn.seat)),
        legal,
        None if "moves" in turn.omit else (),
        turn.remaining_ms,
        turn.seats_ms,
        turn.lag_ms,
        is_whole,
        plies.parts_since_own_move(turn.seat),
    )


def frame_of_match_over(over: MatchOver, state: State) -> bytes:
    """Return the frame `match_over`, the same for every seat. `state` is the last state.

    If the game's code fails to show the last state, the frame shows an empty state, because the end counts all the
    same.
    """
    try:
        return _frame_of_match_over(over, state.view(ALL))
    except Exception:
        if over.scores is not None:  # otherwise the match may be void because of this very error, which is logged
            log.exception("match %s: the game does not show the last position", over.match)
        return _frame_of_match_over(over, {})


def _frame_of_match_over(over: MatchOver, view: Mapping[str, Any]) -> bytes:
    return match_over_frame(
        over.match,
        over.attempt,
        over.scores,
        over.winner,
        over.termination,
        over.reason,
        over.moves,
        view,
        **({} if over.placement is None else _placement_fields(over.placement)),
    )


def _placement_fields(placement: Placement) -> dict[str, Any]:
    """Return the fields that the frame `match_over` has only in a match that is not plain."""
    falls = [{"seat": seat, "ply": ply, "termination": termination} for seat, ply, termination in placement.falls]
    seed = placement.chance_seed or None
    return {"places": placement.places, "payoffs": placement.payoffs, "falls": falls, "seed": seed}
