"""A match of a check: the position, the bot's clock, the open turn, and messages about the match."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from hmac import digest
from itertools import islice, product
from random import Random
from typing import Any

from rumble_engine import ALL, Game, Outcome, State, Termination
from rumble_engine.outcome import places_of
from rumble_protocol import server_messages
from rumble_protocol.fields import TimeControl
from rumble_protocol.frames import listed_moves, turn_frame

OPPONENT = "rumble-check"
TABLE = 4
"""Number of seats in a match. If a game does not allow this number, its matches have the nearest allowed number."""
MOST_TRIES = 100
"""Maximum number of joint moves drawn at random in the search for a joint move that does not end the match."""


def seats_of(game: Game) -> int:
    """Return the number of seats in a check's matches of a game."""
    return max(game.least_seats, min(TABLE, game.most_seats))


def is_plain(game: Game) -> bool:
    """Return true if a check's matches of a game are plain: two seats in turn, no chance, nothing hidden."""
    return game.is_plain(seats_of(game))


@dataclass(slots=True)
class AskedTurn:
    """A turn sent to the bot. `asked_at` and `deadline` are in s of the loop's clock."""

    turn_id: str
    match: "ScriptedMatch"
    ply: int
    asked_at: float
    deadline: float
    remaining_ms: int
    open: bool = True
    answer: str | None = None
    """The bot's accepted move; None before a move was accepted."""
    took_ms: int | None = None
    """Time in ms from the turn to the bot's accepted move; None before a move was accepted."""


