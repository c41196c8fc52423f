"""The facts of a match, as they are written to the event log.

A fact records an event, and never changes in the log. The referee and the transcript of a match are rebuilt from the
facts of the match. `at_ms` is a server time in ms since 1970. `excused_ms` is time in which a clock ran although the
server was late; bots are not charged for this time. The part of a match's id before the first dot is the tournament.

The classes are not frozen, because a frozen dataclass takes several times as long to make.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from rumble_engine import Outcome, SettingValue, State, Termination, get_game
from rumble_engine.outcome import places_of, winner_of
from rumble_protocol.fields import AwayClock, TimeControl

from rumble_server.match.match_id import tournament_id_of

Scores = tuple[float, ...] | None
"""Scores by seat; None for a void match."""
Falls = tuple[tuple[int, int, Termination], ...]
"""Seat, ply and termination of each fall."""


@dataclass(slots=True)
class MatchStarted:
    """The fact that a match has begun under these terms."""

    match: str
    attempt: int
    game: str
    settings: dict[str, SettingValue]
    seed: int
    seats: tuple[str, ...]
    moves: tuple[str, ...]
    """Moves of the opening."""
    time_control: TimeControl
    illegal_retries: int
    """Number of illegal moves that each bot may correct."""
    away_ms: int
    """Away budget of each seat, in ms."""
    at_ms: int
    away_clock: AwayClock
    """The rule for the clock of a seat whose bot is away."""
    free_since_ms: tuple[int, ...] = ()
    """By seat, the time from which the bot was connected and could begin a match. The scheduler sets the field."""
    chance_seed: str = ""
    """Seed of the attempt's random numbers (see `draws.py`); empty in a plain match (see `Game.is_plain`)."""
    absent: tuple[str, ...] = ()
    """Bots of a table that were gone (see `Entrant.is_gone`). The match is played without them."""
    spectator_delay_ms: int = 0
    """Delay in ms with which spectators of a hidden game see each ply."""
    versions: tuple[str, ...] = ()
    """By seat, the version that the bot's newest login names, or an empty text; empty if no bot names a version."""

    @property
    def tournament(self) -> str:
        """Id of the tournament to which the match belongs."""
        return tournament_id_of(self.match)

    def first_state(self) -> State:
        """Return the state before the moves of the opening."""
        return get_game(self.game).initial_for(len(self.seats), self.settings, self.seed)

    def opening_state(self) -> State:
        """Return the state after the moves of the opening."""
        return state_after(self.game, len(self.seats), tuple(self.settings.items()), self.seed, self.moves)


@lru_cache(256)  # matches from an opening share its state: states are immutable
def state_after(
    game: str, seats: int, settings: tuple[tuple[str, SettingValue], ...], seed: int, moves: tuple[str, ...]
) -> State:
    """Return the state after the moves of an opening."""
    return played(get_game(game).initial_for(seats, dict(settings), seed), moves)


def played(state: State, moves: Iterable[str]) -> State:
    """Return the state after `moves` from `state`."""
    for move in moves:
        state = state.play(move)
    return state


@dataclass(slots=True)
class StartTold:
    """The fact that `match_start` was sent to a seat, or if `all_seats` is true, to every seat.

    The frame can be rebuilt from this fact, the terms and the moves so far. If the seat's clock was running, this fact
    stops the clock. `excused_ms` is the excused part of the time since the clock began to run.
    """

    match: str
    attempt: int
    seat: int
    resumed: bool
    at_ms: int
    excused_ms: int = 0
    all_seats: bool = False


@dataclass(slots=True)
class TurnAsked:
    """The fact that a bot was asked for a ply. The frame `turn` can be rebuilt from this fact and the moves so far.

    The log has this fact only for a turn of a plain match that was asked without a move. For a turn that was asked with
    a move, `MoveMade` has the fields. In a match that is not plain, `TurnsAsked` has the fields.
    """

    match: str
    attempt: int
    ply: int
    seat: int
    turn_id: str
    remaining_ms: int
    seats_ms: tuple[int, ...]
    lag_ms: int
    omit: tuple[str, ...]
    at_ms: int


