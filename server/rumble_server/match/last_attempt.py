"""The last attempt at a match that is over, with its notes, infos and thinking times, read from the match's facts."""

from collections.abc import Iterable, Sequence

from pydantic import ValidationError
from rumble_protocol.bot_messages import Move
from rumble_protocol.fields import MoveInfo

from rumble_server.match.clock import thinking_ms
from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted, MoveMade, TurnAsked, with_turns


def last_attempt(facts: Sequence[object]) -> tuple[MatchStarted, MatchOver] | None:
    """Return the start and the end of the last attempt that is over; None if no attempt is over, or it never began."""
    over = next((fact for fact in reversed(facts) if isinstance(fact, MatchOver)), None)
    starts = (fact for fact in facts if isinstance(fact, MatchStarted) and over and fact.attempt == over.attempt)
    started = next(starts, None)
    return None if started is None or over is None else (started, over)


def notes(facts: Iterable[object], over: MatchOver) -> list[str | None]:
    """Return the bots' notes about the moves of an attempt, by ply. Show them only after the match.

    The notes about a joint move are lines that begin with the bots' names.
    """
    notes_by_ply: list[str | None] = []
    for sent in _sent(facts, over):
        lines = [(over.seats[seat], move.note) for seat, move in sent if move.note is not None]
        named = [f"{bot}: {note}" for bot, note in lines] if len(sent) > 1 else [note for _, note in lines]
        notes_by_ply.append("\n".join(named) if named else None)
    return notes_by_ply


def infos(facts: Iterable[object], over: MatchOver) -> list[MoveInfo | None]:
    """Return the bots' infos about the moves of an attempt, by ply. Show them only after the match.

    For a joint move of several bots, the item is None.
    """
    return [sent[0][1].info if len(sent) == 1 else None for sent in _sent(facts, over)]


def _sent(facts: Iterable[object], over: MatchOver) -> list[list[tuple[int, Move]]]:
    """Return the messages `move` of an attempt, by ply, each with the seat of its sender.

    Unreadable frames are left out.
    """
    moves_by_ply: list[list[tuple[int, Move]]] = [[] for _ in over.moves]
    seen = ""
    for fact in facts:
        if isinstance(fact, FrameSeen):
            seen = fact.frame
        elif isinstance(fact, MoveMade) and fact.attempt == over.attempt and fact.ply < len(moves_by_ply):
            message = _read(fact.frame or seen) if fact.turn_id else None
            if message is not None:
                moves_by_ply[fact.ply].append((fact.seat, message))
    return moves_by_ply


def thought_ms(facts: Iterable[object], terms: MatchStarted, plies: int) -> list[int | None]:
    """Return the thinking time in ms for each of the first `plies` plies of the attempt that `terms` began.

    The time is None for a ply without a bot's answer, such as an opening move. If a move used time of the bank, the
    thinking time is computed from the change of the bank. Otherwise the thinking time is the time between asking and
    answering, which may include time in which the turn waited for the disk. If the bot was asked again for the same
    ply, the time used in earlier turns is added. For a joint move, the longest thinking time counts.
    """
    times_ms: list[int | None] = [None] * plies
    control = terms.time_control
    banks_ms = [control.bank_ms] * len(terms.seats)
    open_turns: dict[int, TurnAsked] = {}
    for fact in with_turns(facts):
        if isinstance(fact, TurnAsked) and fact.attempt == terms.attempt:
            open_turns[fact.seat] = fact
        elif isinstance(fact, MoveMade) and fact.attempt == terms.attempt:
            from_bank_ms = banks_ms[fact.seat] + control.increment_ms - fact.bank_ms
            turn = open_turns.get(fact.seat)
            if fact.ply < plies and turn is not None and turn.turn_id == fact.turn_id:
                before_ms = control.move_ms + banks_ms[fact.seat] - turn.remaining_ms
                measured_ms = before_ms + thinking_ms(turn.at_ms, fact.at_ms, turn.lag_ms, fact.excused_ms)
                used_ms = control.move_ms + from_bank_ms if from_bank_ms > 0 else measured_ms
                times_ms[fact.ply] = max(times_ms[fact.ply] or 0, used_ms)
            banks_ms[fact.seat] = fact.bank_ms
    return times_ms


def _read(frame: str) -> Move | None:
    try:
        return Move.model_validate_json(frame)
    except ValidationError:  # the kept part of a long message
        return None
