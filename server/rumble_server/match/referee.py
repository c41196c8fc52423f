"""The referee of a match. It does no I/O, and has no clock of its own.

All rules about time, faults and the order of play are here. The driver (`arena/matches.py`) calls a method for each
event, and `wake` at the time `wake_at_ms` of the progress. `announcer.py` records facts and sends frames. `progress.py`
has the state.

All times are in ms. A turn's clock runs after the turn was sent, but only while the bot is connected. If `away_clock`
is `runs`, the clock also runs while the bot is away. `away_left_ms` is a separate budget of each seat for the match,
which runs while the bot is not connected. Clocks and budgets stop while the server is late. This time is excused, and
recorded if a clock was running.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from rumble_engine import IllegalMove, MoveError, Outcome, Termination, UnreadableMove, drawn, get_game
from rumble_engine.errors import LONGEST_MOVE
from rumble_protocol.codes import NoticeCode, Rejection

from rumble_server.limits.bounds import Bounds
from rumble_server.match import facts
from rumble_server.match.announcer import Announcer, RefereeDriver
from rumble_server.match.clock import bank_after_ms
from rumble_server.match.draws import random_number_of
from rumble_server.match.kept_frame import SURELY_SHORT
from rumble_server.match.plies import Plies
from rumble_server.match.progress import NO_TURN_ID, Progress
from rumble_server.match.rebuild import RebuiltMatch
from rumble_server.match.seat import MeasureWait, OpenTurn, SeatConnection, SeatState

NO_FAILURES: Mapping[int, str] = {}
"""The empty mapping from seats to errors of bots, for a match in which no bot crashed."""


class Referee:
    """The referee of a match, which judges moves, time and faults."""

    def __init__(
        self, progress: Progress, driver: RefereeDriver, new_turn_id: Callable[[], str], bounds: Bounds
    ) -> None:
        self.progress = progress
        self._announcer = Announcer(progress, driver, new_turn_id, bounds)
        self._lateness = progress.lateness
        self._most_excused_ms = bounds.excused_ms
        self._ids = progress.terms.match, progress.terms.attempt
        """The first two fields of each fact."""

    # --- events ---

    def go_on(self, rebuilt: RebuiltMatch, now_ms: int) -> None:
        """Go on with `rebuilt`, a match that was running when the server stopped. No bot is connected.

        Every bot thinks about the present ply anew. Away budgets go on from the log, but neither they nor the clocks of
        absent bots run before `grace_until_ms`. If the log ends between the last move and the end of the match, the
        match ends now. If plies are missing in the log, the match is void. If the game's code failed at a fact, raise
        the error.
        """
        progress = self.progress
        progress.go_on_without_bots(now_ms)
        if rebuilt.error is not None:
            raise rebuilt.error
        if not rebuilt.is_whole:
            self.abort("the server lost moves of this match; nobody is blamed", now_ms)
        elif progress.over is None and not self._void_if_stalled(now_ms):
            progress.run_clocks_of_away(now_ms)
            self._advance(now_ms)

    def start(self, connections: Iterable[SeatConnection], now_ms: int) -> None:
        """Begin the match: send `match_start` to all bots, and ask for the first ply. All bots must be connected."""
        for seat_state, connection in zip(self.progress.seats, connections, strict=True):
            seat_state.use_connection(connection)
        self._announcer.start(facts.StartTold(*self._ids, 0, False, now_ms, 0, True))
        self._advance(now_ms)

    def connect(self, seat: int, connection: SeatConnection, now_ms: int) -> None:
        """Send `match_start` to a bot that has connected (again), and then its turn if it has to move."""
        progress = self.progress
        if progress.over is not None:
            return
        seat_state = progress.seats[seat]
        excused_ms = self._excused_without_answer_ms(seat, now_ms)
        if seat_state.away_since_ms is not None:
            left_ms = progress.away_left_ms(seat_state, now_ms)
            self._announcer.record(facts.SeatBack(*self._ids, seat, left_ms, now_ms))
        seat_state.use_connection(connection)
        self._announcer.start(facts.StartTold(*self._ids, seat, True, now_ms, excused_ms))
        if not self._void_if_stalled(now_ms):
            self._advance(now_ms)

    def disconnect(self, seat: int, now_ms: int) -> None:
        """Handle the end of a bot's connection: start the seat's away budget, and tell the other seats.

        The seat's clock stops, unless the rule `away_clock` lets it run.
        """
        progress = self.progress
        seat_state = progress.seats[seat]
        if progress.over is not None or seat_state.away_since_ms is not None:
            return
        is_running = seat_state.turn is not None and not seat_state.turn.is_stopped
        on_turn = is_running and now_ms >= progress.grace_until_ms
        excused_ms = 0 if progress.away_clock_runs and on_turn else self._excused_without_answer_ms(seat, now_ms)
        self._announcer.record(facts.SeatAway(*self._ids, seat, seat_state.away_left_ms, now_ms, excused_ms, on_turn))
        if not (self._void_if_stalled(now_ms) or seat_state.is_out):
            text = f"{progress.terms.seats[seat]} is away; it has {seat_state.away_left_ms} ms to come back"
            self._announcer.notify_others(seat, NoticeCode.OPPONENT_AWAY, text, now_ms)

    def _excused_without_answer_ms(self, seat: int, now_ms: int) -> int:
        """Return the excused time in ms of the open turn of a seat whose connection has ended or is replaced.

        If the kernel measures exactly how long an answer to the turn waits (`_is_wait_measured`), only lateness during
        the bot's absence is excused: a new login of the bot was not read meanwhile. Otherwise a bot could think while
        the server is late, and gain time by connecting again.
        """
        seat_state = self.progress.seats[seat]
        excused_ms = self.progress.excused_ms(seat, now_ms)
        if seat_state.turn is None or not self._is_wait_measured(seat_state, seat_state.turn):
            return excused_ms
        if seat_state.away_since_ms is None:
            return 0
        return min(excused_ms, self._lateness.late_ms - seat_state.late_ms_when_away)

    def _is_wait_measured(self, seat_state: SeatState, turn: OpenTurn) -> bool:
        """Return true if the kernel measures exactly how long an answer to this turn waits to be read.

        Return false for a turn from before a suspension, for a turn that was not sent, and if the wait of the turn's
        last answer is known only as a minimum.
        """
        is_asked = turn.turn_id != NO_TURN_ID and turn.asked_at_ms >= self._lateness.suspended_until_ms
        return is_asked and not turn.is_wait_inexact and seat_state.is_stamped

    def move(
        self, seat: int, turn_id: str, text: str, now_ms: int, frame: str, measure_wait: MeasureWait | None = None
    ) -> bool:
        """Judge a move. `frame` is the whole message. Return true if the move answered an open turn.

        `measure_wait` returns how long the turn and its answer waited in this machine. The function is called only
        where needed: if the answer uses the bank or is too late, or if much time is excused.
        """
        progress = self.progress
        seat_state = progress.seats[seat]
        turn, plies, control = seat_state.turn, progress.plies, progress.control
        if turn is None or turn.turn_id != turn_id:
            self._announcer.record_frame(seat, "bot", frame, now_ms)
            self._reject_unexpected_move(seat, turn_id, now_ms)
            return False
        late_ms = self._lateness.late_ms
        is_slow = late_ms != turn.late_ms_when_asked or now_ms - turn.asked_at_ms > control.move_ms
        if is_slow and measure_wait is not None and turn.excuse_wait(control, self._lateness, measure_wait, now_ms):
            self._announcer.record_frame(seat, "bot", frame, now_ms, progress.excused_ms(seat, now_ms))
            self.forfeit(*self._timeout_verdict(seat, turn), now_ms)
            if progress.over is None:
                self._reject_unexpected_move(seat, turn_id, now_ms)
            return False
        try:
            if len(text) > LONGEST_MOVE:
                raise UnreadableMove("a move is never that long")
            state = progress.state
            code = state.code_of(text) if plies is None else state.code_for(seat, text)
        except MoveError as error:
            fault = Rejection.ILLEGAL_MOVE if isinstance(error, IllegalMove) else Rejection.BAD_MOVE
            self._on_invalid_move(seat, turn, fault, str(error), now_ms, frame)
            return True
        excused_ms = 0 if late_ms == turn.late_ms_when_asked else turn.excused_ms(now_ms, late_ms)
        # A move after the deadline still counts if the timer has not come to its verdict: excuse the rest.
        if now_ms > turn.deadline_ms + excused_ms and not turn.is_stopped:
            excused_ms = now_ms - turn.deadline_ms
        bank_ms = 0
        if control.has_bank:
            bank_ms = bank_after_ms(control, seat_state.bank_ms, turn.thought_ms(now_ms, excused_ms))
        if len(frame) > SURELY_SHORT:
            self._announcer.record_frame(seat, "bot", frame, now_ms, excused_ms)
            frame = ""
        terms = progress.terms
        move_fact = facts.MoveMade(
            terms.match, terms.attempt, len(progress.moves), seat, turn_id, text, bank_ms, frame, now_ms, excused_ms
        )
        counts_toward_void = not excused_ms or not self._is_wait_measured(seat_state, turn)
        if plies is not None:
            self._record_answer(plies, move_fact, code, counts_toward_void)
            return True
        # The ply of a plain match is made here, because a further call costs time. The move is applied before its fact
        # is appended, because the fact also has the next turn, which is made from the new position.
        try:
            state = state.after(code)
            progress.apply_move(seat_state, move_fact, state, counts_toward_void)
            outcome = state.outcome
            is_stalled = excused_ms > 0 and progress.excused_toward_void_ms > self._most_excused_ms
            if outcome is None and not is_stalled:
                self._announcer.ask(now_ms, move_fact)
        finally:
            if not move_fact.next_turn_id:  # no turn was asked with the move, or the game's own code has failed
                self._announcer.append(move_fact)
        if is_stalled:
            self._void_if_stalled(now_ms)
        elif outcome is not None:
            self._end(outcome, now_ms)
        return True

    def on_invalid_answer(self, seat: int, turn_id: str, problem: str, now_ms: int, frame: str) -> bool:
        """Judge an answer that is not a valid message. If the turn is open, the answer counts as a bad move.

        Return true if the answer was for an open turn.
        """
        turn = self.progress.seats[seat].turn
        if turn is None or turn.turn_id != turn_id:
            return False
        self._on_invalid_move(seat, turn, Rejection.BAD_MOVE, problem, now_ms, frame)
        return True

    def resign(self, seat: int, now_ms: int, frame: str, failure: str | None = None) -> None:
        """Make the seat lose because its bot resigned, or crashed with the error `failure`."""
        self._announcer.record_frame(seat, "bot", frame, now_ms, self.progress.excused_ms(seat, now_ms))
        termination, verb = (
            (Termination.RESIGNATION, "resigned") if failure is None else (Termination.CRASHED, "crashed")
        )
        self.forfeit(seat, termination, f"{self.progress.terms.seats[seat]} {verb}", now_ms, failure or "")

    def forfeit(self, seat: int, termination: Termination, reason: str, now_ms: int, failure: str = "") -> None:
        """Make the seat lose for a reason outside the board. After a resignation, no seat counts as at fault.

        A plain match ends. In any other match the seat falls out, if it has not fallen out before.
        """
        if self.progress.over is not None:
            return
        if self.progress.plies is not None:
            self._fall(seat, termination, reason, now_ms, failure)
        else:
            at_fault = () if termination is Termination.RESIGNATION else (seat,)
            self._end(
                Outcome.win(1 - seat, reason, termination=termination), now_ms, at_fault, failures={seat: failure}
            )

    def abort(self, reason: str, now_ms: int) -> None:
        """End the match as void: nobody is at fault, and there is no result."""
        if self.progress.over is None:
            self._end(None, now_ms, reason=reason)

    def wake(self, now_ms: int, due_ms: int) -> None:
        """Forfeit each seat whose clock or away budget ran out by `due_ms`.

        Before the call, the driver must pass on all frames received by `due_ms`, because an answer in time may be among
        them.
        """
        while (verdict := self._verdict(due_ms)) is not None:
            self.forfeit(*verdict, now_ms)

    def _advance(self, now_ms: int) -> None:
        """Ask each connected bot that has to move and has no open turn, or end the match if the match is decided.

        In a match that is not plain, first make plies that need no bot.
        """
        progress = self.progress
        plies = progress.plies
        if plies is None:
            if progress.state.outcome is None:
                self._announcer.ask(now_ms)
            else:
                self._end(progress.state.outcome, now_ms)
            return
        outcome = self._make_plies(plies, now_ms)
        if outcome is not None:
            failures = {seat: fall.failure for seat, fall in plies.falls.items()}
            self._end(outcome, now_ms, plies.at_fault(), failures=failures)
            return
        self._announcer.announce_falls(plies, now_ms)
        self._announcer.ask_movers(plies, now_ms)

    # --- matches that are not plain ---

    def _record_answer(self, plies: Plies, move_fact: facts.MoveMade, code: int, counts_toward_void: bool) -> None:
        """Record a seat's answer for the present ply. If the answer has completed the ply, call `_advance`.

        `code` is the code of the move. If `counts_toward_void` is true, the excused time may make the match void.
        """
        self._announcer.append(move_fact)
        is_made = self.progress.apply_answer(plies, move_fact, code, counts_toward_void=counts_toward_void)
        if not self._void_if_stalled(move_fact.at_ms) and is_made:
            self._advance(move_fact.at_ms)

    def _fall(self, seat: int, termination: Termination, reason: str, now_ms: int, failure: str) -> None:
        progress = self.progress
        seat_state = progress.seats[seat]
        if seat_state.is_out:
            return
        ply, excused_ms = len(progress.moves), progress.excused_ms(seat, now_ms)
        self._announcer.record(facts.SeatFell(*self._ids, ply, seat, termination, reason, now_ms, excused_ms, failure))
        if seat_state.away_since_ms is None:
            text = f"you fell out ({reason}); match_over tells the end"
            self._announcer.notify(seat, seat, NoticeCode.SEAT_FELL, text, now_ms)
        self._advance(now_ms)

    def _make_plies(self, plies: Plies, now_ms: int) -> Outcome | None:
        """Make plies that need no bot. Return the outcome if the match is then decided."""
        while (outcome := plies.outcome()) is None:
            state, ply = plies.state, (*self._ids, len(plies.moves))
            if state.is_chance:
                code = state.draw(self._random_number(plies))
                fact = facts.ChanceDrawn(*ply, state.text_of(code), now_ms)
                self._announcer.append(fact)
                self.progress.apply_chance(plies, fact, code)
                continue
            fallen = next((seat for seat in plies.awaited_seats() if seat in plies.falls), None)
            if fallen is None:
                break
            code = drawn([(code, 1) for code in state.codes_for(fallen)], self._random_number(plies))
            move, bank_ms = state.text_for(fallen, code), self.progress.seats[fallen].bank_ms
            self._announcer.record(facts.MoveMade(*ply, fallen, "", move, bank_ms, "", now_ms))
        return outcome

    def _random_number(self, plies: Plies) -> int:
        return random_number_of(self.progress.terms.chance_seed, *self._ids, plies.draw_count)

    # --- moves that do not count ---

    def _reject_unexpected_move(self, seat: int, turn_id: str, now_ms: int) -> None:
        """Reject a move that answers no open turn. This is not a fault."""
        seat_state = self.progress.seats[seat]
        if turn_id in seat_state.answered_turn_ids:
            code, message = Rejection.ALREADY_PLAYED, "this turn was answered already; the move counted"
        elif seat_state.turn is not None:
            code, message = Rejection.STALE_TURN, "answer the newest turn of this match, with its turn_id"
        else:
            code, message = Rejection.NOT_YOUR_TURN, "wait for your turn in this match"
        self._announcer.reject(seat, turn_id, code, message, now_ms)

    def _on_invalid_move(
        self, seat: int, turn: OpenTurn, code: Rejection, message: str, now_ms: int, frame: str
    ) -> None:
        """Refuse an illegal or unreadable move.

        The seat loses if it has no retry left; otherwise the turn and its clock go on.
        """
        progress = self.progress
        self._announcer.record_frame(seat, "bot", frame, now_ms)
        left = progress.seats[seat].retries_left
        if left > 0:
            self._announcer.record(facts.MoveRefused(*self._ids, seat, left - 1, now_ms))
            self._announcer.reject(seat, turn.turn_id, code, message, now_ms)
            return
        self._announcer.reject(seat, turn.turn_id, code, message, now_ms, lost=True)
        reason = f"{progress.terms.seats[seat]} sent a move that does not count"
        if not get_game(progress.terms.game).hides:  # the message may tell the seat's secrets
            reason += f": {message}"
        self.forfeit(seat, Termination.ILLEGAL_MOVE, reason, now_ms)

    # --- time and the end ---

    def _void_if_stalled(self, now_ms: int) -> bool:
        """End the attempt as void if more time was excused than the server allows. Return true if the attempt is void.

        Two kinds of excused time do not count: time of turns still open, and waits measured by the kernel. Otherwise a
        losing bot could slow the server down until the match is void. The log does not show which waits were measured.
        So after a restart, all earlier excused times count.
        """
        excused_ms, most_ms = self.progress.excused_toward_void_ms, self._most_excused_ms
        if excused_ms <= most_ms:
            return False
        reason = f"the server was late by {excused_ms} ms while bots thought; it may be {most_ms}"
        self._end(None, now_ms, reason=reason, stalled=True)
        return True

    def _verdict(self, due_ms: int) -> tuple[int, Termination, str] | None:
        """Return the seat that has lost by time at `due_ms`, with termination and reason; None without such a seat.

        A clock that has run out is judged before any away budget. If several away budgets have run out, the budget that
        ran out first is judged first.
        """
        progress = self.progress
        if progress.over is not None:
            return None
        for seat, seat_state in enumerate(progress.seats):
            turn = seat_state.turn
            if turn is None or turn.is_stopped:
                continue
            if due_ms >= turn.deadline_ms + turn.excused_ms(due_ms, self._lateness.late_ms):
                return self._timeout_verdict(seat, turn)
        away = [
            (progress.away_until_ms(each), seat) for seat, each in enumerate(progress.seats) if each.is_awaited_back
        ]
        if not away or min(away)[0] > due_ms:
            return None
        seat = min(away)[1]
        reason = f"{progress.terms.seats[seat]} was away for more than its {progress.terms.away_ms} ms"
        return seat, Termination.DISCONNECT, reason

    def _timeout_verdict(self, seat: int, turn: OpenTurn) -> tuple[int, Termination, str]:
        """Return the verdict about a seat that did not answer its turn in time: seat, termination and reason."""
        name, allowed_ms = self.progress.terms.seats[seat], turn.deadline_ms - turn.asked_at_ms
        reason = f"{name} did not move within {allowed_ms} ms (ply {len(self.progress.moves)})"
        return seat, Termination.TIMEOUT, reason

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
        progress = self.progress
        falls = () if progress.plies is None else progress.plies.all_falls()
        over = facts.MatchOver.of(progress.terms, outcome, tuple(progress.moves), now_ms, reason, falls)
        over.at_fault, over.stalled, over.informed = at_fault, stalled, progress.has_info
        seats = list(enumerate(progress.seats))
        over.connected = _interned(tuple([seat for seat, each in seats if each.away_since_ms is None]))
        over.seats_excused_ms = _interned(
            tuple([each.excused_sum_ms + progress.excused_ms(seat, now_ms) for seat, each in seats])
        )
        over.drops = _interned(tuple([each.drops for _, each in seats]))
        if any(failures.values()):
            over.failures = tuple([failures.get(seat, "") for seat, _ in seats])
        self._announcer.end(over)


@lru_cache(256)
def _interned(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same object for equal tuples, to save memory. Results stay in memory, and most tuples are equal."""
    return numbers
