"""A match of the kit: the position, the bot's clock, the turns asked, and the messages about the match."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rumble_engine import Game, Outcome, State, Termination
from rumble_protocol import server_messages as say
from rumble_protocol.fields import TimeControl
from rumble_protocol.frames import turn_frame

OPPONENT = "rumble-check"


@dataclass(slots=True)
class AskedTurn:
    """A turn that the bot was asked. `asked_at` and `deadline` are in seconds of the loop's clock."""

    turn_id: str
    match: "ScriptedMatch"
    ply: int
    asked_at: float
    deadline: float
    remaining_ms: int
    open: bool = True
    answer: str | None = None
    """The move that counted; None before."""
    took_ms: int | None = None
    """Time in ms that the bot took for its answer."""


@dataclass(slots=True)
class ScriptedMatch:
    """A match between the bot, at `seat`, and an opponent that moves at random."""

    match_id: str
    game: Game
    seat: int
    name: str
    """The bot's name."""
    control: TimeControl
    random: Random
    settings: Mapping[str, Any] = field(init=False)
    state: State = field(init=False)
    bank_ms: int = field(init=False)
    attempt: int = 1
    moves: list[str] = field(default_factory=list)
    turn: AskedTurn | None = None
    """The open turn."""
    told: say.MatchOver | None = None
    """The `match_over` sent; None while the match goes on."""

    def __post_init__(self) -> None:
        self.settings = self.game.complete()
        self.begin()

    def begin(self) -> None:
        self.state = self.game.initial(self.settings)
        self.bank_ms = self.control.bank_ms
        self.moves = []

    @property
    def over(self) -> bool:
        return self.told is not None

    @property
    def tournament_id(self) -> str:
        return self.match_id.partition(".")[0]

    @property
    def remaining_ms(self) -> int:
        return self.control.move_ms + self.bank_ms

    def play(self, move: str) -> None:
        """Make a move of either side. Raises MoveError."""
        self.state = self.state.play(move)
        self.moves.append(move)

    def reply(self) -> None:
        """Make the opponent's move: a random move after which the match goes on, or any move if every move ends it."""
        legal = list(self.state.legal_moves)
        self.random.shuffle(legal)
        self.play(next((move for move in legal if self.state.play(move).outcome is None), legal[0]))

    def used(self, milliseconds: int) -> None:
        """Subtract a counted move's time from the bank, except the part up to `control.move_ms`. Add the increment."""
        self.bank_ms = max(0, self.bank_ms - max(0, milliseconds - self.control.move_ms))
        self.bank_ms += self.control.increment_ms

    def start_message(self, *, resumed: bool) -> say.MatchStart:
        seats = [OPPONENT, OPPONENT]
        seats[self.seat] = self.name
        return say.MatchStart(
            match=self.match_id,
            attempt=self.attempt,
            tournament=self.tournament_id,
            game=self.game.name,
            settings=dict(self.settings),
            seat=self.seat,
            seats=seats,
            time_control=self.control,
            moves=list(self.moves),
            resumed=resumed,
        )

    def turn_message(self, turn_id: str, omit: list[str]) -> bytes:
        return turn_frame(
            match=self.match_id,
            attempt=self.attempt,
            turn_id=turn_id,
            game=self.game.name,
            ply=len(self.moves),
            seat=self.seat,
            state=self.state.view(self.seat),
            legal=None if "legal" in omit else self.state.legal_moves,
            moves=None if "moves" in omit else self.moves,
            remaining_ms=self.remaining_ms,
            seats_ms=[self.remaining_ms] * 2,
            lag_ms=0,
        )

    def over_message(self, outcome: Outcome | None) -> say.MatchOver:
        """Return the `match_over` of an outcome; None stands for a void match."""
        return say.MatchOver(
            match=self.match_id,
            attempt=self.attempt,
            scores=None if outcome is None else list(outcome.scores),
            winner=None if outcome is None else outcome.winner,
            termination=Termination.ABORTED if outcome is None else outcome.termination,
            reason="the kit plays it again" if outcome is None else outcome.reason,
            moves=list(self.moves),
            state=self.state.view(self.seat),
        )
