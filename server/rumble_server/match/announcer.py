"""The announcer of a match: it records facts, and sends bots the frames that follow from the facts. No I/O.

Facts are appended before frames are sent, so the log has the order of events. The referee (`referee.py`) makes the
decisions.
"""

from collections.abc import Callable
from typing import Protocol

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import NoticeCode, Rejection
from rumble_protocol.fields import ServerMessageModel
from rumble_protocol.frames import turn_frame

from rumble_server.limits.bounds import Bounds
from rumble_server.match.clock import remaining_ms
from rumble_server.match.facts import MatchFact, MatchOver, MoveMade, StartTold, TurnAsked, TurnsAsked
from rumble_server.match.frames import frame_of_match_over, frame_of_turn_with_news, frames_of_start
from rumble_server.match.kept_frame import Sender, frame_seen
from rumble_server.match.plies import Plies
from rumble_server.match.progress import Progress
from rumble_server.match.seat import SeatState


class RefereeDriver(Protocol):
    """The port through which a referee appends facts and sends frames."""

    def append(self, fact: MatchFact) -> object:
        """Append to the log a fact that concerns only this match."""

    def record(self, over: MatchOver) -> None:
        """Append the end of the match to the log, and apply this fact to all other parts of the server."""

    def send_start(self, seat: int, frame: bytes) -> None:
        """Send the frame `match_start` to the bot of a seat."""

    def send(self, seat: int, frame: bytes) -> None:
        """Send a frame other than `match_start`, `turn` and `match_over` to the bot of a seat."""

    def ask(self, seat: int, frame: bytes, turn_id: str) -> None:
        """Send the frame `turn`.

        If the frame has to wait, call `stop_clock` of the progress, and call `start_clock` when the frame is sent.
        """

    def send_match_over(self, seat: int, frame: bytes) -> None:
        """Send the frame `match_over` after the facts recorded so far have reached the disk.

        If the bot is away, keep the frame for the bot.
        """


