"""A dialogue without a program: the test gives the program's answers, and compares the lines written."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rumble_bots.bridges.dialogue import Talk
from rumble_bots.sdk.bot import Turn
from rumble_engine import get_game
from rumble_protocol import server_messages as server
from rumble_protocol.fields import ToldTimeControl

T = TypeVar("T")


def hold(talk: Talk[T], answers: str | Sequence[str]) -> tuple[list[str], T]:
    """Return the lines written by the dialogue and its result, for the `answers` of the program (a text: its lines)."""
    written: list[str] = []
    coming = iter(answers.splitlines() if isinstance(answers, str) else answers)
    try:
        written += next(talk)
        while True:
            written += talk.send(next(coming))
    except StopIteration as end:
        rest = list(coming)
        assert not rest, f"nobody read {rest}"
        return written, end.value


def turn(
    game: str,
    moves: str = "",
    *,
    settings: dict[str, Any] | None = None,
    control: dict[str, int] | None = None,
    remaining_ms: int = 10_000,
    seats_ms: Sequence[int] | None = None,
    match: str = "m",
    attempt: int = 1,
    now: Callable[[], float] = lambda: 0.0,
) -> Turn:
    """Return the turn after `moves` (separated by commas), with a clock that does not move unless `now` is given."""
    made = moves.split(",") if moves else []
    state = get_game(game).initial(settings)
    for move in made:
        state = state.play(move)
    told = server.Turn(
        match=match,
        attempt=attempt,
        turn_id="1.1",
        game=game,
        ply=len(made),
        seat=state.to_move,
        state=state.view(state.to_move),
        legal=list(state.legal_moves),
        moves=made,
        clock=server.TurnClock(
            remaining_ms=remaining_ms, seats_ms=list(seats_ms or [remaining_ms, remaining_ms]), lag_ms=0
        ),
    )
    start = server.MatchStart(
        match=match,
        attempt=attempt,
        tournament="t",
        game=game,
        settings=get_game(game).complete(settings),
        seat=state.to_move,
        seats=["a", "b"],
        time_control=ToldTimeControl(**({"move_ms": 10_000, "bank_ms": 0, "increment_ms": 0} | (control or {}))),
        moves=[],
        resumed=False,
    )
    return Turn.of(told, start, now)
