"""The progress of a match by its facts: moves, banks, budgets, the open turn, the outcome. A synchronous machine.

Progress changes only by facts, both in play and when the log is read after a restart, so both give the same state. A
few values belong to the running process alone, and are in no fact: the lag of connections, the parts of turns that bots
want left out, whether a turn still waits in the server, and how late the server was. All times are in ms.
"""

from rumble_engine import State

from rumble_server.match.clock import Lateness, PlainControl, remaining_ms
from rumble_server.match.facts import (
    FrameSeen,
    FrameShared,
    MatchFact,
    MatchOver,
    MatchStarted,
    MoveMade,
    MoveRefused,
    SeatAway,
    SeatBack,
    StartTold,
    TurnAsked,
)
from rumble_server.match.seat import OpenTurn, SeatState

UNASKED = ""
"""The turn id of an open turn whose bot is away: the bot has not been asked, but the clock runs."""
AwayTime = tuple[int, int]
"""The beginning of an absence, and the time at which the match stops waiting, in ms of server time."""
INFO = '"info"'
"""A text in every frame with an `info`, and in few other frames."""


class Progress:
    """The progress of a match, and the times when its clocks run out. `control` is the time control of its terms."""

    __slots__ = (
        "_counted_excused_ms",
        "_informed",
        "_lateness",
        "_nobody_away_before_ms",
        "_runs",
        "_used_ms",
        "control",
        "moves",
        "over",
        "seats",
        "state",
        "terms",
        "turn",
    )

    def __init__(
        self, terms: MatchStarted, control: PlainControl, lateness: Lateness, nobody_away_before_ms: int
    ) -> None:
        self.terms = terms
        self.control = control
        self.moves: list[str] = list(terms.moves)
        self.state: State = terms.opening_state()
        self.seats: list[SeatState] = []
        for _ in terms.seats:
            self.seats.append(SeatState(control.bank_ms, terms.away_ms, terms.illegal_retries, terms.at_ms))
        self.turn: OpenTurn | None = None
        self.over: MatchOver | None = None
        self._used_ms = 0
        """Thinking time on the present ply before the open turn was asked."""
        self._runs = terms.away_clock == "runs"
        self._lateness = lateness
        self._counted_excused_ms = 0
        """Sum in ms of the excused times in this attempt that may make the match void, without the open turn's time."""
        self._nobody_away_before_ms = nobody_away_before_ms
        self._informed = False

    # --- facts ---

    def apply(self, fact: MatchFact) -> None:
        """Change the progress by a fact; the turn asked together with a move must be applied as a fact of its own.

        In play the referee applies moves, turns and the end by the methods below, which saves this dispatch.
        """
        match fact:
            case MoveMade():
                self._apply_move(fact, self.state.play(fact.move))
            case TurnAsked():
                self.apply_turn(fact.seat, fact.turn_id, fact.remaining_ms, fact.lag_ms, fact.at_ms)
            case StartTold():
                self.suspend_turn(fact)
                for own in self.seats if fact.all_seats else (self.seats[fact.seat],):
                    own.away_since_ms = None
                    own.greeted = True
            case MoveRefused():
                self.seats[fact.seat].retries_left = fact.retries_left
            case SeatAway():
                own = self.seats[fact.seat]
                own.drops += fact.on_turn
                if self._runs and fact.on_turn:
                    self._excuse(fact)
                else:
                    self.suspend_turn(fact)
                own.away_left_ms = fact.away_left_ms
                own.away_since_ms = fact.at_ms
                own.away_late_ms = self._lateness.late_ms
                if self._runs and self.turn is None:
                    self._run_clock_of_away(fact.at_ms)
            case SeatBack():
                self.seats[fact.seat].away_left_ms = fact.away_left_ms
                self.seats[fact.seat].away_since_ms = None
            case MatchOver():
                self._apply_over(fact)
            case FrameSeen():
                if fact.sender == "bot" and INFO in fact.frame:
                    self._informed = True
            case MatchStarted() | FrameShared():
                pass

    def _apply_move(self, made: MoveMade, state: State) -> None:
        """Make a move; `state` is the state after the move, which the caller has computed to check the move."""
        seat = self.seats[made.seat]
        self.state = state
        self.moves.append(made.move)
        seat.bank_ms = made.bank_ms
        seat.accepted.append(made.turn_id)
        if made.excused_ms:
            seat.excused_ms += made.excused_ms
            self._counted_excused_ms += made.excused_ms
        self.turn = None
        self._used_ms = 0
        if INFO in made.frame:
            self._informed = True
        if self._runs:
            self._run_clock_of_away(made.at_ms)

    def apply_turn(self, seat: int, turn_id: str, left_ms: int, lag_ms: int, at_ms: int) -> None:
        """Open the turn of a seat that has `left_ms` for the move."""
        deadline_ms = at_ms + left_ms + lag_ms
        self.turn = OpenTurn(turn_id, seat, at_ms, self._used_ms, lag_ms, deadline_ms, self._lateness.late_ms)
        if lag_ms:
            self.seats[seat].lag_given_ms += lag_ms

    def _apply_over(self, over: MatchOver) -> None:
        self.over = over
        self.turn = None

    def suspend_turn(self, fact: StartTold | SeatAway) -> None:
        """End the seat's open turn, if any, without an answer; the thinking time so far stays used."""
        self._excuse(fact)
        if self.turn is not None and self.turn.seat == fact.seat:
            self._used_ms = self.turn.thought_ms(fact.at_ms, fact.excused_ms)
            self.turn = None

    def _excuse(self, fact: StartTold | SeatAway) -> None:
        self.seats[fact.seat].excused_ms += fact.excused_ms
        self._counted_excused_ms += fact.excused_ms

    def give_grace(self, now_ms: int, until_ms: int) -> None:
        """Stop all away budgets, and the clock of a bot that is away, until `until_ms`. Time used before stays used."""
        for own in self.seats:
            if own.away_since_ms is not None:
                own.away_left_ms = min(own.away_left_ms, max(0, self._away_until_ms(own) - now_ms))
                own.away_late_ms = self._lateness.late_ms
        self._nobody_away_before_ms = until_ms
        turn = self.turn
        if turn is not None and self.seats[turn.seat].away_since_ms is not None:
            self._used_ms = turn.thought_ms(now_ms, self._excused_ms(turn.seat, now_ms))
            self._run_clock_of_away(now_ms)

    def _run_clock_of_away(self, at_ms: int) -> None:
        """Start the clock of the seat to move at `at_ms`, or at the end of the grace, if the seat's bot is away."""
        seat = self.state.to_move
        if self.state.outcome is None and self.seats[seat].away_since_ms is not None:
            from_ms = max(at_ms, self._nobody_away_before_ms)
            deadline_ms = from_ms + remaining_ms(self.control, self.seats[seat].bank_ms, self._used_ms)
            self.turn = OpenTurn(UNASKED, seat, from_ms, self._used_ms, 0, deadline_ms, self._lateness.late_ms)

    # --- times ---

    @property
    def wake_at_ms(self) -> int | None:
        """The earliest time when a clock or an away budget may run out; None while none runs.

        The server's lateness so far is added. More lateness moves the time later, so a timer may be early, never late.
        """
        if self.over is not None:
            return None
        turn = self.turn
        wake_at_ms = None
        if turn is not None and not turn.held:
            wake_at_ms = turn.deadline_ms + self._lateness.late_ms - turn.late_ms
        for seat in self.seats:
            if seat.away_since_ms is not None:
                until_ms = self._away_until_ms(seat)
                if wake_at_ms is None or until_ms < wake_at_ms:
                    wake_at_ms = until_ms
        return wake_at_ms

    def clock(self, now_ms: int) -> tuple[int, ...]:
        """Return the time of each seat for a move at `now_ms`, bank included."""
        seats_ms = [remaining_ms(self.control, seat.bank_ms) for seat in self.seats]
        if self.turn is not None:
            seats_ms[self.turn.seat] = self._turn_remaining_ms(self.turn, now_ms)
        return tuple(seats_ms)

    def away(self) -> tuple[AwayTime | None, ...]:
        """Return, by seat, since when the seat's bot is away and until when the match waits; None for a connected bot.

        The match waits until the away budget is used up, or until the clock runs out if that is earlier.
        """
        return tuple(
            [None if own.away_since_ms is None else self._away_time(seat) for seat, own in enumerate(self.seats)]
        )

    def _away_time(self, seat: int) -> AwayTime:
        own, turn = self.seats[seat], self.turn
        until_ms = self._away_until_ms(own)
        if turn is not None and turn.seat == seat:
            until_ms = min(until_ms, turn.deadline_ms + self._lateness.late_ms - turn.late_ms)
        return own.away_since_ms or 0, until_ms

    def _turn_remaining_ms(self, turn: OpenTurn, now_ms: int) -> int:
        thought_ms = turn.thought_ms(now_ms, self._excused_ms(turn.seat, now_ms))
        return remaining_ms(self.control, self.seats[turn.seat].bank_ms, thought_ms)

    def _excused_ms(self, seat: int, now_ms: int) -> int:
        """Return the excused time of the open turn so far, if the turn is the seat's; else 0."""
        turn = self.turn
        return 0 if turn is None or turn.seat != seat else turn.excused_ms(now_ms, self._lateness.late_ms)

    def _away_until_ms(self, seat: SeatState) -> int:
        late_ms = self._lateness.late_ms - seat.away_late_ms
        return max(seat.away_since_ms or 0, self._nobody_away_before_ms) + seat.away_left_ms + late_ms
