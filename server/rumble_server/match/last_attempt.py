"""The last attempt at a match, and what its bots said beside their moves, from the match's facts."""

from collections.abc import Iterable, Sequence

from pydantic import ValidationError
from rumble_protocol.bot_messages import Move
from rumble_protocol.fields import MoveInfo

from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted, MoveMade


def last_attempt(facts: Sequence[object]) -> tuple[MatchStarted | None, MatchOver | None]:
    """Find a match's newest terms and newest end among its facts. The terms may be of an attempt after the end."""
    started = next((fact for fact in reversed(facts) if isinstance(fact, MatchStarted)), None)
    return started, next((fact for fact in reversed(facts) if isinstance(fact, MatchOver)), None)


def notes(facts: Iterable[object], over: MatchOver) -> list[str | None]:
    """Return what the bots wrote beside the moves of an attempt, by ply. Public only when the match is over."""
    return [None if sent is None else sent.note for sent in _sent(facts, over)]


def infos(facts: Iterable[object], over: MatchOver) -> list[MoveInfo | None]:
    """Return what the bots thought about the moves of an attempt, by ply. Public only when the match is over."""
    return [None if sent is None else sent.info for sent in _sent(facts, over)]


def _sent(facts: Iterable[object], over: MatchOver) -> list[Move | None]:
    """Return the messages with which the moves of an attempt were made, by ply."""
    found: list[Move | None] = [None] * len(over.moves)
    seen = ""
    for fact in facts:
        if isinstance(fact, FrameSeen):
            seen = fact.frame
        elif isinstance(fact, MoveMade) and fact.attempt == over.attempt and fact.ply < len(found):
            found[fact.ply] = _read(fact.frame or seen)
    return found


def _read(frame: str) -> Move | None:
    try:
        return Move.model_validate_json(frame)
    except ValidationError:  # an earlier version's message, or only a part of one
        return None
