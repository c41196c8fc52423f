"""The referee of a match. It does no I/O, and has no clock of its own.

All rules about time, faults and the order of play are here. The driver (`arena/matches.py`) calls a method for each
event, and `wake` at the time `wake_at_ms`. `announcer.py` records facts and sends frames. `progress.py` has the state,
which only facts change.

All times are in ms. A turn's clock runs after the turn was sent, but only while the bot is connected. If `away_clock`
is `runs`, the clock also runs while the bot is away. `away_left_ms` is a separate budget of each seat for the match,
which runs while the bot is not connected. Clocks and budgets stop while the server is late. This time is excused, and
recorded if a clock was running.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from rumble_engine import IllegalMove, MoveError, Outcome, Termination, UnreadableMove, drawn
from rumble_engine.errors import LONGEST_MOVE
from rumble_engine.outcome import places_of
from rumble_protocol import server_messages as say
from rumble_protocol.codes import NoticeCode, Rejection

from rumble_server.match import facts
from rumble_server.match.announcer import Announcer
from rumble_server.match.clock import MOST_LAG_MS, bank_after_ms
from rumble_server.match.draws import number_of
from rumble_server.match.frames import frame_of_over, frames_of_start
from rumble_server.match.kept_frame import SURELY_SHORT
from rumble_server.match.plies import PlyFact
from rumble_server.match.progress import UNASKED
from rumble_server.match.seat import DelayMs, OpenTurn, SeatConnection, SeatState

STAMP_BEYOND_MS = 250
"""Maximum lateness in ms for which a fast answer is excused without a question to the kernel.

After a greater lateness, the kernel is asked how long the answer has waited. Each question takes system calls.
"""
STAMP_MS = 10
"""Precision in ms of the kernel's times for received data: one tick of a kernel clock with 100 ticks a second."""
NO_FAILURES: Mapping[int, str] = {}
"""The empty mapping from seats to errors of bots, for a match in which no bot crashed."""


