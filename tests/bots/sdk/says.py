"""Frames as a server would send them, for tests of the SDK."""

import json
from typing import Any, TypeVar

from rumble_protocol.codec import read_server_message
from rumble_protocol.fields import ServerMessageModel

EMPTY = "........."
M = TypeVar("M", bound=ServerMessageModel)


def read(kind: type[M], frame: str | bytes) -> M:
    """Return the message of a frame, which must be of this kind."""
    message = read_server_message(frame)
    assert isinstance(message, kind)
    return message


def frame(type: str, **fields: Any) -> str:
    return json.dumps({"type": type, **fields})


def welcome(**fields: Any) -> str:
    return frame("welcome", **({"protocol": 1, "server": "test", "limits": {}, "games": ["tictactoe"]} | fields))


def session(*matches: str, name: str = "ann", max_matches: int = 1, **fields: Any) -> str:
    told = {"name": name, "open": False, "max_matches": max_matches, "matches": matches, "tournaments": []}
    return frame("session", **told | fields)


def joined(tournament: str = "cup", type: str = "joined", status: str = "running") -> str:
    control = {"move_ms": 1000, "bank_ms": 0, "increment_ms": 0}
    return frame(type, tournament=tournament, game="tictactoe", settings={}, time_control=control, status=status)


def match_start(match: str = "cup.1", seat: int = 0, attempt: int = 1, control: dict[str, int] | None = None) -> str:
    return frame(
        "match_start",
        match=match,
        attempt=attempt,
        tournament="cup",
        game="tictactoe",
        settings={},
        seat=seat,
        seats=["ann", "bob"] if seat == 0 else ["bob", "ann"],
        time_control=control or {"move_ms": 1000},
        moves=[],
        resumed=False,
    )


def turn(
    turn_id: str = "t1",
    *,
    match: str = "cup.1",
    attempt: int = 1,
    board: str = EMPTY,
    moves: tuple[str, ...] = (),
    remaining_ms: int = 1000,
    lag_ms: int = 0,
    game: str = "tictactoe",
    state: dict[str, Any] | None = None,
) -> str:
    return frame(
        "turn",
        match=match,
        attempt=attempt,
        turn_id=turn_id,
        game=game,
        ply=len(moves),
        seat=len(moves) % 2,
        state=state or {"board": board},
        legal=[str(square) for square, mark in enumerate(board) if mark == "."],
        moves=moves,
        clock={"remaining_ms": remaining_ms, "seats_ms": [remaining_ms, remaining_ms], "lag_ms": lag_ms},
    )


def rejected(turn_id: str = "t1", code: str = "illegal_move", *, your_turn: bool = True) -> str:
    return frame(
        "rejected", match="cup.1", turn_id=turn_id, code=code, message="no", your_turn=your_turn, remaining_ms=None
    )


def match_over(
    match: str = "cup.1", attempt: int = 1, scores: list[float] | None = None, winner: int | None = 0
) -> str:
    return frame(
        "match_over",
        match=match,
        attempt=attempt,
        scores=[1.0, 0.0],
        winner=winner,
        termination="normal",
        reason="three in a row",
        moves=["0"],
        state={"board": EMPTY},
    )


def tournament_over(tournament: str = "cup") -> str:
    return frame("tournament_over", tournament=tournament, status="finished", rank=1, bots=2, points=1.5)


def notice(code: str, tournament: str | None = "cup", match: str | None = None) -> str:
    return frame("notice", code=code, tournament=tournament, match=match, message="be told")


def error(code: str, *, fatal: bool = False) -> str:
    return frame("error", code=code, message="no way", detail=[{"field": "join", "problem": "odd"}], fatal=fatal)