@dataclass(slots=True)
class TurnsAsked:
    """The fact that bots were asked for the same ply, in a match that is not plain.

    `seats_ms` has an item for each seat of the match. The other tuples have an item for each bot that was asked.
    """

    match: str
    attempt: int
    ply: int
    asked: tuple[int, ...]
    """Seats of the bots that were asked."""
    turn_ids: tuple[str, ...]
    remaining_ms: tuple[int, ...]
    lag_ms: tuple[int, ...]
    omit: tuple[tuple[str, ...], ...]
    seats_ms: tuple[int, ...]
    """Time in ms that each seat of the match has for a move."""
    at_ms: int

    def turns(self) -> "Iterator[TurnAsked]":
        """Yield each turn as a separate fact."""
        for seat, turn_id, left_ms, lag_ms, omit in zip(
            self.asked, self.turn_ids, self.remaining_ms, self.lag_ms, self.omit, strict=True
        ):
            ids = self.match, self.attempt, self.ply, seat, turn_id
            yield TurnAsked(*ids, left_ms, self.seats_ms, lag_ms, omit, self.at_ms)


@dataclass(slots=True)
class MoveMade:
    """The fact that a bot made a move that counts.

    In a match that is not plain, the ply is made when all movers have moved. The fields after `excused_ms` describe the
    next turn, asked of `next_seat` together with the move. `with_turns` yields the turn as a fact of its own.
    """

    match: str
    attempt: int
    ply: int
    seat: int
    turn_id: str
    """Id of the answered turn; empty if the referee drew the move for a seat that fell out."""
    move: str
    bank_ms: int
    """The seat's bank after the move, in ms."""
    frame: str
    """The bot's frame; empty for a long frame, which is kept in the `FrameSeen` just before this fact."""
    at_ms: int
    excused_ms: int = 0
    next_turn_id: str = ""
    """Id of the next turn; empty if no turn was asked."""
    next_seat: int = 0
    seats_ms: tuple[int, ...] = ()
    lag_ms: int = 0
    omit: tuple[str, ...] = ()

    @property
    def asked(self) -> "TurnAsked | None":
        """The turn that was asked together with this move; None if no turn was asked."""
        if not self.next_turn_id:
            return None
        seat, seats_ms = self.next_seat, self.seats_ms
        ids = self.match, self.attempt, self.ply + 1, seat, self.next_turn_id
        return TurnAsked(*ids, seats_ms[seat], seats_ms, self.lag_ms, self.omit, self.at_ms)


@dataclass(slots=True)
class MoveRefused:
    """The fact that a move was refused as illegal or unreadable, in a tournament that allows another try."""

    match: str
    attempt: int
    seat: int
    retries_left: int
    at_ms: int


@dataclass(slots=True)
class SeatAway:
    """The fact that the connection of a seat's bot ended. The seat's away budget, `away_left_ms`, runs from now on.

    `on_turn` is true if the bot had an open turn that was sent. In a period of grace, such as after a start of the
    server, `on_turn` is always false.
    """

    match: str
    attempt: int
    seat: int
    away_left_ms: int
    at_ms: int
    excused_ms: int = 0
    on_turn: bool = False


@dataclass(slots=True)
class SeatBack:
    """The fact that a seat's bot has connected again. `away_left_ms` is the rest of its away budget."""

    match: str
    attempt: int
    seat: int
    away_left_ms: int
    at_ms: int


@dataclass(slots=True)
class ChanceDrawn:
    """The fact that the referee has drawn an outcome of chance, which is a ply. `move` is the text of the ply."""

    match: str
    attempt: int
    ply: int
    move: str
    at_ms: int


@dataclass(slots=True)
class SeatFell:
    """The fact that a seat fell out, in a match that is not plain.

    `excused_ms` is the excused time of the turn that was open. `failure` is the error of a bot that crashed.
    """

    match: str
    attempt: int
    ply: int
    seat: int
    termination: Termination
    reason: str
    at_ms: int
    excused_ms: int = 0
    failure: str = ""


@dataclass(slots=True)
class Placement:
    """Additional results of a match that is not plain: places and payoffs by seat, the falls, and the chance seed."""

    places: tuple[int, ...] | None
    payoffs: tuple[float, ...] | None
    falls: Falls
    chance_seed: str
    """Seed of the attempt's random numbers; empty if the match never began."""

    @classmethod
    def of(cls, outcome: Outcome | None, falls: Falls, chance_seed: str) -> "Placement":
        """Return the additional results of a match; `outcome` is None for a void match."""
        if outcome is None:
            return cls(None, None, falls, chance_seed)
        places = outcome.places or places_of([-score for score in outcome.scores])
        return cls(places, outcome.payoffs, falls, chance_seed)


