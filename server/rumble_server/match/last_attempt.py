"""The last attempt at a match and the notes beside its moves, from the match's facts."""

from collections.abc import Iterable, Sequence

from pydantic import ValidationError
from rumble_protocol.bot_messages import Move

from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted, MoveMade


def last_attempt(facts: Sequence[object]) -> tuple[MatchStarted | None, MatchOver | None]:
    """Find a match's newest terms and newest end among its facts. The terms may be of an attempt after the end."""
    started = next((fact for fact in reversed(facts) if isinstance(fact, MatchStarted)), None)
    return started, next((fact for fact in reversed(facts) if isinstance(fact, MatchOver)), None)


def notes(facts: Iterable[object], over: MatchOver) -> list[str | None]:
    """Return what the bots wrote beside the moves of an attempt, by ply. Public only when the match is over."""
    found: list[str | None] = [None] * len(over.moves)
    seen = ""
    for fact in facts:
        if isinstance(fact, FrameSeen):
            seen = fact.frame
        elif isinstance(fact, MoveMade) and fact.attempt == over.attempt and fact.ply < len(found):
            found[fact.ply] = _note(fact.frame or seen)
    return found


def _note(frame: str) -> str | None:
    try:
        return Move.model_validate_json(frame).note
    except ValidationError:  # an earlier version's message, or only a part of one
        return None
