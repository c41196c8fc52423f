"""The progress of a match: moves, banks, budgets, open turns, and the outcome. No I/O.

The same facts change the progress in play, and after a restart when the log is read. Both lead to the same state. Some
values are in no fact, because they belong to the running process and the present connections:

- the properties of a connection: `SeatState.use_connection`, `SeatState.set_lag`;
- the clock of a turn whose frame waits in the server: `Progress.stop_clock`, `Progress.start_clock`;
- the measured wait of an answer: `OpenTurn.excuse_wait`;
- the end of a grace: `Progress.give_grace`;
- which excused times count toward a void match: `Progress.apply_move`, `Progress.apply_answer`.

Pages and the feed only read a progress, by the functions of `public_view.py`. All times are in ms.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple, assert_never

from rumble_engine import State

from rumble_server.match import facts
from rumble_server.match.clock import FastControl, Lateness, remaining_ms
from rumble_server.match.plies import Plies
from rumble_server.match.seat import OpenTurn, SeatState

NO_TURN_ID = ""
"""Turn id of an open turn whose bot is away: the clock runs although the bot was not asked."""
INFO = '"info"'
"""Text that occurs in every frame with an `info`, and in few other frames."""


class Clocks(NamedTuple):
    """Time in ms that each seat had for a move at the time `at_ms`."""

    at_ms: int
    seats_ms: tuple[int, ...]


class Progress:
    """The progress of a match, and the times at which its clocks run out."""

    def __init__(
        self, terms: facts.MatchStarted, control: FastControl, lateness: Lateness, grace_until_ms: int
    ) -> None:
        self.terms = terms
        self.control = control
        self.lateness = lateness
        self.plies = Plies(terms) if terms.chance_seed else None
        """The object that makes the plies from answers, falls and chance; None in a plain match."""
        self.moves: list[str] = list(terms.moves) if self.plies is None else self.plies.moves
        self.state: State = terms.opening_state() if self.plies is None else self.plies.state
        first = control.bank_ms, terms.away_ms, terms.illegal_retries, terms.at_ms
        self.seats = [SeatState(*first) for _ in terms.seats]
        self.deadline_ms = 0
        """Earliest deadline among the turns for the present ply; 0 if no turn was asked yet."""
        self.over: facts.MatchOver | None = None
        self.away_clock_runs = terms.away_clock == "runs"
        self.excused_toward_void_ms = 0
        """Sum in ms of the attempt's excused times, without open turns. If the sum is too great, the match is void.

        If several seats think about the same ply, only the largest time counts, because the same lateness excuses them
        all.
        """
        self.grace_until_ms = grace_until_ms
        """End of the newest grace. No away budget and no clock of an absent bot runs before this time."""
        self.has_info = False
        """False if no frame of a bot in the log of the attempt has an `info`."""
        self.clocks_when_asked: Clocks | None = None
        """Clocks at the time at which turns were asked for the present ply; None in a plain match."""

    # --- facts ---

    def apply(self, fact: facts.MatchFact) -> None:
        """Apply a fact.

        In play, moves, turns and chance are applied by the methods below instead of this method, to save time.
        """
        plies = self.plies
        match fact:
            case facts.MoveMade() if plies is not None and fact.turn_id:
                self.apply_answer(plies, fact, self.state.code_for(fact.seat, fact.move))
            case facts.MoveMade() | facts.ChanceDrawn() | facts.SeatFell() if plies is not None:
                if isinstance(fact, facts.SeatFell):
                    seat_state = self.seats[fact.seat]
                    seat_state.turn, seat_state.is_out = None, True
                    seat_state.excused_sum_ms += fact.excused_ms
                if plies.apply(fact):
                    self._adopt_newest_position(plies, fact.at_ms)
            case facts.MoveMade():
                self.apply_move(self.seats[fact.seat], fact, self.state.play(fact.move))
                if (turn := fact.asked) is not None:
                    self.apply(turn)
            case facts.StartTold():
                self._close_unanswered_turn(fact)
                for seat_state in self.seats if fact.all_seats else (self.seats[fact.seat],):
                    seat_state.away_since_ms = None
            case facts.MatchOver():
                self.over = fact
                self.deadline_ms = 0
                for seat_state in self.seats:
                    seat_state.turn = None
            case facts.TurnAsked():
                self.apply_turn(self.seats[fact.seat], fact.turn_id, fact.remaining_ms, fact.lag_ms, fact.at_ms)
            case facts.TurnsAsked():
                self.apply_turns(fact, fact.turns())
            case facts.MoveRefused():
                self.seats[fact.seat].retries_left = fact.retries_left
            case facts.SeatAway():
                seat_state = self.seats[fact.seat]
                seat_state.drops += fact.on_turn
                if not self.away_clock_runs or not fact.on_turn:
                    self._close_unanswered_turn(fact)
                seat_state.away_left_ms = fact.away_left_ms
                seat_state.away_since_ms = fact.at_ms
                seat_state.late_ms_when_away = self.lateness.late_ms
                self.run_clocks_of_away(fact.at_ms)
            case facts.SeatBack():
                self.seats[fact.seat].away_left_ms = fact.away_left_ms
                self.seats[fact.seat].away_since_ms = None
            case facts.FrameSeen():
                if fact.sender == "bot" and INFO in fact.frame:
                    self.has_info = True
            case facts.MatchStarted() | facts.FrameShared() | facts.ChanceDrawn() | facts.SeatFell():
                pass  # a plain match has no chance and no falls
            case _:
                assert_never(fact)

    def apply_move(
        self, seat_state: SeatState, move_fact: facts.MoveMade, state: State | None, counts_toward_void: bool = True
    ) -> None:
        """Close a seat's turn, which a move answers, and go to `state`. The caller has computed `state`.

        `state` is None in a match that is not plain: there `plies` makes the ply when all seats have moved. If
        `counts_toward_void` is true, the excused time is added to the sum that may make the match void.
        """
        seat_state.bank_ms = move_fact.bank_ms
        seat_state.answered_turn_ids.append(move_fact.turn_id)
        if move_fact.excused_ms:
            self._add_excused_time(move_fact, counts_toward_void)
        seat_state.turn = None
        seat_state.earlier_thinking_ms = 0
        if INFO in move_fact.frame:
            self.has_info = True
        if state is not None:
            self.state = state
            self.moves.append(move_fact.move)
            self.deadline_ms = 0
            if self.away_clock_runs:  # `run_clocks_of_away` makes the same test. This test saves the call.
                self.run_clocks_of_away(move_fact.at_ms)

    def apply_turn(self, seat_state: SeatState, turn_id: str, left_ms: int, lag_ms: int, at_ms: int) -> None:
        """Open a turn for a seat that has `left_ms` for its move."""
        deadline_ms = at_ms + left_ms + lag_ms
        seat_state.turn = OpenTurn(
            turn_id, at_ms, seat_state.earlier_thinking_ms, lag_ms, deadline_ms, self.lateness.late_ms
        )
        self.deadline_ms = deadline_ms
        if lag_ms:
            seat_state.allowed_lag_ms += lag_ms

    def _close_unanswered_turn(self, fact: facts.StartTold | facts.SeatAway) -> None:
        """End the open turn of a seat, if any, without an answer.

        The thinking time so far counts in the seat's next turn.
        """
        self._add_excused_time(fact)
        seat_state = self.seats[fact.seat]
        if seat_state.turn is not None:
            seat_state.earlier_thinking_ms = seat_state.turn.unanswered_ms(fact.at_ms, fact.excused_ms)
            seat_state.turn = None

    def _add_excused_time(
        self, fact: facts.StartTold | facts.SeatAway | facts.MoveMade, counts_toward_void: bool = True
    ) -> None:
        seat_state = self.seats[fact.seat]
        seat_state.excused_sum_ms += fact.excused_ms
        if not counts_toward_void:
            return
        if self.plies is None:
            self.excused_toward_void_ms += fact.excused_ms
            return
        before_ms = max([each.excused_in_ply_ms for each in self.seats])
        seat_state.excused_in_ply_ms += fact.excused_ms
        self.excused_toward_void_ms += max(0, seat_state.excused_in_ply_ms - before_ms)

    # --- matches that are not plain ---

    def apply_turns(self, fact: facts.TurnsAsked, turns: Iterable[facts.TurnAsked]) -> None:
        """Open the turns for a ply. `turns` are the turns of the fact."""
        # If several seats move, spectators' clocks stay the same when a seat is asked again. Otherwise spectators would
        # learn that the seat has not answered.
        if self.clocks_when_asked is None or len(self.state.movers) == 1:
            self.clocks_when_asked = Clocks(fact.at_ms, fact.seats_ms)
        for turn in turns:
            self.apply_turn(self.seats[turn.seat], turn.turn_id, turn.remaining_ms, turn.lag_ms, turn.at_ms)
        self.deadline_ms = min(
            [seat_state.turn.deadline_ms for seat_state in self.seats if seat_state.turn is not None]
        )

    def apply_answer(
        self, plies: Plies, move_fact: facts.MoveMade, code: int, *, counts_toward_void: bool = True
    ) -> bool:
        """Store the answer of a seat, a move with the code `code`.

        Return true if the answer has completed the ply.
        """
        self.apply_move(self.seats[move_fact.seat], move_fact, None, counts_toward_void)
        is_made = plies.apply_answer(move_fact, code)
        if is_made:
            self._adopt_newest_position(plies, move_fact.at_ms)
        return is_made

    def apply_chance(self, plies: Plies, drawn: facts.ChanceDrawn, code: int) -> None:
        """Make the ply of an outcome of chance. `code` is the code of the outcome."""
        plies.apply_chance(drawn, code)
        self._adopt_newest_position(plies, drawn.at_ms)

    def _adopt_newest_position(self, plies: Plies, at_ms: int) -> None:
        """Go to the newest position of `plies`, after `plies` has made one or several plies."""
        self.state = plies.state
        self.deadline_ms = 0
        self.clocks_when_asked = None
        for seat_state in self.seats:
            seat_state.excused_in_ply_ms = seat_state.earlier_thinking_ms = 0
        if self.terms.spectator_delay_ms:
            plies.queue_for_spectators(at_ms, self.times_left_ms(at_ms))
        for seat in self.state.finished:
            self.seats[seat].is_out = True
        self.run_clocks_of_away(at_ms)

    def awaited_seats(self) -> Collection[int]:
        """Return the seats whose moves the next ply still needs."""
        if self.plies is not None:
            return self.plies.awaited_seats()
        return () if self.state.outcome is not None else (self.state.to_move,)

    def run_clocks_of_away(self, at_ms: int) -> None:
        """Start the clock of each seat that has to move while its bot is away, if the rule `away_clock` is `runs`.

        The clocks start at `at_ms`, or at the end of a grace if the grace ends later.
        """
        if not self.away_clock_runs:
            return
        for seat in self.awaited_seats():
            seat_state = self.seats[seat]
            if seat_state.is_awaited_back and seat_state.turn is None:
                from_ms = max(at_ms, self.grace_until_ms)
                deadline_ms = from_ms + remaining_ms(self.control, seat_state.bank_ms, seat_state.earlier_thinking_ms)
                seat_state.turn = OpenTurn(
                    NO_TURN_ID, from_ms, seat_state.earlier_thinking_ms, 0, deadline_ms, self.lateness.late_ms
                )

    # --- changes without a fact, which belong to the running process ---

    def go_on_without_bots(self, now_ms: int) -> None:
        """Go on after a restart of the server: no bot is connected, and no time was used for the present ply."""
        for seat_state in self.seats:
            seat_state.turn, seat_state.earlier_thinking_ms = None, 0
            seat_state.away_since_ms = now_ms
            seat_state.late_ms_when_away = self.lateness.late_ms

    def give_grace(self, now_ms: int, until_ms: int) -> None:
        """Stop the away budgets and the clocks of absent bots until `until_ms`.

        Time that was used before `now_ms` is not given back.
        """
        for seat, seat_state in enumerate(self.seats):
            if seat_state.away_since_ms is None:
                continue
            seat_state.away_left_ms = self.away_left_ms(seat_state, now_ms)
            seat_state.late_ms_when_away = self.lateness.late_ms
            if seat_state.turn is not None:
                seat_state.earlier_thinking_ms = seat_state.turn.unanswered_ms(now_ms, self.excused_ms(seat, now_ms))
                seat_state.turn = None
        self.grace_until_ms = until_ms
        self.run_clocks_of_away(now_ms)

    def stop_clock(self, seat: int, turn_id: str) -> None:
        """Stop the clock of a turn whose frame has to wait in the server. `start_clock` starts the clock again."""
        turn = self.seats[seat].turn
        if turn is not None and turn.turn_id == turn_id:
            turn.is_stopped = True

    def start_clock(self, seat: int, turn_id: str, now_ms: int) -> None:
        """Start the clock of a turn whose frame has waited in the server, and has been sent now."""
        turn = self.seats[seat].turn
        if turn is not None and turn.turn_id == turn_id and turn.is_stopped:
            turn.deadline_ms += now_ms - turn.asked_at_ms
            turn.asked_at_ms = now_ms
            turn.late_ms_when_asked = self.lateness.late_ms
            turn.is_stopped = False

    # --- times ---

    @property
    def wake_at_ms(self) -> int | None:
        """Earliest time at which a clock or an away budget may run out; None if none is running.

        The server's lateness so far is included. Further lateness can only make the true time later. So a timer may
        fire too early, but never too late.
        """
        if self.over is not None:
            return None
        late_ms, turns = self.lateness.late_ms, [seat_state.turn for seat_state in self.seats]
        times_ms = [turn.until_ms(late_ms) for turn in turns if turn is not None and not turn.is_stopped]
        times_ms += [self.away_until_ms(seat_state) for seat_state in self.seats if seat_state.is_awaited_back]
        return min(times_ms, default=None)

    def times_left_ms(self, now_ms: int) -> tuple[int, ...]:
        """Return the time in ms, including the bank, that each seat has left at `now_ms` for its open or next turn."""
        return tuple([self.time_left_ms(seat, now_ms) for seat in range(len(self.seats))])

    def time_left_ms(self, seat: int, now_ms: int) -> int:
        """Return the time in ms that a seat has left for its open turn; without an open turn, for its next move."""
        seat_state = self.seats[seat]
        thought_ms = (
            seat_state.earlier_thinking_ms
            if seat_state.turn is None
            else seat_state.turn.thought_ms(now_ms, self.excused_ms(seat, now_ms))
        )
        return remaining_ms(self.control, seat_state.bank_ms, thought_ms)

    def excused_ms(self, seat: int, now_ms: int) -> int:
        """Return the excused time in ms of the seat's open turn so far; 0 without an open turn."""
        turn = self.seats[seat].turn
        return 0 if turn is None else turn.excused_ms(now_ms, self.lateness.late_ms)

    def away_left_ms(self, seat_state: SeatState, now_ms: int) -> int:
        """Return the rest of the away budget of a seat whose bot is away."""
        return min(seat_state.away_left_ms, max(0, self.away_until_ms(seat_state) - now_ms))

    def away_until_ms(self, seat_state: SeatState) -> int:
        """Return the time in ms of server time at which the away budget of a seat whose bot is away is used up."""
        late_ms = self.lateness.late_ms - seat_state.late_ms_when_away
        return max(seat_state.away_since_ms or 0, self.grace_until_ms) + seat_state.away_left_ms + late_ms
