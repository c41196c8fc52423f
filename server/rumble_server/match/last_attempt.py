"""The last attempt at a match, and the notes, infos and thinking times of its moves, from the match's facts."""

from collections.abc import Iterable, Sequence

from pydantic import ValidationError
from rumble_protocol.bot_messages import Move
from rumble_protocol.fields import MoveInfo

from rumble_server.match.clock import thinking_ms
from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted, MoveMade, TurnAsked, with_turns


def last_attempt(facts: Sequence[object]) -> tuple[MatchStarted | None, MatchOver | None]:
    """Return a match's newest terms and newest end. If a next attempt has begun, the terms are newer than the end."""
    started = next((fact for fact in reversed(facts) if isinstance(fact, MatchStarted)), None)
    return started, next((fact for fact in reversed(facts) if isinstance(fact, MatchOver)), None)


def notes(facts: Iterable[object], over: MatchOver) -> list[str | None]:
    """Return the bots' notes to the moves of an attempt, by ply. Show them only when the match is over."""
    return [None if sent is None else sent.note for sent in _sent(facts, over)]


def infos(facts: Iterable[object], over: MatchOver) -> list[MoveInfo | None]:
    """Return the bots' infos about the moves of an attempt, by ply. Show them only when the match is over."""
    return [None if sent is None else sent.info for sent in _sent(facts, over)]


def _sent(facts: Iterable[object], over: MatchOver) -> list[Move | None]:
    """Return the messages that made the moves of an attempt, by ply; None for a ply without a readable message."""
    found: list[Move | None] = [None] * len(over.moves)
    seen = ""
    for fact in facts:
        if isinstance(fact, FrameSeen):
            seen = fact.frame
        elif isinstance(fact, MoveMade) and fact.attempt == over.attempt and fact.ply < len(found):
            found[fact.ply] = _read(fact.frame or seen)
    return found


def thought_ms(facts: Iterable[object], terms: MatchStarted, plies: int) -> list[int | None]:
    """Return the thinking times in ms for the first plies of the attempt with these terms; None for opening moves.

    If a move drew on the bank, the thinking time follows from the bank. Otherwise it is the time between asking and
    answering, which may include time in which the turn waited for the disk. If the bot was asked again for the same
    ply, the time used before is added; the turn's `remaining_ms` is smaller by as much.
    """
    found: list[int | None] = [None] * plies
    control = terms.time_control
    banks_ms = [control.bank_ms] * len(terms.seats)
    asked: TurnAsked | None = None
    for fact in with_turns(facts):
        if isinstance(fact, TurnAsked) and fact.attempt == terms.attempt:
            asked = fact
        elif isinstance(fact, MoveMade) and fact.attempt == terms.attempt:
            drawn_ms = banks_ms[fact.seat] + control.increment_ms - fact.bank_ms
            if fact.ply < plies and asked is not None and asked.turn_id == fact.turn_id:
                before_ms = control.move_ms + banks_ms[fact.seat] - asked.remaining_ms
                measured_ms = before_ms + thinking_ms(asked.at_ms, fact.at_ms, asked.lag_ms, fact.excused_ms)
                found[fact.ply] = control.move_ms + drawn_ms if drawn_ms > 0 else measured_ms
            banks_ms[fact.seat] = fact.bank_ms
    return found


def _read(frame: str) -> Move | None:
    try:
        return Move.model_validate_json(frame)
    except ValidationError:  # a message of an earlier version, or the kept part of a long message
        return None