class Referee(Announcer):
    """The referee of a match, which judges moves, time and faults."""

    # --- events ---

    def rebuild(self, recorded: Iterable[facts.MatchFact], now_ms: int) -> bool:
        """Restore an unfinished match from `recorded`, its facts after `MatchStarted`. No bot is connected.

        Time that bots have used for the present ply does not count. Away budgets have the values in the log. Budgets,
        and clocks of absent bots, do not run before `nobody_away_before_ms`. If the log ends between the last move and
        the end of the match, the match ends now. If plies are missing in the log, the match is void; return false then.
        """
        is_whole = True
        try:
            for fact in facts.with_turns(recorded):
                if isinstance(fact, PlyFact) and fact.ply != len(self.moves):
                    is_whole = False
                    break
                self.apply(fact)
        finally:  # also if the game's code fails, since the match is then ended as void
            for seat in self.seats:
                seat.turn, seat.used_ms = None, 0
                seat.away_since_ms = now_ms
                seat.away_late_ms = self._lateness.late_ms
                seat.greeted = True
        if not is_whole:
            self.abort("the server lost moves of this match; nobody is blamed", now_ms)
        elif self.over is not None or self.void_if_stalled(now_ms):
            pass
        elif self.plies is None and self.state.outcome is not None:
            self._end(self.state.outcome, now_ms)
        elif (self.plies is None or not self._go_on(now_ms)) and self._runs:
            self._run_clocks_of_away(now_ms)
        return is_whole

    def start(self, connections: Iterable[SeatConnection], now_ms: int) -> None:
        """Begin the match: send `match_start` to all bots, and ask for the first ply. All bots must be connected."""
        for own, connection in zip(self.seats, connections, strict=True):
            own.link(connection)
        told = facts.StartTold(self._match_id, self._attempt, 0, False, now_ms, 0, True)
        self._record(told)
        for seat, frame in frames_of_start(told, self.terms, self.moves):
            self._driver.begin(seat, frame)
        self._ask_on(now_ms)

    def connect(self, seat: int, connection: SeatConnection, now_ms: int) -> None:
        """Send `match_start` to a bot that has connected (again), and then its turn if it has to move."""
        if self.over is not None:
            return
        own = self.seats[seat]
        if own.away_since_ms is not None and own.greeted:
            left_ms = min(own.away_left_ms, max(0, self._away_until_ms(own) - now_ms))
            self._record(facts.SeatBack(self._match_id, self._attempt, seat, left_ms, now_ms))
        excused_ms = self._excused_at_end_ms(seat, now_ms)
        own.link(connection)
        told = facts.StartTold(self._match_id, self._attempt, seat, own.greeted, now_ms, excused_ms)
        self._record(told)
        for told_seat, frame in frames_of_start(told, self.terms, self.moves):
            self._driver.begin(told_seat, frame)
        if excused_ms and self.void_if_stalled(now_ms):
            return
        if own.turn is None:
            self._ask_on(now_ms)

    def disconnect(self, seat: int, now_ms: int) -> None:
        """Handle the end of a bot's connection: start the seat's away budget, and tell the other seats.

        The seat's clock stops, unless the rule `away_clock` lets it run.
        """
        own = self.seats[seat]
        if self.over is not None or own.away_since_ms is not None:
            return
        is_running = own.turn is not None and not own.turn.held
        on_turn = is_running and now_ms >= self._nobody_away_before_ms
        excused_ms = 0 if self._runs and on_turn else self._excused_at_end_ms(seat, now_ms)
        self._record(facts.SeatAway(self._match_id, self._attempt, seat, own.away_left_ms, now_ms, excused_ms, on_turn))
        if excused_ms and self.void_if_stalled(now_ms):
            return
        if not own.is_out:
            text = f"{self.terms.seats[seat]} is away; it has {own.away_left_ms} ms to come back"
            self._notify_others(seat, NoticeCode.OPPONENT_AWAY, text, now_ms)

    def hold_turn(self, seat: int, turn_id: str) -> None:
        """Stop the clock of a turn whose frame has to wait in the server. `turn_written` starts the clock again."""
        turn = self.seats[seat].turn
        if turn is not None and turn.turn_id == turn_id:
            turn.held = True

    def turn_written(self, seat: int, turn_id: str, now_ms: int) -> None:
        """Start the clock of a turn whose frame has waited in the server, and has been sent now."""
        turn = self.seats[seat].turn
        if turn is not None and turn.turn_id == turn_id and turn.held:
            turn.deadline_ms += now_ms - turn.asked_at_ms
            turn.asked_at_ms = now_ms
            turn.late_ms = self._lateness.late_ms
            turn.held = False

    def round_trip(self, seat: int, lag_ms: int) -> None:
        """Store the lag of a seat's connection. In the seat's next turns, the lag does not count as thinking time."""
        self.seats[seat].lag_ms = min(lag_ms, MOST_LAG_MS)

    def _excuse_wait(self, seat: int, turn: OpenTurn, delay_ms: DelayMs, now_ms: int) -> bool:
        """Excuse the waiting time of an answer. Return true if the turn is over.

        The waiting time is the time for which the turn waited to be written, plus the time for which the answer waited
        to be read. `delay_ms` computes the waiting time from the age of the turn. Other lateness of the server is not
        excused, because the bot can think meanwhile. If the bot thought for too long, the match is decided now. If the
        turn was sent before a suspension of the club, all lateness is excused.

        If the bot has sent more data after the answer, only a minimum of the waiting time is known. Then all lateness
        is excused. If the answer is in time only because of lateness beyond the minimum, the match is void. So an
        honest bot with several matches loses nothing, and no bot wins by sending more data.

        `docs/architecture/matches.md` has an example in numbers, under "Excused time".
        """
        lateness, open_ms = self._lateness, now_ms - turn.asked_at_ms
        late_ms = lateness.late_ms
        matters = open_ms > self.control.move_ms or late_ms - turn.late_ms > STAMP_BEYOND_MS
        if not matters or turn.held or turn.asked_at_ms < lateness.suspended_until_ms:
            return False
        waited_ms, is_exact = delay_ms(open_ms)
        excused_ms, turn.in_doubt = min(waited_ms, open_ms), not is_exact
        if is_exact or late_ms - turn.late_ms < excused_ms:
            turn.late_ms = late_ms - excused_ms
        if now_ms - excused_ms - STAMP_MS > turn.deadline_ms:
            self.wake(now_ms)
            if turn.in_doubt:
                self.abort(f"the server was late, and {self.terms.seats[seat]} may have moved in time", now_ms)
        return self.seats[seat].turn is not turn

    def _excused_at_end_ms(self, seat: int, now_ms: int) -> int:
        """Return the excused time in ms of the open turn of a seat whose connection has ended or is replaced.

        If the kernel measures how long the connection's answers wait, the time is 0. Otherwise a bot could think while
        the server is late, and gain time by connecting again. The time is not always 0 in three cases: the turn is from
        before a suspension of the club, the turn was not sent to the bot, or an answer is in doubt (`in_doubt`).
        """
        own = self.seats[seat]
        return 0 if own.turn is None or self._is_told(own, own.turn) else self._excused_ms(seat, now_ms)

    def _is_told(self, own: SeatState, turn: OpenTurn) -> bool:
        """Return true if the kernel measures exactly how long an answer to this turn waits to be read."""
        is_asked = turn.turn_id != UNASKED and turn.asked_at_ms >= self._lateness.suspended_until_ms
        return is_asked and not turn.in_doubt and own.is_stamped

    def move(
        self, seat: int, turn_id: str, text: str, now_ms: int, frame: str, delay_ms: DelayMs | None = None
    ) -> bool:
        """Judge a move. `frame` is the whole message. Return true if the move answered an open turn.

        `delay_ms` returns how long the turn and its answer waited in this machine. The function is called only where
        needed: if the answer uses the bank or is too late, or if much time is excused.
        """
        own = self.seats[seat]
        turn, plies = own.turn, self.plies
        if turn is None or turn.turn_id != turn_id:
            self.refuse_stray(seat, turn_id, now_ms, frame)
            return False
        late_ms = self._lateness.late_ms
        is_slow = late_ms != turn.late_ms or now_ms - turn.asked_at_ms > self.control.move_ms
        if is_slow and delay_ms is not None and self._excuse_wait(seat, turn, delay_ms, now_ms):
            return False
        try:
            if len(text) > LONGEST_MOVE:
                raise UnreadableMove("a move is never that long")
            state = self.state
            code = state.code_of(text) if plies is None else state.code_for(seat, text)
        except MoveError as error:
            fault = Rejection.ILLEGAL_MOVE if isinstance(error, IllegalMove) else Rejection.BAD_MOVE
            self._refuse_fault(seat, turn, fault, str(error), now_ms, frame)
            return True
        excused_ms = 0 if late_ms == turn.late_ms else turn.excused_ms(now_ms, late_ms)
        # A move after the deadline still counts if the timer has not come to its verdict: excuse the rest.
        if now_ms > turn.deadline_ms + excused_ms and not turn.held:
            excused_ms = now_ms - turn.deadline_ms
        bank_ms = 0
        if self.control.has_bank:
            bank_ms = bank_after_ms(self.control, own.bank_ms, turn.thought_ms(now_ms, excused_ms))
        if len(frame) > SURELY_SHORT:
            self._see(seat, "bot", frame, now_ms, excused_ms)
            frame = ""
        made = facts.MoveMade(
            self._match_id, self._attempt, len(self.moves), seat, turn_id, text, bank_ms, frame, now_ms, excused_ms
        )
        counts = not excused_ms or not self._is_told(own, turn)
        if plies is not None:
            self._take_answer(made, code, counts)
            return True
        # The ply of a plain match is made here, because a further call costs time. The move is applied before its fact
        # is appended, because the fact also has the next turn, which is made from the new position.
        state = state.after(code)
        self._apply_move(made, state, counts)
        try:
            outcome = state.outcome
            is_stalled = excused_ms > 0 and self._counted_excused_ms > self._bounds.excused_ms
            if outcome is None and not is_stalled:
                self._ask_if_there(now_ms, made)
        finally:
            if not made.next_turn_id:  # no turn was asked with the move, or the game's own code has failed
                self._append(made)
        if is_stalled:
            self.void_if_stalled(now_ms)
        elif outcome is not None:
            self._end(outcome, now_ms)
        return True

    def misanswer(self, seat: int, turn_id: str, problem: str, now_ms: int, frame: str) -> bool:
        """Judge an answer that is not a valid message. If the turn is open, the answer counts as a bad move.

        Return true if the answer was for an open turn.
        """
        turn = self.seats[seat].turn
        if turn is None or turn.turn_id != turn_id:
            return False
        self._refuse_fault(seat, turn, Rejection.BAD_MOVE, problem, now_ms, frame)
        return True

    def resign(self, seat: int, now_ms: int, frame: str, failure: str | None = None) -> None:
        """Make the seat lose because its bot resigned, or crashed with the error `failure`."""
        self._see(seat, "bot", frame, now_ms, self._excused_ms(seat, now_ms))
        name = self.terms.seats[seat]
        if failure is None:
            self.forfeit(seat, Termination.RESIGNATION, f"{name} resigned", now_ms)
        else:
            self.forfeit(seat, Termination.CRASHED, f"{name} crashed", now_ms, failure)

    def forfeit(self, seat: int, termination: Termination, reason: str, now_ms: int, failure: str = "") -> None:
        """Make the seat lose for a reason outside the board. After a resignation, no seat counts as at fault.

        A plain match ends. In any other match the seat falls out, if it has not fallen out before.
        """
        if self.over is None and self.plies is not None:
            self._fall(seat, termination, reason, now_ms, failure)
        elif self.over is None:
            at_fault = () if termination is Termination.RESIGNATION else (seat,)
            self._end(self._loss(seat, termination, reason), now_ms, at_fault, failures={seat: failure})

    def abort(self, reason: str, now_ms: int) -> None:
        """End the match as void: nobody is at fault, and there is no result."""
        if self.over is None:
            self._end(None, now_ms, reason=reason)

    def wake(self, now_ms: int) -> None:
        """Forfeit each seat whose clock or away budget has run out, or end a stalled match as void.

        Before the call, the driver must pass on all frames received so far, because an answer in time may be among
        them.
        """
        if self.over is not None or self.void_if_stalled(now_ms):
            return
        while (verdict := self._verdict(now_ms)) is not None:
            self.forfeit(*verdict, now_ms)

    # --- matches that are not plain ---

    def _take_answer(self, made: facts.MoveMade, code: int, counts: bool) -> None:
        """Record a seat's answer for the present ply. If the answer has completed the ply, call `_go_on`.

        `code` is the code of the move. If `counts` is true, the excused time may make the match void.
        """
        self._append(made)
        is_made = self._apply_answer(made, code, counts=counts)
        if not self.void_if_stalled(made.at_ms) and is_made:
            self._go_on(made.at_ms)

    def _fall(self, seat: int, termination: Termination, reason: str, now_ms: int, failure: str) -> None:
        if self.seats[seat].is_out:
            return
        own, excused_ms = (self._match_id, self._attempt, len(self.moves), seat), self._excused_ms(seat, now_ms)
        self._record(facts.SeatFell(*own, termination, reason, now_ms, excused_ms, failure))
        if self.seats[seat].away_since_ms is None:
            text = f"you fell out ({reason}); match_over tells the end"
            self._send(seat, now_ms, self._notice(seat, NoticeCode.SEAT_FELL, text))
        self._go_on(now_ms)

    def _ask_on(self, now_ms: int) -> None:
        """Send a turn to each connected bot that has to move, and has no open turn.

        In a match that is not plain, first make plies that need no bot. If the match is then over, end the match
        instead.
        """
        if self.plies is not None:
            self._go_on(now_ms)
        else:
            self._ask_if_there(now_ms)

    def _go_on(self, now_ms: int) -> bool:
        """Make plies that need no bot. Then ask the seats to move, or end the match.

        Return true if the match is over.
        """
        plies = self._plies
        while True:
            state, outcome = self.state, plies.outcome()
            if outcome is not None:
                failures = {seat: fall.failure for seat, fall in plies.falls.items()}
                self._end(outcome, now_ms, plies.at_fault(), failures=failures)
                return True
            own = self._match_id, self._attempt, len(self.moves)
            if state.is_chance:
                code = state.draw(self._number())
                fact = facts.ChanceDrawn(*own, state.text_of(code), now_ms)
                self._append(fact)
                self._apply_chance(fact, code)
                continue
            fallen = next((seat for seat in plies.waits_for() if seat in plies.falls), None)
            if fallen is None:
                break
            code = drawn([(code, 1) for code in state.codes_for(fallen)], self._number())
            move, bank_ms = state.text_for(fallen, code), self.seats[fallen].bank_ms
            self._record(facts.MoveMade(*own, fallen, "", move, bank_ms, "", now_ms))
        self._tell_falls(now_ms)
        self._ask_movers(now_ms)
        return False

    def _number(self) -> int:
        """Return the random number for the next draw."""
        return number_of(self.terms.chance_seed, self._match_id, self._attempt, self._plies.draws)

    def refuse_stray(self, seat: int, turn_id: str, now_ms: int, frame: str) -> None:
        """Reject a move that answers no open turn. This is not a fault."""
        if turn_id in self.seats[seat].accepted:
            code, message = Rejection.ALREADY_PLAYED, "this turn was answered already; the move counted"
        elif self.seats[seat].turn is not None:
            code, message = Rejection.STALE_TURN, "answer the newest turn of this match, with its turn_id"
        else:
            code, message = Rejection.NOT_YOUR_TURN, "wait for your turn in this match"
        self._reject(seat, turn_id, code, message, now_ms, frame)

    def _refuse_fault(self, seat: int, turn: OpenTurn, code: Rejection, message: str, now_ms: int, frame: str) -> None:
        """Refuse an illegal or unreadable move.

        The seat loses if it has no retry left; otherwise the turn and its clock go on.
        """
        left = self.seats[seat].retries_left
        if left > 0:
            self._record(facts.MoveRefused(self._match_id, self._attempt, seat, left - 1, now_ms))
            self._reject(seat, turn.turn_id, code, message, now_ms, frame)
            return
        self._reject(seat, turn.turn_id, code, message, now_ms, frame, lost=True)
        reason = f"{self.terms.seats[seat]} sent a move that does not count"
        if self.plies is None or not self.plies.hides:  # the message may tell the seat's secrets, the reason is public
            reason += f": {message}"
        self.forfeit(seat, Termination.ILLEGAL_MOVE, reason, now_ms)

    def _reject(
        self, seat: int, turn_id: str, code: Rejection, message: str, now_ms: int, frame: str, *, lost: bool = False
    ) -> None:
        self._see(seat, "bot", frame, now_ms)
        is_due = not lost and self.seats[seat].turn is not None
        rejected = say.Rejected(
            match=self._match_id,
            turn_id=turn_id,
            code=code,
            message=message,
            your_turn=is_due,
            remaining_ms=self._remaining_ms(seat, now_ms) if is_due else None,
        )
        self._send(seat, now_ms, rejected)

    # --- time and the end ---

    def void_if_stalled(self, now_ms: int) -> bool:
        """End the attempt as void if more time was excused than the server allows. Return true if the attempt is void.

        Time excused for an open turn does not count. Time excused for an answer does not count, either, if the kernel
        has measured how long the answer waited: nobody thinks while an answer waits to be read. If such times counted,
        a bot that is about to lose could make the match void by making the server late. The log does not show which
        answers the kernel measured. So after a restart, the excused times of all earlier answers count.
        """
        excused_ms, most_ms = self._counted_excused_ms, self._bounds.excused_ms
        if excused_ms <= most_ms:
            return False
        reason = f"the server was late by {excused_ms} ms while bots thought; it may be {most_ms}"
        self._end(None, now_ms, reason=reason, stalled=True)
        return True

    def _verdict(self, now_ms: int) -> tuple[int, Termination, str] | None:
        """Return the seat that has lost by time, with termination and reason; None without such a seat.

        A clock that has run out is judged before any away budget. If several away budgets have run out, the budget that
        ran out first is judged first.
        """
        if self.over is not None:
            return None
        for seat, own in enumerate(self.seats):
            turn = own.turn
            if turn is not None and not turn.held and now_ms >= turn.deadline_ms + self._excused_ms(seat, now_ms):
                allowed_ms = turn.deadline_ms - turn.asked_at_ms
                reason = f"{self.terms.seats[seat]} did not move within {allowed_ms} ms (ply {len(self.moves)})"
                return seat, Termination.TIMEOUT, reason
        gone = [
            (self._away_until_ms(own), seat)
            for seat, own in enumerate(self.seats)
            if own.away_since_ms is not None and not own.is_out and self._away_until_ms(own) <= now_ms
        ]
        if not gone:
            return None
        seat = min(gone)[1]
        reason = f"{self.terms.seats[seat]} was away for more than its {self.terms.away_ms} ms"
        return seat, Termination.DISCONNECT, reason

    def _loss(self, seat: int, termination: Termination, reason: str) -> Outcome:
        winner = next(index for index in range(len(self.seats)) if index != seat)
        return Outcome.win(winner, reason, termination=termination, seats=len(self.seats))

    def _end(
        self,
        outcome: Outcome | None,
        now_ms: int,
        at_fault: tuple[int, ...] = (),
        reason: str = "",
        *,
        stalled: bool = False,
        failures: Mapping[int, str] = NO_FAILURES,
    ) -> None:
        told: list[int] = []
        excused_ms: list[int] = []
        drops: list[int] = []
        for seat, own in enumerate(self.seats):
            if own.away_since_ms is None:
                told.append(seat)
            excused_ms.append(own.excused_ms)
            drops.append(own.drops)
            if own.turn is not None:
                excused_ms[-1] += self._excused_ms(seat, now_ms)
        over = facts.MatchOver(  # arguments by position are cheaper
            self._match_id,
            self._attempt,
            self.terms.seats,
            None if outcome is None else outcome.scores,
            Termination.ABORTED if outcome is None else outcome.termination,
            reason if outcome is None else outcome.reason,
            at_fault,
            tuple(self.moves),
            now_ms,
            _the_one(tuple(told)),
            _the_one(tuple(excused_ms)),
            _the_one(tuple(drops)),
            stalled,
            self._informed,
            self.terms.at_ms,
            None if self.plies is None else self._placement(outcome),
            self.terms.absent,
            tuple([failures.get(seat, "") for seat in range(len(self.seats))]) if any(failures.values()) else (),
            self.terms.versions,
        )
        driver = self._driver
        driver.record(over)
        self._apply_over(over)
        frame = frame_of_over(over, self.state)
        for seat in told:
            driver.end(seat, frame)

    def _placement(self, outcome: Outcome | None) -> facts.Placement:
        falls = tuple([(seat, fall.ply, fall.termination) for seat, fall in sorted(self._plies.falls.items())])
        if outcome is None:
            return facts.Placement(None, None, falls, self.terms.chance_seed)
        places = outcome.places or places_of([-score for score in outcome.scores])
        return facts.Placement(places, outcome.payoffs, falls, self.terms.chance_seed)


@lru_cache(256)
def _the_one(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same object for equal tuples, to save memory. Results stay in memory, and most tuples are equal."""
    return numbers
