"""The base class of bots: an author's subclass of `Bot` answers each `Turn` with a move."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rumble_engine import State, get_game
from rumble_protocol import server_messages

SAFETY_MS = 30
"""Time in ms that is reserved in each turn for the answer's way to the server. The bot cannot use this time."""


@dataclass(frozen=True, eq=False)
class Turn:
    """A turn of the bot, with the whole position: a bot need not remember anything between turns."""

    match: str
    """The match's id."""
    attempt: int
    """The number of the attempt: a void match is played again, as its next attempt."""
    turn_id: str
    """The id of the turn, to be sent with the answer. If the same ply is asked again, the new turn has a new id."""
    game: str
    """The game's name, as `rumble_engine.get_game` takes it."""
    ply: int
    """The number of plies before this turn, including the opening."""
    seat: int
    """The bot's seat: 0 moves first."""
    state: Mapping[str, Any]
    """The position as JSON data, as far as the bot's seat may see it. `Turn.position` is a state of the
    engine."""
    legal: Sequence[str]
    """The legal moves, from which `choose` returns a move."""
    moves: Sequence[str]
    """The past moves, including the opening; empty in a game of many seats, joint moves or chance."""
    since: Sequence[tuple[int | None, str]]
    """The moves and outcomes of chance since the bot's last turn, each with its seat (None: chance). Empty in a plain
    match, where `moves` has every move."""
    clock: server_messages.TurnClock
    """The clocks in ms: `remaining_ms` is the time that the bot had left when the server asked."""
    start: server_messages.MatchStart | None
    """Facts about the whole match: names, settings, time control; None if unknown."""
    deadline: float
    """The time at which the bot must have chosen, in seconds of the clock `now`."""
    now: Callable[[], float]
    """Function that returns the time in s. `deadline` is a time of this clock."""
    message: server_messages.Turn
    """The server's message `turn`, from which most other fields are taken."""

    @classmethod
    def of(
        cls,
        message: server_messages.Turn,
        start: server_messages.MatchStart | None,
        now: Callable[[], float],
        round_trip_ms: float = 0.0,
        late_ms: float = 0.0,
    ) -> "Turn":
        """Make the turn of a `message` just received.

        The deadline leaves time for the answer's way to the server. This reserve is the sum of `SAFETY_MS`, `late_ms`
        (the lateness of this machine), and the part of `round_trip_ms` above the message's `lag_ms`. The reserve is at
        most half of the remaining time.
        """
        remaining_ms = message.clock.remaining_ms
        safety_ms = min(remaining_ms / 2, SAFETY_MS + max(0.0, round_trip_ms - message.clock.lag_ms) + late_ms)
        return cls(
            match=message.match,
            attempt=message.attempt,
            turn_id=message.turn_id,
            game=message.game,
            ply=message.ply,
            seat=message.seat,
            state=message.state,
            legal=message.legal,
            moves=message.moves,
            since=message.since or (),
            clock=message.clock,
            start=start,
            deadline=now() + (remaining_ms - safety_ms) / 1000,
            now=now,
            message=message,
        )

    @classmethod
    def at(cls, state: State, game: str, remaining_ms: int, seat: int | None = None) -> "Turn":
        """Make a turn that belongs to no match, to try a bot in the position `state`.

        `seat` is the bot's seat (None: the first seat to move). `ply` is 0, and `moves` is empty.
        """
        seat = state.to_move if seat is None else seat
        message = server_messages.Turn(
            match="none",
            attempt=1,
            turn_id="none",
            game=game,
            ply=0,
            seat=seat,
            state=state.view(seat),
            legal=[state.text_for(seat, code) for code in state.codes_for(seat)],
            clock=server_messages.TurnClock(remaining_ms=remaining_ms, seats_ms=[remaining_ms] * state.seats, lag_ms=0),
        )
        turn = cls.of(message, None, time.monotonic)
        if not get_game(game).hides:
            turn.__dict__["position"] = state  # the state itself: a view need not tell which seat is to move
        return turn

    @cached_property
    def position(self) -> State:
        """The position as a state of the engine. Raises UnknownGame if the game is not installed on this machine.

        Raises BadPosition in a hidden game, where a bot knows no whole state. In a hidden game, call
        `get_game(turn.game).sample(turn.state, random)` instead. This call draws a state that agrees with the turn.
        """
        return get_game(self.game).load(self.state)

    @property
    def think_ms(self) -> int:
        """The time in ms that is left until the deadline. The time includes the bot's bank."""
        return max(0, int((self.deadline - self.now()) * 1000))

    def asks_the_same(self, other: "Turn") -> bool:
        """Return true if an answer to `other` answers this turn, too.

        Match, attempt, ply, state and moves of both turns are then the same.
        """
        return (self.match, self.attempt, self.ply) == (other.match, other.attempt, other.ply) and (
            (self.state, self.moves) == (other.state, other.moves)
        )


class Noted(str):
    """A move with a note and an info of the bot. The note and the info become public when the match is over."""

    __slots__ = ("info", "note")
    note: str
    """A remark, at most 1,024 bytes."""
    info: Mapping[str, Any]
    """The bot's thoughts: some of `score`, `depth`, `nodes`, `time_ms`, `pv`, as in the protocol's `move.info`."""

    def __new__(cls, move: str, note: str = "", info: Mapping[str, Any] | None = None) -> "Noted":
        noted = super().__new__(cls, move)
        noted.note = str(note or "")
        noted.info = dict(info or {})
        return noted


class Bot:
    """The base class of bots. A subclass must define `choose`. Further methods do nothing by default.

    An ordinary `choose` runs in a thread of its own, and may think as long as the clock allows. During concurrent
    matches, several threads call `choose` at the same time. An `async def choose` runs on the event loop and must not
    block the loop. The other methods report events to the bot. They run on the event loop and should be short.
    """

    games: Sequence[str] | None = None
    """The games that the bot plays; None means any."""
    version: str | None = None
    """The version of the bot's program, as the author labels it. The login sends the label to the server."""

    def choose(self, turn: Turn) -> str | Awaitable[str]:
        """Return the move to make, an element of `turn.legal`. To add a note or an info, return a `Noted`.

        Raise `Resign` to resign the match. Any other error is logged, and the bot loses the match by its own fault.
        """
        raise NotImplementedError(f"{type(self).__name__} has no choose()")

    def session(self, message: server_messages.Session) -> None:
        """Take note that the server has accepted the login, at the start or after a reconnect."""

    def joined(self, message: server_messages.Joined) -> None:
        """Take note that the bot has entered a tournament."""

    def match_start(self, message: server_messages.MatchStart) -> None:
        """Take note that a match begins, or goes on after a reconnect."""

    def match_over(self, message: server_messages.MatchOver) -> None:
        """Take note that a match is over. The same message may come twice."""

    def rejected(self, message: server_messages.Rejected) -> None:
        """Take note that the server rejected a move. If the bot may move again, `choose` is called again."""

    def notice(self, message: server_messages.Notice) -> None:
        """Take note of a text that the server sends to the bot's owner."""

    def tournament_over(self, message: server_messages.TournamentOver) -> None:
        """Take note that a tournament has ended."""


Told = (
    server_messages.Session
    | server_messages.Joined
    | server_messages.MatchStart
    | server_messages.MatchOver
    | server_messages.Rejected
    | server_messages.Notice
    | server_messages.TournamentOver
)
"""Messages for a bot. `tell` passes a message to the bot's method that has the name of the message's type."""


def tell(bot: Bot, message: Told) -> None:
    """Call the method of `bot` that has the name of the message's type."""
    getattr(bot, message.type)(message)
