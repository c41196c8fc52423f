"""What is written to the event log about one match.

A fact is something that has happened; it is not changed once it is in the log. A match's facts rebuild its referee
and its transcript. Times (`at_ms`) are server time in ms since the epoch. `excused_ms` is time in which a clock ran
while the server was late: it is not charged. The tournament of a match is the part of its id before the first dot. The
classes are not frozen, because that costs several times the rest of making a fact.

The facts of every move and match have their constructors written out.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from rumble_engine import SettingValue, State, Termination, get_game
from rumble_protocol.fields import AwayClock, TimeControl

from rumble_server.match.match_id import tournament_id_of

ToldClock = AwayClock | None
"""None: as `stands`, in a match that began before there was another; its frames do not tell."""
Scores = tuple[float, ...] | None
"""By seat; None: the match is void."""


@dataclass(slots=True, init=False)
class MatchStarted:
    """A match begins, under these terms; `moves` are its opening. Durations in ms.

    `free_since_ms` tells by seat since when the bot was connected and had a place; older facts have none.
    """

    match: str
    attempt: int
    game: str
    settings: "dict[str, SettingValue]"
    seed: int
    seats: "tuple[str, ...]"
    moves: "tuple[str, ...]"
    time_control: TimeControl
    illegal_retries: int
    away_ms: int
    at_ms: int
    away_clock: "ToldClock"
    free_since_ms: "tuple[int, ...]"

    def __init__(
        self,
        match: str,
        attempt: int,
        game: str,
        settings: dict[str, SettingValue],
        seed: int,
        seats: tuple[str, ...],
        moves: tuple[str, ...],
        time_control: TimeControl,
        illegal_retries: int,
        away_ms: int,
        at_ms: int,
        away_clock: ToldClock = None,
        free_since_ms: tuple[int, ...] = (),
    ) -> None:
        self.match = match
        self.attempt = attempt
        self.game = game
        self.settings = settings
        self.seed = seed
        self.seats = seats
        self.moves = moves
        self.time_control = time_control
        self.illegal_retries = illegal_retries
        self.away_ms = away_ms
        self.at_ms = at_ms
        self.away_clock = away_clock
        self.free_since_ms = free_since_ms

    @property
    def tournament(self) -> str:
        """The id of the match's tournament."""
        return tournament_id_of(self.match)

    def opening_state(self) -> State:
        """Return the state after the opening."""
        return _state_after(self.game, tuple(self.settings.items()), self.seed, self.moves)


@lru_cache(256)  # matches from one opening share it: states are immutable
def _state_after(game: str, settings: tuple[tuple[str, SettingValue], ...], seed: int, moves: tuple[str, ...]) -> State:
    state = get_game(game).initial(dict(settings), seed)
    for move in moves:
        state = state.play(move)
    return state


@dataclass(slots=True, init=False)
class StartTold:
    """A seat was sent `match_start`; with the terms and the moves so far this is all of that frame.

    If its clock ran until then, it is stopped: `excused_ms` is of that time. `all_seats`: every seat was, at once.
    """

    match: str
    attempt: int
    seat: int
    resumed: bool
    at_ms: int
    excused_ms: int
    all_seats: bool

    def __init__(
        self,
        match: str,
        attempt: int,
        seat: int,
        resumed: bool,
        at_ms: int,
        excused_ms: int = 0,
        all_seats: bool = False,
    ) -> None:
        self.match = match
        self.attempt = attempt
        self.seat = seat
        self.resumed = resumed
        self.at_ms = at_ms
        self.excused_ms = excused_ms
        self.all_seats = all_seats


@dataclass(slots=True, init=False)
class TurnAsked:
    """A bot was asked for a ply; with the moves so far this is all of the `turn` frame it was sent.

    It is a fact of its own where the turn was not asked together with the move before it.
    """

    match: str
    attempt: int
    ply: int
    seat: int
    turn_id: str
    remaining_ms: int
    seats_ms: "tuple[int, ...]"
    lag_ms: int
    omit: "tuple[str, ...]"
    at_ms: int

    def __init__(
        self,
        match: str,
        attempt: int,
        ply: int,
        seat: int,
        turn_id: str,
        remaining_ms: int,
        seats_ms: tuple[int, ...],
        lag_ms: int,
        omit: tuple[str, ...],
        at_ms: int,
    ) -> None:
        self.match = match
        self.attempt = attempt
        self.ply = ply
        self.seat = seat
        self.turn_id = turn_id
        self.remaining_ms = remaining_ms
        self.seats_ms = seats_ms
        self.lag_ms = lag_ms
        self.omit = omit
        self.at_ms = at_ms


@dataclass(slots=True, init=False)
class MoveMade:
    """A move counted. `bank_ms` is what its seat then has in the bank.

    `frame` is what the bot sent; empty where that was long: then the `FrameSeen` before it has what is kept.
    What follows `excused_ms` is of the turn that was asked at once after it, with the seat asked as `next_seat`;
    `next_turn_id` is empty where none was. `with_turns` gives that turn as a fact.
    """

    match: str
    attempt: int
    ply: int
    seat: int
    turn_id: str
    move: str
    bank_ms: int
    frame: str
    at_ms: int
    excused_ms: int
    next_turn_id: str
    next_seat: int
    seats_ms: "tuple[int, ...]"
    lag_ms: int
    omit: "tuple[str, ...]"

    def __init__(
        self,
        match: str,
        attempt: int,
        ply: int,
        seat: int,
        turn_id: str,
        move: str,
        bank_ms: int,
        frame: str,
        at_ms: int,
        excused_ms: int = 0,
        next_turn_id: str = "",
        next_seat: int = 0,
        seats_ms: tuple[int, ...] = (),
        lag_ms: int = 0,
        omit: tuple[str, ...] = (),
    ) -> None:
        self.match = match
        self.attempt = attempt
        self.ply = ply
        self.seat = seat
        self.turn_id = turn_id
        self.move = move
        self.bank_ms = bank_ms
        self.frame = frame
        self.at_ms = at_ms
        self.excused_ms = excused_ms
        self.next_turn_id = next_turn_id
        self.next_seat = next_seat
        self.seats_ms = seats_ms
        self.lag_ms = lag_ms
        self.omit = omit

    @property
    def asked(self) -> "TurnAsked | None":
        """The turn that was asked with it, if one was."""
        if not self.next_turn_id:
            return None
        seat, seats_ms = self.next_seat, self.seats_ms
        own = self.match, self.attempt, self.ply + 1, seat, self.next_turn_id
        return TurnAsked(*own, seats_ms[seat], seats_ms, self.lag_ms, self.omit, self.at_ms)


