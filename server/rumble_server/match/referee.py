"""The referee of one match: a synchronous machine, `(event, now) -> effects`. No asyncio, no clock of its own.

Every rule about time, faults and order of play is here. The driver calls a method per event, carries the effects
out in order, and calls `wake` when `wake_at_ms` is reached.

Time is in ms. A turn's clock runs from the asking, only while its bot is connected; `away_left_ms` is a separate
budget per seat and match that runs while it is not.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rumble_engine import IllegalMove, MoveError, Outcome, State, Termination, get_game
from rumble_protocol import server_messages as say
from rumble_protocol.codec import match_over_frame, match_start_frame, turn_frame, write_message
from rumble_protocol.codes import NoticeCode, Rejection
from rumble_protocol.fields import ServerMessageModel

from rumble_server.match.clock import MOST_LAG_MS, bank_after_ms, remaining_ms, thinking_ms
from rumble_server.match.facts import (
    Effect,
    FrameSeen,
    MatchFact,
    MatchOver,
    MatchStarted,
    MoveMade,
    MoveRefused,
    SeatAway,
    SeatBack,
    Send,
    StartTold,
    TurnAsked,
)

LONGEST_MOVE = 64
"""A move text longer than this is unreadable in every game."""


@dataclass(slots=True)
class Chair:
    """What the referee knows of one seat: its bank, its budgets, and its connection."""

    bank_ms: int
    away_left_ms: int
    retries_left: int
    away_since_ms: int | None
    """None while connected."""
    greeted: bool = False
    """Its bot was told of this match before, in this run or an earlier one."""
    lag_ms: int = 0
    omit: tuple[str, ...] = ()
    accepted: set[str] = field(default_factory=set)
    """The turn ids whose move counted."""


@dataclass(slots=True)
class OpenTurn:
    """The turn that is open: whose, since when, and what its clock allows."""

    turn_id: str
    seat: int
    asked_at_ms: int
    used_ms: int
    """Thinking on this ply before this asking (the bot dropped and came back)."""
    lag_ms: int
    deadline_ms: int
    frame: bytes
    """What asked it."""


class Referee:
    """Judges one match. `new_turn_id` gives ids that no other turn, of this run or an earlier one, has."""

    def __init__(self, terms: MatchStarted, new_turn_id: Callable[[], str], *, nobody_away_before_ms: int = 0) -> None:
        self.terms = terms
        self.match = terms.match
        self.attempt = terms.attempt
        self.control = terms.time_control
        self.moves: list[str] = list(terms.moves)
        self.state: State = get_game(terms.game).initial(terms.settings, terms.seed)
        for move in terms.moves:
            self.state = self.state.play(move)
        self.chairs = [
            Chair(self.control.bank_ms, terms.away_ms, terms.illegal_retries, terms.at_ms) for _ in terms.seats
        ]
        self.turn: OpenTurn | None = None
        self.over: MatchOver | None = None
        self.wake_at_ms: int | None = None
        self._used_ms = 0
        self._excused = False
        self._no_verdict_before_ms = 0
        self._new_turn_id = new_turn_id
        self._nobody_away_before_ms = nobody_away_before_ms

    # --- rebuilding from the log ---

    @classmethod
    def resume(
        cls, facts: Iterable[MatchFact], new_turn_id: Callable[[], str], *, now_ms: int, nobody_away_before_ms: int
    ) -> "Referee":
        """The referee of an unfinished match, from its facts (the first is its `MatchStarted`), nobody connected.

        The ply to be asked again has the clock it had when it was first asked; away budgets are as logged, and do
        not run before `nobody_away_before_ms`.
        """
        referee: Referee | None = None
        for fact in facts:
            if isinstance(fact, MatchStarted):
                referee = cls(fact, new_turn_id, nobody_away_before_ms=nobody_away_before_ms)
            elif referee is None:
                raise ValueError(f"the log of match {fact.match} does not begin with its start")
            else:
                referee._apply(fact)
        if referee is None:
            raise ValueError("a match without facts")
        for chair in referee.chairs:
            chair.away_since_ms = now_ms
            chair.greeted = True
        referee._set_wake()
        return referee

    def _apply(self, fact: MatchFact) -> None:
        match fact:
            case MoveMade():
                self._advance(self.state.code_of(fact.move), fact)
            case MoveRefused():
                self.chairs[fact.seat].retries_left = fact.retries_left
            case SeatAway() | SeatBack():
                self.chairs[fact.seat].away_left_ms = fact.away_left_ms
            case MatchOver():
                self.over = fact
            case _:
                pass

    def _advance(self, code: int, made: MoveMade) -> None:
        chair = self.chairs[made.seat]
        self.state = self.state.after(code)
        self.moves.append(made.move)
        chair.bank_ms = made.bank_ms
        chair.accepted.add(made.turn_id)
        self.turn = None
        self._used_ms = 0

    def conclude(self, now_ms: int) -> list[Effect]:
        """After `resume`: if the log ends between the last move and the outcome it brought, that is told now."""
        effects: list[Effect] = []
        outcome = self.state.outcome
        if outcome is not None and self.over is None:
            self._end(effects, outcome, now_ms)
        return effects

    # --- events ---

    def connect(self, seat: int, now_ms: int, *, lag_ms: int = 0, omit: tuple[str, ...] = ()) -> list[Effect]:
        """The seat's bot is connected: at the start, or again. It gets `match_start` and, if due, its turn."""
        if self.over is not None:
            return []
        chair = self.chairs[seat]
        effects: list[Effect] = []
        if chair.away_since_ms is not None:
            chair.away_left_ms = self._away_left_ms(chair, now_ms)
            chair.away_since_ms = None
            if chair.greeted:
                effects.append(SeatBack(self.match, self.attempt, seat, chair.away_left_ms, now_ms))
        elif self.turn is not None and self.turn.seat == seat:
            self._suspend_turn(now_ms)
        chair.lag_ms = min(lag_ms, MOST_LAG_MS)
        chair.omit = omit
        told = StartTold(self.match, self.attempt, seat, chair.greeted, now_ms)
        chair.greeted = True
        effects.append(told)
        effects.append(Send(seat, frame_of_start(told, self.terms, self.moves)))
        if self.turn is None and self.chairs[self.state.to_move].away_since_ms is None:
            self._ask(effects, now_ms)
        self._set_wake()
        return effects

    def disconnect(self, seat: int, now_ms: int) -> list[Effect]:
        """The seat's socket ended: its thinking clock stops, its away budget runs, the others are told."""
        chair = self.chairs[seat]
        if self.over is not None or chair.away_since_ms is not None:
            return []
        if self.turn is not None and self.turn.seat == seat:
            self._suspend_turn(now_ms)
        chair.away_since_ms = now_ms
        effects: list[Effect] = [SeatAway(self.match, self.attempt, seat, chair.away_left_ms, now_ms)]
        notice = say.Notice(
            code=NoticeCode.OPPONENT_AWAY,
            tournament=self.tournament,
            match=self.match,
            message=f"{self.terms.seats[seat]} is away; it has {chair.away_left_ms} ms to come back",
        )
        for other, other_chair in enumerate(self.chairs):
            if other != seat and other_chair.away_since_ms is None:
                self._send(effects, other, now_ms, notice)
        self._set_wake()
        return effects

    def sent_late(self, frame: bytes, now_ms: int) -> None:
        """A frame had waited in the server until now: if it asked the open turn, that turn's clock starts now."""
        turn = self.turn
        if turn is not None and turn.frame is frame:
            turn.deadline_ms += now_ms - turn.asked_at_ms
            turn.asked_at_ms = now_ms
            self._set_wake()

    def round_trip(self, seat: int, lag_ms: int) -> None:
        """The seat's connection was measured: what the network is allowed at its next turns."""
        self.chairs[seat].lag_ms = min(lag_ms, MOST_LAG_MS)

    def move(self, seat: int, turn_id: str, text: str, now_ms: int, frame: str) -> list[Effect]:
        """The seat's bot sent a move; `frame` is the whole text it sent."""
        turn = self.turn
        if turn is None or turn.turn_id != turn_id or turn.seat != seat or self.over is not None:
            return self._refuse_stray(seat, turn_id, now_ms, frame)
        try:
            if len(text) > LONGEST_MOVE:
                return self._refuse_fault(turn, Rejection.BAD_MOVE, "a move is never that long", now_ms, frame)
            code = self.state.code_of(text)
        except IllegalMove as error:
            return self._refuse_fault(turn, Rejection.ILLEGAL_MOVE, str(error), now_ms, frame)
        except MoveError as error:
            return self._refuse_fault(turn, Rejection.BAD_MOVE, str(error), now_ms, frame)
        used_ms = turn.used_ms + thinking_ms(turn.asked_at_ms, now_ms, turn.lag_ms)
        bank_ms = bank_after_ms(self.control, self.chairs[seat].bank_ms, used_ms)
        made = MoveMade(self.match, self.attempt, len(self.moves), seat, turn_id, text, bank_ms, frame, now_ms)
        self._advance(code, made)
        effects: list[Effect] = [made]
        outcome = self.state.outcome
        if outcome is not None:
            self._end(effects, outcome, now_ms)
        elif self.chairs[self.state.to_move].away_since_ms is None:
            self._ask(effects, now_ms)
        else:
            self._set_wake()
        return effects

    def resign(self, seat: int, now_ms: int, frame: str) -> list[Effect]:
        """The seat's bot gives the match up."""
        effects: list[Effect] = [FrameSeen(self.match, self.attempt, seat, "bot", frame, now_ms)]
        return effects + self.forfeit(seat, Termination.RESIGNATION, f"{self.terms.seats[seat]} resigned", now_ms)

    def forfeit(self, seat: int, termination: Termination, reason: str, now_ms: int) -> list[Effect]:
        """The seat loses by something outside the board. A resignation is nobody's fault."""
        if self.over is not None:
            return []
        effects: list[Effect] = []
        at_fault = () if termination is Termination.RESIGNATION else (seat,)
        self._end(effects, self._loss(seat, termination, reason), now_ms, at_fault)
        return effects

    def abort(self, reason: str, now_ms: int) -> list[Effect]:
        """The match is void: nobody is blamed, and it is not a result."""
        if self.over is not None:
            return []
        effects: list[Effect] = []
        self._end(effects, None, now_ms, reason=reason)
        return effects

    def wake(self, now_ms: int, loop_lag_ms: int = 0) -> list[Effect]:
        """`wake_at_ms` has come. The driver has first handed over every frame it had received.

        If the server itself was late by `loop_lag_ms`, a verdict waits that much longer, once a turn.
        """
        if self.over is not None:
            return []
        verdict = self._verdict(now_ms)
        if verdict is None:
            self._set_wake()
            return []
        if now_ms < self._no_verdict_before_ms:
            self._set_wake()
            return []
        if loop_lag_ms and not self._excused:
            self._excused = True
            self._no_verdict_before_ms = now_ms + loop_lag_ms
            self._set_wake()
            return []
        seat, termination, reason = verdict
        return self.forfeit(seat, termination, reason, now_ms)

    # --- what the referee says ---

    @property
    def tournament(self) -> str:
        """The id of the match's tournament."""
        return self.terms.tournament

    def clock(self, now_ms: int) -> tuple[int, ...]:
        """What each seat has for a move, bank included, as it stands: the open turn's is running."""
        seats_ms = [remaining_ms(self.control, chair.bank_ms) for chair in self.chairs]
        if self.turn is not None:
            seats_ms[self.turn.seat] = self._turn_remaining_ms(self.turn, now_ms)
        return tuple(seats_ms)

    def _send(self, effects: list[Effect], seat: int, now_ms: int, message: ServerMessageModel) -> None:
        frame = write_message(message)
        effects.append(FrameSeen(self.match, self.attempt, seat, "server", frame.decode(), now_ms))
        effects.append(Send(seat, frame))

    def _ask(self, effects: list[Effect], now_ms: int) -> None:
        seat = self.state.to_move
        chair = self.chairs[seat]
        left_ms = remaining_ms(self.control, chair.bank_ms, self._used_ms)
        seats_ms = [remaining_ms(self.control, other.bank_ms) for other in self.chairs]
        seats_ms[seat] = left_ms
        turn_id = self._new_turn_id()
        deadline_ms = now_ms + left_ms + chair.lag_ms
        self._excused = False
        asked = TurnAsked(
            self.match,
            self.attempt,
            len(self.moves),
            seat,
            turn_id,
            left_ms,
            seats_ms,
            chair.lag_ms,
            chair.omit,
            now_ms,
        )
        frame = frame_of_turn(asked, self.terms.game, self.state, self.moves)
        self.turn = OpenTurn(turn_id, seat, now_ms, self._used_ms, chair.lag_ms, deadline_ms, frame)
        effects.append(asked)
        effects.append(Send(seat, frame))
        self._set_wake()

    def _refuse_stray(self, seat: int, turn_id: str, now_ms: int, frame: str) -> list[Effect]:
        """A move that answers no open turn: not a fault."""
        if turn_id in self.chairs[seat].accepted:
            code, message = Rejection.ALREADY_PLAYED, "this turn was answered already; the move counted"
        elif self.turn is not None and self.turn.seat == seat:
            code, message = Rejection.STALE_TURN, "answer the newest turn of this match, with its turn_id"
        else:
            code, message = Rejection.NOT_YOUR_TURN, "wait for your turn in this match"
        effects: list[Effect] = []
        self._reject(effects, seat, turn_id, code, message, now_ms, frame)
        return effects

    def _refuse_fault(self, turn: OpenTurn, code: Rejection, message: str, now_ms: int, frame: str) -> list[Effect]:
        """An illegal or unreadable move loses, unless a retry is left; then the same turn and clock go on."""
        seat = turn.seat
        chair = self.chairs[seat]
        effects: list[Effect] = []
        if chair.retries_left > 0:
            chair.retries_left -= 1
            effects.append(MoveRefused(self.match, self.attempt, seat, chair.retries_left, now_ms))
            self._reject(effects, seat, turn.turn_id, code, message, now_ms, frame)
            return effects
        self.turn = None
        self._reject(effects, seat, turn.turn_id, code, message, now_ms, frame)
        reason = f"{self.terms.seats[seat]} sent a move that does not count: {message}"
        self._end(effects, self._loss(seat, Termination.ILLEGAL_MOVE, reason), now_ms, (seat,))
        return effects

    def _reject(
        self, effects: list[Effect], seat: int, turn_id: str, code: Rejection, message: str, now_ms: int, frame: str
    ) -> None:
        mine = self.turn is not None and self.turn.seat == seat and self.over is None
        left_ms = self._turn_remaining_ms(self.turn, now_ms) if self.turn is not None and mine else None
        effects.append(FrameSeen(self.match, self.attempt, seat, "bot", frame, now_ms))
        rejected = say.Rejected(
            match=self.match, turn_id=turn_id, code=code, message=message, your_turn=mine, remaining_ms=left_ms
        )
        self._send(effects, seat, now_ms, rejected)

    # --- time and the end ---

    def _turn_remaining_ms(self, turn: OpenTurn, now_ms: int) -> int:
        used_ms = turn.used_ms + thinking_ms(turn.asked_at_ms, now_ms, turn.lag_ms)
        return remaining_ms(self.control, self.chairs[turn.seat].bank_ms, used_ms)

    def _suspend_turn(self, now_ms: int) -> None:
        """The open turn's asking ends without an answer; what was thought so far stays used."""
        if self.turn is not None:
            self._used_ms = self.turn.used_ms + thinking_ms(self.turn.asked_at_ms, now_ms, self.turn.lag_ms)
            self.turn = None

    def _verdict(self, now_ms: int) -> tuple[int, Termination, str] | None:
        """Who has lost by time, if anybody: the open turn's clock first, then whose away budget ran out first."""
        turn = self.turn
        if turn is not None and now_ms >= turn.deadline_ms:
            allowed_ms = turn.deadline_ms - turn.asked_at_ms
            reason = f"{self.terms.seats[turn.seat]} did not move within {allowed_ms} ms (ply {len(self.moves)})"
            return turn.seat, Termination.TIMEOUT, reason
        gone = [
            (self._away_until_ms(chair), seat)
            for seat, chair in enumerate(self.chairs)
            if chair.away_since_ms is not None and self._away_until_ms(chair) <= now_ms
        ]
        if not gone:
            return None
        seat = min(gone)[1]
        reason = f"{self.terms.seats[seat]} was away for more than its {self.terms.away_ms} ms"
        return seat, Termination.DISCONNECT, reason

    def _away_until_ms(self, chair: Chair) -> int:
        return max(chair.away_since_ms or 0, self._nobody_away_before_ms) + chair.away_left_ms

    def _away_left_ms(self, chair: Chair, now_ms: int) -> int:
        return min(chair.away_left_ms, max(0, self._away_until_ms(chair) - now_ms))

    def _set_wake(self) -> None:
        """To be called whenever the turn or who is away has changed in a match that goes on."""
        wake_at_ms = None if self.turn is None else self.turn.deadline_ms
        for chair in self.chairs:
            if chair.away_since_ms is not None:
                until_ms = self._away_until_ms(chair)
                if wake_at_ms is None or until_ms < wake_at_ms:
                    wake_at_ms = until_ms
        self.wake_at_ms = None if wake_at_ms is None else max(wake_at_ms, self._no_verdict_before_ms)

    def _loss(self, seat: int, termination: Termination, reason: str) -> Outcome:
        winner = next(index for index in range(len(self.chairs)) if index != seat)
        return Outcome.win(winner, reason, termination=termination, seats=len(self.chairs))

    def _end(
        self,
        effects: list[Effect],
        outcome: Outcome | None,
        now_ms: int,
        at_fault: tuple[int, ...] = (),
        reason: str = "",
    ) -> None:
        self.over = over = MatchOver(
            match=self.match,
            attempt=self.attempt,
            seats=self.terms.seats,
            scores=None if outcome is None else outcome.scores,
            termination=Termination.ABORTED if outcome is None else outcome.termination,
            reason=reason if outcome is None else outcome.reason,
            at_fault=at_fault,
            moves=tuple(self.moves),
            at_ms=now_ms,
            told=tuple(seat for seat, chair in enumerate(self.chairs) if chair.away_since_ms is None),
        )
        self.turn = None
        self.wake_at_ms = None
        effects.append(over)
        effects += [Send(seat, frame_of_over(over, self.state, seat), durable=True) for seat in over.told]