@dataclass(slots=True)
class ScriptedMatch:
    """A match between the bot, at `seat`, and opponents with random moves."""

    match_id: str
    game: Game
    seat: int
    name: str
    """The bot's name."""
    control: TimeControl
    random: Random
    settings: Mapping[str, Any] = field(init=False)
    seats: int = field(init=False)
    is_plain: bool = field(init=False)
    state: State = field(init=False)
    bank_ms: int = field(init=False)
    seed: bytes = field(init=False)
    """Seed from which outcomes of chance are drawn."""
    attempt: int = 1
    moves: list[str] = field(default_factory=list)
    news: list[tuple[int | None, str]] = field(default_factory=list)
    """The parts of all plies so far, as the bot's seat sees them: pairs of a seat (None for chance) and a text."""
    since: int = 0
    """Length of `news` before the last ply in which the bot moved; 0 before the bot has moved."""
    falls: dict[int, server_messages.Fall] = field(default_factory=dict)
    turn: AskedTurn | None = None
    """The open turn; None without an open turn."""
    result: server_messages.MatchOver | None = None
    """The message `match_over` that was sent; None while the match goes on."""
    _why_fell: str = ""
    """The reason given to the last call of `fall`."""
    _draws: int = 0
    _before: tuple[State, int, int, int] | None = None
    """State, length of `moves`, length of `news`, and `since`, as they were before the bot's last move."""

    def __post_init__(self) -> None:
        self.settings = self.game.complete()
        self.seats = seats_of(self.game)
        self.is_plain = is_plain(self.game)
        self.begin()

    def begin(self) -> None:
        self.state = self.game.initial_for(self.seats, self.settings)
        self.bank_ms = self.control.bank_ms
        self.moves, self.news, self.since, self.falls, self._draws = [], [], 0, {}, 0
        self.seed = b"" if self.is_plain else self.random.randbytes(32)

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def tournament_id(self) -> str:
        return self.match_id.partition(".")[0]

    @property
    def remaining_ms(self) -> int:
        return self.control.move_ms + self.bank_ms

    @property
    def is_out(self) -> bool:
        """True if the bot will never move again: it fell out, or is out by the rules of the game."""
        return self.seat in self.falls or self.seat in self.state.finished

    @property
    def asks(self) -> bool:
        """True if the bot is to move."""
        return self.seat in self.state.movers and not self.is_out

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, with fallen seats last; None while the match goes on."""
        ruled, falls = self.state.outcome, self.falls
        if not falls or (ruled is None and (self.state.can_fall or len(falls) < self.seats - 1)):
            return ruled
        plies = {seat: fall.ply for seat, fall in falls.items()}
        outcome = (ruled or Outcome.ranked([1] * self.seats, "")).with_falls(plies)
        if ruled is not None and self.seats > 2:
            return outcome
        return replace(outcome, termination=Termination(list(falls.values())[-1].termination), reason=self._why_fell)

    def answer(self, move: str) -> None:
        """Make a ply with the bot's move. Raises MoveError for an illegal move."""
        code = self.state.code_for(self.seat, move)
        self._before = self.state, len(self.moves), len(self.news), self.since
        self._make_ply({self.seat: code})

    def take_back(self) -> None:
        """Take back the bot's last move. It must be the last ply."""
        if self._before is not None:
            self.state, moves, news, self.since = self._before
            del self.moves[moves:], self.news[news:]

    def go_on(self) -> None:
        """Make a ply without the bot: moves of opponents, or an outcome of chance."""
        if self.state.is_chance:
            label = f"{self.match_id} {self.attempt} {self._draws}".encode()
            code = self.state.draw(int.from_bytes(digest(self.seed, label, "sha256")))
            self._draws += 1
            self._go_to(self.state.after(code), self.state.text_of(code))
        else:
            self._make_ply({})

    def fall(self, seats: Iterable[int], termination: Termination, reason: str) -> None:
        """Let seats fall out of the match."""
        for seat in seats:
            self.falls.setdefault(seat, server_messages.Fall(seat=seat, ply=len(self.moves), termination=termination))
        self._why_fell = reason

    def conclude(self) -> Outcome:
        """Play to the end of the match without asking the bot, and return the outcome."""
        while (outcome := self.outcome) is None:
            self.go_on()
        return outcome

    def _make_ply(self, own: Mapping[int, int]) -> None:
        """Make a ply from the bot's move, and from random moves of the other seats that are to move.

        `own` maps the bot's seat to the code of its move, and is empty if it does not move. Until the bot is out of the
        match, random moves that end the match are avoided if possible.
        """
        state = self.state
        tries = list(islice(_each(state, own, self.falls, self.random), MOST_TRIES))
        going_on = (each for each in tries if not self.is_out and state.after_all(each).outcome is None)
        moves = next(going_on, tries[0])
        if own:
            self.since = len(self.news)
        self._go_to(state.after_all(moves), state.joint_text(moves))

    def _go_to(self, state: State, text: str) -> None:
        self.news += self.state.parts(self.state.seen(text, self.seat))
        self.moves.append(text)
        self.state = state

    def used(self, milliseconds: int) -> None:
        """Change the bank after an accepted move that took `milliseconds`.

        The time that exceeds `control.move_ms` is subtracted from the bank. Then the increment is added.
        """
        self.bank_ms = max(0, self.bank_ms - max(0, milliseconds - self.control.move_ms))
        self.bank_ms += self.control.increment_ms

    def start_message(self, *, resumed: bool) -> server_messages.MatchStart:
        seats = [OPPONENT if self.seats == 2 else f"{OPPONENT}-{seat}" for seat in range(self.seats)]
        seats[self.seat] = self.name
        commitment = sha256(self.seed + f"{self.match_id} {self.attempt}".encode()).hexdigest()
        return server_messages.MatchStart(
            match=self.match_id,
            attempt=self.attempt,
            tournament=self.tournament_id,
            game=self.game.name,
            settings=dict(self.settings),
            seat=self.seat,
            seats=seats,
            time_control=self.control,
            moves=list(self.moves) if self.is_plain else [],
            resumed=resumed,
            seed_commitment=None if self.is_plain else commitment,
        )

    def turn_message(self, turn_id: str, omit: list[str]) -> bytes:
        state, seat = self.state, self.seat
        own = self.match_id, self.attempt, turn_id, self.game.name, len(self.moves), seat
        clocks = self.remaining_ms, [self.remaining_ms] * self.seats, 0
        if self.is_plain:
            legal = None if "legal" in omit else state.legal_moves
            return turn_frame(*own, state.view(seat), legal, None if "moves" in omit else self.moves, *clocks)
        legal, is_whole = (None, True) if "legal" in omit else listed_moves(state, seat, turn_id)
        moves = None if "moves" in omit else ()
        return turn_frame(*own, state.view(seat), legal, moves, *clocks, is_whole, self.news[self.since :])

    def over_message(self, outcome: Outcome | None) -> server_messages.MatchOver:
        """Return the message `match_over` for an outcome. If `outcome` is None, the match is void."""
        result = None if outcome is None or self.is_plain else outcome
        return server_messages.MatchOver(
            match=self.match_id,
            attempt=self.attempt,
            scores=None if outcome is None else list(outcome.scores),
            winner=None if outcome is None else outcome.winner,
            termination=Termination.ABORTED if outcome is None else outcome.termination,
            reason="the kit plays it again" if outcome is None else outcome.reason,
            moves=list(self.moves),
            state=self.state.view(ALL),
            places=None if result is None else list(result.places or places_of([-own for own in result.scores])),
            payoffs=None if result is None or result.payoffs is None else list(result.payoffs),
            falls=None if self.is_plain else list(self.falls.values()),
            seed=None if self.is_plain else self.seed.hex(),
        )


def _each(state: State, own: Mapping[int, int], fallen: Iterable[int], random: Random) -> Iterator[dict[int, int]]:
    """Yield possible plies in random order. A ply is a mapping from seats to the codes of their moves.

    Every ply contains `own`; the moves of the other seats vary.

    The seats of `fallen` are out of the match. If `state.can_fall` is true, these seats make no move. Otherwise these
    seats also move at random.
    """
    without = {*own, *fallen} if state.can_fall else {*own}
    seats = [seat for seat in state.movers if seat not in without]
    codes = [random.sample(state.codes_for(seat), len(state.codes_for(seat))) for seat in seats]
    return ({**own, **dict(zip(seats, each, strict=True))} for each in product(*codes))