@dataclass(slots=True)
class MatchOver:
    """The fact that a match is over."""

    match: str
    attempt: int
    seats: tuple[str, ...]
    scores: Scores
    termination: Termination
    reason: str
    at_fault: tuple[int, ...]
    """Seats whose fault ended the match."""
    moves: tuple[str, ...]
    """The opening, and the moves of the match."""
    at_ms: int
    connected: tuple[int, ...] = ()
    """Seats connected at the end. The `match_over`, made of this fact and the last state, is sent to them once the fact
    is on disk, unless the connection ends before."""
    seats_excused_ms: tuple[int, ...] = ()
    """By seat, the excused time in ms in the whole attempt."""
    drops: tuple[int, ...] = ()
    """By seat, the number of times that the connection ended during the seat's turn."""
    stalled: bool = False
    """True if the match is void because more time was excused than the server allows."""
    informed: bool = False
    """False if no frame of a bot in the log of the attempt has an `info`."""
    started_at_ms: int | None = None
    """Time at which the attempt began; None if it never began."""
    placement: Placement | None = None
    """Additional results of a match that is not plain; None for a plain match."""
    absent: tuple[str, ...] = ()
    """Bots of a table that were gone (see `Entrant.is_gone`). They take the last places, with the termination
    `no_show`."""
    failures: tuple[str, ...] = ()
    """By seat, the error of each bot that crashed; empty if no bot sent an error. Only the host may read them."""
    versions: tuple[str, ...] = ()
    """Versions of the bots, copied from `MatchStarted`. Only the host and the bot's owner may read a bot's version."""

    @property
    def tournament(self) -> str:
        """Id of the tournament to which the match belongs."""
        return tournament_id_of(self.match)

    @classmethod
    def of(
        cls,
        terms: MatchStarted,
        outcome: Outcome | None,
        moves: tuple[str, ...],
        at_ms: int,
        void_reason: str = "",
        falls: Falls = (),
    ) -> "MatchOver":
        """Return the end of a match that has begun. If `outcome` is None, the match is void for `void_reason`."""
        return cls(
            match=terms.match,
            attempt=terms.attempt,
            seats=terms.seats,
            scores=None if outcome is None else outcome.scores,
            termination=Termination.ABORTED if outcome is None else outcome.termination,
            reason=void_reason if outcome is None else outcome.reason,
            at_fault=(),
            moves=moves,
            at_ms=at_ms,
            started_at_ms=terms.at_ms,
            placement=Placement.of(outcome, falls, terms.chance_seed) if terms.chance_seed else None,
            absent=terms.absent,
            versions=terms.versions,
        )

    @property
    def winner(self) -> int | None:
        """The only seat with the highest score; None if the match was drawn or void."""
        return None if self.scores is None else winner_of(self.scores)


@dataclass(slots=True)
class FrameSeen:
    """The fact of a frame that cannot be rebuilt from other facts.

    If only a part of a bot's frame is stored (see `kept_frame.py`), `bytes` and `sha256` describe the whole frame.
    """

    match: str
    attempt: int
    seat: int
    sender: Literal["bot", "server"]
    frame: str
    at_ms: int
    bytes: int = 0
    sha256: str = ""
    excused_ms: int = 0
    """If the frame is a move or a resignation, the excused part of the time for which the seat's clock had run.

    The `MoveMade` after a move's frame has the same value. In a move that does not count, the value is 0, unless the
    move came too late."""


@dataclass(slots=True)
class FrameShared:
    """The fact of a frame that belongs to several matches. The frame is in a `FrameSeen` of the match `other`.

    `other_number` is the number of that `FrameSeen` in the log.
    """

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
    | TurnsAsked
    | MoveMade
    | ChanceDrawn
    | MoveRefused
    | SeatFell
    | SeatAway
    | SeatBack
    | MatchOver
    | FrameSeen
    | FrameShared
)
AnyFact = TypeVar("AnyFact")


def with_shared_frames(facts: Iterable[object], find: Callable[[FrameShared], FrameSeen | None]) -> Iterator[object]:
    """Yield the facts of a match. Each `FrameShared` is replaced by a `FrameSeen` for this match and seat.

    `find` returns the `FrameSeen` of the other match. If `find` returns None, the frame is left out.
    """
    for fact in facts:
        if isinstance(fact, FrameShared):
            seen = find(fact)
            if seen is not None:  # the other match may have been removed from the log
                yield replace(seen, match=fact.match, attempt=fact.attempt, seat=fact.seat)
        else:
            yield fact


def with_turns(facts: Iterable[AnyFact]) -> Iterator[AnyFact | TurnAsked]:
    """Yield the facts of a match, with each turn as a separate fact, even if it was asked together with a move."""
    for fact in facts:
        if isinstance(fact, TurnsAsked):
            yield from fact.turns()
            continue
        yield fact
        if isinstance(fact, MoveMade):
            turn = fact.asked
            if turn is not None:
                yield turn