@dataclass(slots=True)
class MoveRefused:
    """An illegal or unreadable move, where the tournament allows another try."""

    match: str
    attempt: int
    seat: int
    retries_left: int
    at_ms: int


@dataclass(slots=True)
class SeatAway:
    """The server saw a seat's socket end; its `away_left_ms` runs from now. `on_turn`: it had been told its turn."""

    match: str
    attempt: int
    seat: int
    away_left_ms: int
    at_ms: int
    excused_ms: int = 0
    on_turn: bool = False


@dataclass(slots=True)
class SeatBack:
    """A seat is connected again, with this much of its away budget left."""

    match: str
    attempt: int
    seat: int
    away_left_ms: int
    at_ms: int


@dataclass(slots=True, init=False)
class MatchOver:
    """A match has an outcome. `scores` None: void, not a result. `at_fault` are the seats whose fault ended it.

    `told` are the seats that were connected: each was sent a `match_over` of this and its view of the last state.
    `seats_excused_ms` and `drops` are of the whole attempt, by seat: what was excused, and how often the seat's
    connection ended on its own turn. `stalled`: it is void because more was excused than the server allows.
    `informed`: a bot sent an `info` with a move, so whoever wants them has to read the attempt's frames.
    `started_at_ms` is None where the attempt never began, and in older facts.
    """

    match: str
    attempt: int
    seats: "tuple[str, ...]"
    scores: "Scores"
    termination: Termination
    reason: str
    at_fault: "tuple[int, ...]"
    moves: "tuple[str, ...]"
    at_ms: int
    told: "tuple[int, ...]"
    seats_excused_ms: "tuple[int, ...]"
    drops: "tuple[int, ...]"
    stalled: bool
    informed: bool
    started_at_ms: int | None

    def __init__(
        self,
        match: str,
        attempt: int,
        seats: tuple[str, ...],
        scores: Scores,
        termination: Termination,
        reason: str,
        at_fault: tuple[int, ...],
        moves: tuple[str, ...],
        at_ms: int,
        told: tuple[int, ...] = (),
        seats_excused_ms: tuple[int, ...] = (),
        drops: tuple[int, ...] = (),
        stalled: bool = False,
        informed: bool = False,
        started_at_ms: int | None = None,
    ) -> None:
        self.match = match
        self.attempt = attempt
        self.seats = seats
        self.scores = scores
        self.termination = termination
        self.reason = reason
        self.at_fault = at_fault
        self.moves = moves
        self.at_ms = at_ms
        self.told = told
        self.seats_excused_ms = seats_excused_ms
        self.drops = drops
        self.stalled = stalled
        self.informed = informed
        self.started_at_ms = started_at_ms

    @property
    def tournament(self) -> str:
        """The id of the match's tournament."""
        return tournament_id_of(self.match)

    @property
    def winner(self) -> int | None:
        """The seat that alone scored most, or None."""
        scores = self.scores
        if scores is None:
            return None
        best = max(scores)
        return None if scores.count(best) > 1 else scores.index(best)


@dataclass(slots=True)
class FrameSeen:
    """A frame of the match's conversation that no other fact holds.

    `bytes` and `sha256` are those of a bot's frame of which only a part is kept (see `kept_frame.py`). Of a move it
    tells what was excused, as the `MoveMade` after it does.
    """

    match: str
    attempt: int
    seat: int
    sender: 'Literal["bot", "server"]'
    frame: str
    at_ms: int
    bytes: int = 0
    sha256: str = ""
    excused_ms: int = 0


@dataclass(slots=True)
class FrameShared:
    """A frame that belongs to several matches: the `FrameSeen` of another one, the fact of this number, has it."""

    match: str
    attempt: int
    seat: int
    other: str
    other_number: int
    at_ms: int


MatchFact = (
    MatchStarted
    | StartTold
    | TurnAsked
    | MoveMade
    | MoveRefused
    | SeatAway
    | SeatBack
    | MatchOver
    | FrameSeen
    | FrameShared
)
Fact = TypeVar("Fact")


def with_shared_frames(facts: Iterable[object], find: Callable[[FrameShared], FrameSeen | None]) -> Iterator[object]:
    """Yield the facts of a match with each `FrameShared` replaced by the frame, as it was seen in this match."""
    for fact in facts:
        if isinstance(fact, FrameShared):
            seen = find(fact)
            if seen is not None:  # its match may have been removed from the log
                yield replace(seen, match=fact.match, attempt=fact.attempt, seat=fact.seat)
        else:
            yield fact


def with_turns(facts: Iterable[Fact]) -> Iterator[Fact | TurnAsked]:
    """Yield the facts of a match, each turn that was asked with a move after that, as a fact of its own."""
    for fact in facts:
        yield fact
        if isinstance(fact, MoveMade):
            asked = fact.asked
            if asked is not None:
                yield asked