class Announcer:
    """The announcer of a match. Recorded facts change `progress`.

    `new_turn_id` returns an id that no other turn has, in this or any earlier run of the server.
    """

    def __init__(
        self, progress: Progress, driver: RefereeDriver, new_turn_id: Callable[[], str], bounds: Bounds
    ) -> None:
        self.append = driver.append
        """Function that appends a fact to the log. The caller applies the fact to the progress."""
        self._progress = progress
        self._driver = driver
        self._new_turn_id = new_turn_id
        self._bounds = bounds
        self._full_ms = (progress.control.full_ms,) * len(progress.seats)
        """For each seat, the time in ms for a move if the time control has no bank."""
        self._falls_announced = 0
        """Number of falls that the bots were told about so far."""

    def record(self, fact: MatchFact) -> None:
        """Append a fact to the log, and apply the fact to the progress."""
        self.append(fact)
        self._progress.apply(fact)

    def start(self, start: StartTold) -> None:
        """Record `start`, and send the frames `match_start` that follow from `start`."""
        self.record(start)
        for seat, frame in frames_of_start(start, self._progress.terms, self._progress.moves):
            self._driver.send_start(seat, frame)

    def end(self, over: MatchOver) -> None:
        """Record the end of the match, and send `match_over` to all bots."""
        self._driver.record(over)
        self._progress.apply(over)
        frame = frame_of_match_over(over, self._progress.state)
        for seat in range(len(over.seats)):
            self._driver.send_match_over(seat, frame)

    def record_frame(self, seat: int, sender: Sender, frame: str, now_ms: int, excused_ms: int = 0) -> None:
        """Record a frame that follows from no fact."""
        place = self._progress.terms.match, self._progress.terms.attempt, seat
        self.record(frame_seen(place, sender, frame, now_ms, self._bounds.kept_frame_bytes, excused_ms))

    def reject(
        self, seat: int, turn_id: str, code: Rejection, message: str, now_ms: int, *, lost: bool = False
    ) -> None:
        """Reject a bot's move. `lost` is true if the rejected move has lost the game."""
        match, is_due = self._progress.terms.match, not lost and self._progress.seats[seat].turn is not None
        left_ms = self._progress.time_left_ms(seat, now_ms) if is_due else None
        rejected = say.Rejected(
            match=match, turn_id=turn_id, code=code, message=message, your_turn=is_due, remaining_ms=left_ms
        )
        self._send(seat, now_ms, rejected)

    def notify(self, recipient: int, seat: int, code: NoticeCode, message: str, now_ms: int) -> None:
        """Send the bot of the seat `recipient` a notice about `seat`."""
        terms, about = self._progress.terms, None if self._progress.plies is None else seat
        notice = say.Notice(code=code, tournament=terms.tournament, match=terms.match, message=message, seat=about)
        self._send(recipient, now_ms, notice)

    def notify_others(self, seat: int, code: NoticeCode, message: str, now_ms: int) -> None:
        """Send a notice about a seat to each connected bot of another seat."""
        for other, seat_state in enumerate(self._progress.seats):
            if other != seat and seat_state.away_since_ms is None:
                self.notify(other, seat, code, message, now_ms)

    def _send(self, seat: int, now_ms: int, message: ServerMessageModel) -> None:
        frame = write_message(message)
        self.record_frame(seat, "server", frame.decode(), now_ms)
        self._driver.send(seat, frame)

    def ask(self, now_ms: int, move_fact: MoveMade | None = None) -> None:
        """Send a turn to the seat to move of a plain match, unless its bot is away or has an open turn.

        `move_fact` records a move that was just made, and is not in the log yet. The new turn is stored in `move_fact`,
        and then the fact is appended to the log: a single fact for both is cheaper.
        """
        progress = self._progress
        state = progress.state
        seat = state.to_move
        seat_state = progress.seats[seat]
        if seat_state.away_since_ms is not None or seat_state.turn is not None:
            return
        terms, control, moves = progress.terms, progress.control, progress.moves
        left_ms, seats_ms = control.full_ms, self._full_ms
        if control.has_bank or seat_state.earlier_thinking_ms:
            left_ms = remaining_ms(control, seat_state.bank_ms, seat_state.earlier_thinking_ms)
            each_ms = [control.move_ms + each.bank_ms for each in progress.seats]
            each_ms[seat] = left_ms
            seats_ms = tuple(each_ms)
        # `_lag_to_allow_ms` makes the same test. This test saves the call.
        lag_ms = self._lag_to_allow_ms(seat_state) if seat_state.lag_by_pings else seat_state.lag_ms
        match_id, attempt, ply = terms.match, terms.attempt, len(moves)
        turn_id, omit = self._new_turn_id(), seat_state.omit
        legal = None if "legal" in omit else state.legal_moves
        moves_shown, view = None if "moves" in omit else moves, state.view(seat)
        frame = turn_frame(
            match_id, attempt, turn_id, terms.game, ply, seat, view, legal, moves_shown, left_ms, seats_ms, lag_ms
        )
        if move_fact is None:
            self.append(TurnAsked(match_id, attempt, ply, seat, turn_id, left_ms, seats_ms, lag_ms, omit, now_ms))
        else:
            move_fact.next_turn_id, move_fact.next_seat = turn_id, seat
            move_fact.seats_ms, move_fact.lag_ms, move_fact.omit = seats_ms, lag_ms, omit
            self.append(move_fact)
        progress.apply_turn(seat_state, turn_id, left_ms, lag_ms, now_ms)
        self._driver.ask(seat, frame, turn_id)

    # --- matches that are not plain ---

    def announce_falls(self, plies: Plies, now_ms: int) -> None:
        """Tell the bots about falls in completed plies. Before a ply is complete, no other bot may know its falls."""
        names, falls = self._progress.terms.seats, list(plies.falls.items())
        for seat, fall in falls[self._falls_announced :]:
            if fall.ply == len(plies.moves):
                break
            self._falls_announced += 1
            self.notify_others(seat, NoticeCode.SEAT_FELL, f"{names[seat]} fell out: {fall.reason}", now_ms)

    def ask_movers(self, plies: Plies, now_ms: int) -> None:
        """Send a turn to each connected bot that has to move, has not answered yet, and has no open turn."""
        progress = self._progress
        terms, seats = progress.terms, progress.seats
        asked_seats = [
            seat for seat in plies.awaited_seats() if seats[seat].turn is None and seats[seat].away_since_ms is None
        ]
        if not asked_seats:
            return
        turn_ids = tuple([self._new_turn_id() for _ in asked_seats])
        lag_ms = tuple([self._lag_to_allow_ms(seats[seat]) for seat in asked_seats])
        omit = tuple([seats[seat].omit for seat in asked_seats])
        seats_ms, clocks = progress.times_left_ms(now_ms), progress.clocks_when_asked
        if clocks is not None:  # present times of other seats would tell who has answered
            seats_ms = tuple([seats_ms[seat] if seat in asked_seats else ms for seat, ms in enumerate(clocks.seats_ms)])
        left_ms = tuple([seats_ms[seat] for seat in asked_seats])
        ply = terms.match, terms.attempt, len(plies.moves)
        fact = TurnsAsked(*ply, tuple(asked_seats), turn_ids, left_ms, lag_ms, omit, seats_ms, now_ms)
        turns = list(fact.turns())
        self.append(fact)
        progress.apply_turns(fact, turns)
        for turn in turns:
            self._driver.ask(turn.seat, frame_of_turn_with_news(turn, terms.game, plies), turn.turn_id)

    def _lag_to_allow_ms(self, seat_state: SeatState) -> int:
        if not seat_state.lag_by_pings:
            return seat_state.lag_ms
        return min(seat_state.lag_ms, max(0, self._bounds.proxied_lag_ms - seat_state.allowed_lag_ms))
