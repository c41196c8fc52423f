"""The announcer of a match: it records facts, and sends bots the frames that follow from the facts. No I/O.

Facts are recorded before frames are sent, because a restart must not undo anything that a bot has read. The referee
(`referee.py`) makes the decisions, and `progress.py` has the state.
"""

from collections.abc import Callable
from typing import Literal, Protocol

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import NoticeCode
from rumble_protocol.fields import ServerMessageModel

from rumble_server.limits.bounds import Bounds
from rumble_server.match.clock import Lateness, PlainControl, remaining_ms
from rumble_server.match.facts import FrameSeen, MatchFact, MatchOver, MatchStarted, MoveMade, TurnAsked, TurnsAsked
from rumble_server.match.frames import frame_of_turn, frame_of_turn_with_news
from rumble_server.match.kept_frame import KeptFrame, keep_frame
from rumble_server.match.progress import Progress
from rumble_server.match.seat import SeatState


class RefereeDriver(Protocol):
    """The port through which a referee appends facts and sends frames."""

    def append(self, fact: MatchFact) -> object:
        """Append to the log a fact that concerns only this match.

        The referee itself applies the fact to its own state.
        """

    def record(self, over: MatchOver) -> None:
        """Append the end of the match to the log, and apply this fact to all other parts of the server."""

    def begin(self, seat: int, frame: bytes) -> None:
        """Send the frame `match_start` to the bot of a seat."""

    def send(self, seat: int, frame: bytes) -> None:
        """Send a frame other than `match_start`, `turn` and `match_over` to the bot of a seat."""

    def ask(self, seat: int, frame: bytes, turn_id: str) -> None:
        """Send the frame `turn`.

        If the frame has to wait, call `hold_turn` of the referee, and call `turn_written` when the frame has been sent.
        """

    def end(self, seat: int, frame: bytes) -> None:
        """Send the frame `match_over` after the facts recorded so far have reached the disk."""


