"""The transcript of a match: every frame in both directions with its server time, and the verdicts.

Frames that follow from facts are not in the log. The transcript rebuilds the exact bytes that were sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from rumble_engine import State

from rumble_server.match import facts as match_facts
from rumble_server.match.frames import frame_of_match_over, frame_of_turn, frame_of_turn_with_news, frames_of_start
from rumble_server.match.plies import Plies

OPTIONAL = ("excused_ms", "bytes", "sha256")
"""Fields that are left out of a line if they are 0 or empty."""


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """A frame of a match, with its sender, the seat of the connection, and the server's time.

    `excused_ms` is the excused part of the time for which the seat's clock had run before the frame. If only a part of
    a bot's frame is stored, `bytes` and `sha256` describe the whole frame; otherwise they are 0 and empty.
    """

    at_ms: int
    attempt: int
    seat: int
    sender: Literal["bot", "server"]
    frame: str
    excused_ms: int = 0
    bytes: int = 0
    sha256: str = ""


def seats_in(facts: Iterable[object]) -> dict[int, tuple[str, ...]]:
    """Return the bots of each attempt in the order of seats, keyed by the attempt; empty if the match never began.

    Attempts may differ: if an absent bot is left out, the other bots have other seats.
    """
    return {
        fact.attempt: fact.seats for fact in facts if isinstance(fact, match_facts.MatchStarted | match_facts.MatchOver)
    }


def transcript_of(facts: Sequence[object], bot: str) -> Iterator[TranscriptLine | match_facts.MatchOver]:
    """Yield the frames on the connections of `bot`, and the verdicts (`MatchOver`).

    In the verdicts, the versions of other bots are replaced by empty texts.
    """
    seats = seats_in(facts)
    for each in transcript(facts):
        if isinstance(each, match_facts.MatchOver):
            is_own = [name.casefold() == bot.casefold() for name in each.seats]
            versions = (version if own else "" for version, own in zip(each.versions, is_own, strict=False))
            yield replace(each, versions=tuple(versions))
        elif seats[each.attempt][each.seat].casefold() == bot.casefold():
            yield each


def public_facts(facts: Iterable[object], *, to_a_seat: bool) -> list[object]:
    """Return the facts that may be read now: all facts, except in a running match that is not plain.

    In such a match, return the facts up to the newest ply. Facts directly after the newest ply are returned, too, if
    they ask bots for the next ply. Answers for the next ply are left out, because nobody may know an answer before all
    answers are there.

    If a running attempt has secrets, nobody may read anything. An exception is the owner of a bot in the match
    (`to_a_seat`), who reads only this bot's frames.
    """
    kept, is_public = list(facts), False
    end = max((number for number, fact in enumerate(kept, 1) if isinstance(fact, match_facts.MatchOver)), default=0)
    plies: Plies | None = None
    for number, fact in enumerate(kept[end:], end):
        match fact:
            case match_facts.MatchStarted():
                plies, is_public = Plies(fact) if fact.chance_seed else None, True
            case match_facts.MoveMade() | match_facts.ChanceDrawn() | match_facts.SeatFell() if plies is not None:
                is_public = plies.try_apply(fact)
            case match_facts.TurnsAsked():
                is_public = number == end
            case match_facts.StartTold():
                is_public = number == end and fact.all_seats
            case _:
                is_public = False
        if plies is None or (is_public and (to_a_seat or not plies.hides)):
            end = number + 1
    return kept[:end]


def transcript(facts: Iterable[object]) -> Iterator[TranscriptLine | match_facts.MatchOver]:
    """Yield the frames of a match in order, and each verdict (`MatchOver`) just before the frames `match_over`.

    If the game's code fails, the frames that cannot be rebuilt are left out; the attempt is void.
    """
    terms: match_facts.MatchStarted | None = None
    state: State | None = None
    plies: Plies | None = None
    moves: list[str] = []
    away_excused_ms: dict[int, int] = {}

    def lines(fact: object) -> Iterator[TranscriptLine]:
        nonlocal terms, state, plies, moves
        match fact:
            case match_facts.MatchStarted():
                terms, state, plies, moves = fact, None, None, list(fact.moves)
                away_excused_ms.clear()
                state = fact.opening_state()
                if fact.chance_seed:
                    plies = Plies(fact)
                    moves = plies.moves
            case match_facts.StartTold() if terms is not None:
                for seat, start in frames_of_start(fact, terms, moves):
                    excused_ms = away_excused_ms.pop(seat, 0) + fact.excused_ms
                    yield TranscriptLine(fact.at_ms, fact.attempt, seat, "server", start.decode(), excused_ms)
            case match_facts.SeatAway():
                away_excused_ms[fact.seat] = fact.excused_ms
            case match_facts.TurnAsked() if terms is not None and state is not None and fact.ply == len(moves):
                if plies is not None:
                    frame = frame_of_turn_with_news(fact, terms.game, plies)
                else:
                    frame = frame_of_turn(fact, terms.game, state, moves)
                yield TranscriptLine(fact.at_ms, fact.attempt, fact.seat, "server", frame.decode())
            case match_facts.MoveMade() if terms is not None:
                if fact.frame:
                    yield TranscriptLine(fact.at_ms, fact.attempt, fact.seat, "bot", fact.frame, fact.excused_ms)
                if plies is not None:
                    plies.try_apply(fact)
                    state = plies.state
                elif state is not None and fact.ply == len(moves):
                    state = state.play(fact.move)
                    moves.append(fact.move)
            case match_facts.ChanceDrawn() | match_facts.SeatFell() if plies is not None:
                plies.try_apply(fact)
                state = plies.state
            case match_facts.FrameSeen():
                rest = fact.excused_ms, fact.bytes, fact.sha256
                yield TranscriptLine(fact.at_ms, fact.attempt, fact.seat, fact.sender, fact.frame, *rest)
            case match_facts.MatchOver() if state is not None and moves == list(fact.moves):
                over = frame_of_match_over(fact, state).decode()
                for seat in fact.connected:
                    yield TranscriptLine(fact.at_ms, fact.attempt, seat, "server", over)

    for fact in match_facts.with_turns(facts):
        if isinstance(fact, match_facts.MatchOver):
            yield fact
        with suppress(Exception):  # a game's code may raise anything
            yield from lines(fact)


def as_json(entry: TranscriptLine | match_facts.MatchOver) -> dict[str, Any]:
    """Return a line of a transcript (a frame or a verdict) as JSON data."""
    if isinstance(entry, TranscriptLine):
        return {name: value for name, value in asdict(entry).items() if value or name not in OPTIONAL}
    verdict = {
        "at_ms": entry.at_ms,
        "attempt": entry.attempt,
        "verdict": str(entry.termination),
        "scores": None if entry.scores is None else list(entry.scores),
        "reason": entry.reason,
        "at_fault": list(entry.at_fault),
    }
    if entry.versions:
        verdict["versions"] = list(entry.versions)
    if any(entry.seats_excused_ms):
        verdict["seats_excused_ms"] = list(entry.seats_excused_ms)
    return verdict
