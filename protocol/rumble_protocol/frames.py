"""The most frequent frames of the server, built without pydantic models for speed.

Tests compare each frame with the frame that its model writes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from rumble_engine import Termination

from rumble_protocol.fields import AwayClock, TimeControl


def turn_frame(
    match: str,
    attempt: int,
    turn_id: str,
    game: str,
    ply: int,
    seat: int,
    state: Mapping[str, Any],
    legal: Sequence[str] | None,
    moves: Sequence[str] | None,
    remaining_ms: int,
    seats_ms: Sequence[int],
    lag_ms: int,
) -> bytes:
    """Build the frame of a `turn`; `legal` or `moves` is None where the login omits it."""
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
    away_clock: AwayClock | None,
) -> bytes:
    """Build the frame of a `match_start`; `away_clock` None is left out."""
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
    }
    if away_clock is not None:
        message["away_clock"] = away_clock
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
) -> bytes:
    """Build the frame of a `match_over`."""
    return orjson.dumps(
        {
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
    )