class Announcer(Progress):
    """The announcer of a match. It records facts, and sends the frames that follow from the facts.

    `new_turn_id` returns an id that no other turn has, in this or any earlier run of the server.
    """

    def __init__(
        self,
        terms: MatchStarted,
        control: PlainControl,
        driver: RefereeDriver,
        new_turn_id: Callable[[], str],
        lateness: Lateness,
        bounds: Bounds,
        nobody_away_before_ms: int = 0,
    ) -> None:
        super().__init__(terms, control, lateness, nobody_away_before_ms)
        self._match_id, self._attempt, self._game = terms.match, terms.attempt, terms.game
        self._driver = driver
        self._append = driver.append
        self._new_turn_id = new_turn_id
        self._full_ms = (control.full_ms,) * len(self.seats)
        """For each seat, the time in ms for a move if the time control has no bank."""
        self._bounds = bounds
        self._falls_told = 0
        """Number of falls that the bots were told about so far."""

    def _record(self, fact: MatchFact) -> None:
        self._append(fact)
        self.apply(fact)

    def _see(self, seat: int, sender: Literal["bot", "server"], frame: str, now_ms: int, excused_ms: int = 0) -> None:
        kept = keep_frame(frame, self._bounds.kept_frame_bytes) if sender == "bot" else KeptFrame(frame)
        own = self._match_id, self._attempt, seat, sender
        self._record(FrameSeen(*own, kept.text, now_ms, kept.bytes, kept.sha256, excused_ms))

    def _send(self, seat: int, now_ms: int, message: ServerMessageModel) -> None:
        frame = write_message(message)
        self._see(seat, "server", frame.decode(), now_ms)
        self._driver.send(seat, frame)

    def _notify_others(self, seat: int, code: NoticeCode, message: str, now_ms: int) -> None:
        """Send a notice about a seat to each connected bot of another seat."""
        for other, state in enumerate(self.seats):
            if other != seat and state.away_since_ms is None:
                self._send(other, now_ms, self._notice(seat, code, message))

    def _notice(self, seat: int, code: NoticeCode, message: str) -> say.Notice:
        told = None if self.plies is None else seat
        return say.Notice(code=code, tournament=self.terms.tournament, match=self._match_id, message=message, seat=told)

    def _ask_if_there(self, now_ms: int, made: MoveMade | None = None) -> None:
        """Send a turn to the seat to move, unless its bot is away.

        `made` is a move that was just made, and is not in the log yet. The new turn is stored in the fact `made`, and
        then the fact is appended to the log: a single fact for both is cheaper.
        """
        seat = self.state.to_move
        own = self.seats[seat]
        if own.away_since_ms is not None or own.turn is not None:
            return
        control, left_ms, seats_ms = self.control, self.control.full_ms, self._full_ms
        if control.has_bank or own.used_ms:
            left_ms = remaining_ms(control, own.bank_ms, own.used_ms)
            each_ms = [control.move_ms + each.bank_ms for each in self.seats]
            each_ms[seat] = left_ms
            seats_ms = tuple(each_ms)
        lag_ms = self._lag_to_allow_ms(own) if own.lag_by_pings else own.lag_ms
        match_id, attempt, ply = self._match_id, self._attempt, len(self.moves)
        turn_id, omit, game = self._new_turn_id(), own.omit, self._game
        frame = frame_of_turn(
            match_id, attempt, ply, seat, turn_id, left_ms, seats_ms, lag_ms, omit, game, self.state, self.moves
        )
        if made is None:
            asked = TurnAsked(match_id, attempt, ply, seat, turn_id, left_ms, seats_ms, lag_ms, omit, now_ms)
            self._append(asked)
        else:
            made.next_turn_id, made.next_seat = turn_id, seat
            made.seats_ms, made.lag_ms, made.omit = seats_ms, lag_ms, omit
            self._append(made)
        self.apply_turn(own, turn_id, left_ms, lag_ms, now_ms)
        self._driver.ask(seat, frame, turn_id)

    # --- matches that are not plain ---

    def _tell_falls(self, now_ms: int) -> None:
        """Tell the bots about falls in completed plies. Before a ply is complete, no other bot may know its falls."""
        falls = self._plies.falls
        while self._falls_told < len(falls):
            seat, fall = list(falls.items())[self._falls_told]
            if fall.ply == len(self.moves):
                break
            self._falls_told += 1
            self._notify_others(seat, NoticeCode.SEAT_FELL, f"{self.terms.seats[seat]} fell out: {fall.reason}", now_ms)

    def _ask_movers(self, now_ms: int) -> None:
        """Send a turn to each connected bot that has to move, has not answered yet, and has no open turn."""
        plies, ply = self._plies, len(self.moves)
        asked = [
            seat
            for seat in plies.waits_for()
            if self.seats[seat].turn is None and self.seats[seat].away_since_ms is None
        ]
        if not asked:
            return
        turn_ids = tuple([self._new_turn_id() for _ in asked])
        lag_ms = tuple([self._lag_to_allow_ms(self.seats[seat]) for seat in asked])
        omit = tuple([self.seats[seat].omit for seat in asked])
        told = self._asked_clocks  # present times of other seats would tell who has answered
        seats_ms = tuple(
            [
                self._remaining_to_ask_ms(seat) if told is None or seat in asked else told.seats_ms[seat]
                for seat in range(len(self.seats))
            ]
        )
        own = self._match_id, self._attempt, ply
        left_ms = tuple([seats_ms[seat] for seat in asked])
        fact = TurnsAsked(*own, tuple(asked), turn_ids, left_ms, lag_ms, omit, seats_ms, now_ms)
        turns = list(fact.turns())
        self._append(fact)
        self._apply_turns(fact, turns)
        for turn in turns:
            self._driver.ask(turn.seat, frame_of_turn_with_news(turn, self._game, plies), turn.turn_id)

    def _remaining_to_ask_ms(self, seat: int) -> int:
        own = self.seats[seat]
        return remaining_ms(self.control, own.bank_ms, own.used_ms)

    def _lag_to_allow_ms(self, own: SeatState) -> int:
        if not own.lag_by_pings:
            return own.lag_ms
        return min(own.lag_ms, max(0, self._bounds.proxied_lag_ms - own.lag_given_ms))