def frame_of_start(told: StartTold, terms: MatchStarted, moves: Sequence[str]) -> bytes:
    """The `match_start` frame that a seat was sent after these moves."""
    return match_start_frame(
        match=terms.match,
        attempt=terms.attempt,
        tournament=terms.tournament,
        game=terms.game,
        settings=terms.settings,
        seat=told.seat,
        seats=terms.seats,
        time_control=terms.time_control,
        moves=moves,
        resumed=told.resumed,
    )


def frame_of_turn(asked: TurnAsked, game: str, state: State, moves: Sequence[str]) -> bytes:
    """The `turn` frame that was sent when a ply was asked, in the state and after the moves of that ply."""
    return turn_frame(
        match=asked.match,
        attempt=asked.attempt,
        turn_id=asked.turn_id,
        game=game,
        ply=asked.ply,
        seat=asked.seat,
        state=state.view(asked.seat),
        legal=None if "legal" in asked.omit else state.legal_moves,
        moves=None if "moves" in asked.omit else moves,
        remaining_ms=asked.remaining_ms,
        seats_ms=asked.seats_ms,
        lag_ms=asked.lag_ms,
    )


def frame_of_over(over: MatchOver, state: State, seat: int) -> bytes:
    """The `match_over` frame for a seat, in the last state."""
    return match_over_frame(
        match=over.match,
        attempt=over.attempt,
        scores=over.scores,
        winner=over.winner,
        termination=over.termination,
        reason=over.reason,
        moves=over.moves,
        state=state.view(seat),
    )
