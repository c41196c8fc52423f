"""The most frequent frames of the server, built without pydantic models for speed.

Tests compare each frame with the frame that its model writes.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import orjson
from rumble_engine import State, Termination

from rumble_protocol.fields import AwayClock, TimeControl

MOST_LEGAL = 1_000
"""Maximum number of legal moves that a turn lists (in plain matches there is no maximum)."""
FIRST_LEGAL = 10
"""Number of legal moves, from the start of the list, that are in every turn. In poker, fold and call come first."""


def listed_moves(state: State, seat: int, turn_id: str) -> tuple[list[str], bool]:
    """Return the list of legal moves for a turn, and a flag, which is true if the list is complete.

    If more than `MOST_LEGAL` moves are legal, the list has the first `FIRST_LEGAL`, then a sample of the rest. The
    moves keep their order. The turn's id determines the sample, so that the transcript has the same list.
    """
    codes = state.codes_for(seat)
    is_whole = len(codes) <= MOST_LEGAL
    if not is_whole:
        others = Random(turn_id).sample(range(FIRST_LEGAL, len(codes)), MOST_LEGAL - FIRST_LEGAL)
        codes = [codes[index] for index in (*range(FIRST_LEGAL), *sorted(others))]
    return [state.text_for(seat, code) for code in codes], is_whole


def turn_frame(
    match: str,
    attempt: int,
    turn_id: str,
    game: str,
    ply: int,
    seat: int,
    state: Mapping[str, Any] | orjson.Fragment,
    legal: Sequence[str] | None,
    moves: Sequence[str] | None,
    remaining_ms: int,
    seats_ms: Sequence[int],
    lag_ms: int,
    legal_complete: bool = True,
    since: Sequence[tuple[int | None, str]] | None = None,
) -> bytes:
    """Build the frame of a `turn`. If `legal` or `moves` is None, the frame has no such field.

    `since` is None in a plain match. Then `legal_complete` has no effect, because `legal` has all legal moves.
    """
    turn: dict[str, Any] = {
        "type": "turn",
        "match": match,
        "attempt": attempt,
        "turn_id": turn_id,
        "game": game,
        "ply": ply,
        "seat": seat,
        "state": state,
        "legal": legal,
        "moves": moves,
        "clock": {"remaining_ms": remaining_ms, "seats_ms": seats_ms, "lag_ms": lag_ms},
    }
    if legal is None:
        del turn["legal"]
    if moves is None:
        del turn["moves"]
    if since is not None:
        if not legal_complete:
            turn["legal_complete"] = False
        turn["since"] = since
    return orjson.dumps(turn)


def match_start_frame(
    match: str,
    attempt: int,
    tournament: str,
    game: str,
    settings: Mapping[str, Any],
    seat: int,
    seats: Sequence[str],
    time_control: TimeControl,
    moves: Sequence[str],
    resumed: bool,
    away_clock: AwayClock,
    seed_commitment: str | None = None,
) -> bytes:
    """Build the frame of a `match_start`; `seed_commitment` is left out if it is None."""
    message: dict[str, Any] = {
        "type": "match_start",
        "match": match,
        "attempt": attempt,
        "tournament": tournament,
        "game": game,
        "settings": settings,
        "seat": seat,
        "seats": seats,
        "time_control": vars(time_control),
        "moves": moves,
        "resumed": resumed,
        "away_clock": away_clock,
    }
    if seed_commitment is not None:
        message["seed_commitment"] = seed_commitment
    return orjson.dumps(message)


def match_over_frame(
    match: str,
    attempt: int,
    scores: Sequence[float] | None,
    winner: int | None,
    termination: Termination,
    reason: str,
    moves: Sequence[str],
    state: Mapping[str, Any],
    places: Sequence[int] | None = None,
    payoffs: Sequence[float] | None = None,
    falls: Sequence[Mapping[str, Any]] | None = None,
    seed: str | None = None,
) -> bytes:
    """Build the frame of a `match_over`; the fields after `state` are None in a plain match."""
    message: dict[str, Any] = {
        "type": "match_over",
        "match": match,
        "attempt": attempt,
        "scores": scores,
        "winner": winner,
        "termination": termination,
        "reason": reason,
        "moves": moves,
        "state": state,
    }
    if falls is not None:
        optional = {"places": places, "payoffs": payoffs, "falls": falls, "seed": seed}
        message |= {name: value for name, value in optional.items() if value is not None}
    return orjson.dumps(message)
