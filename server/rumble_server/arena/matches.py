"""The running matches: events go to their referees, and the referees' frames go to the bots.

The way of a move: `Matches.move` -> `Referee.move` -> `LiveMatch.append`, `LiveMatch.ask` -> the log and the other
bot's session, in a single call.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import Concatenate, ParamSpec, TypeVar

from rumble_engine import Termination
from rumble_protocol import server_messages as say
from rumble_protocol.bot_messages import Move, Resign
from rumble_protocol.codec import NamedTurn, write_message
from rumble_protocol.codes import Rejection

from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import Assignment, BotSession
from rumble_server.arena.ports import NEVER, Sessions, TimerHandle
from rumble_server.arena.recorder import Recorder
from rumble_server.limits.bounds import Bounds
from rumble_server.match.blanking import blanked
from rumble_server.match.clock import Lateness
from rumble_server.match.facts import FrameShared, MatchOver, MatchStarted
from rumble_server.match.kept_frame import Sender, frame_seen
from rumble_server.match.progress import Progress
from rumble_server.match.rebuild import RebuiltMatch
from rumble_server.match.referee import Referee
from rumble_server.tournament.tournament import Tournament

log = logging.getLogger(__name__)

FAILED = "match %s: the referee failed at ply %d"
WHY_VOID = "the server failed at this match; nobody is blamed"
"""The reason recorded for a match that is void after an error in the game's code. Such an error is the server's fault;
the other matches go on."""

T = TypeVar("T")
P = ParamSpec("P")


class LiveMatch:
    """A running match: progress, players by seat, and a single timer.

    The match's referee sends messages and records facts through the `LiveMatch`. The `LiveMatch` does not refer to the
    referee: only the garbage collector would free objects that refer to each other.
    """

    def __init__(
        self,
        progress: Progress,
        tournament: Tournament,
        players: tuple[Player, ...],
        assignments: list[Assignment],
        matches: "Matches",
    ) -> None:
        recorder, started = matches.recorder, progress.terms
        self.match_id = started.match
        self.progress = progress
        self.tournament = tournament
        self.players = players
        self.assignments = assignments
        """Each player's assignment, by seat."""
        self.timer: TimerHandle | None = None
        self.timer_at_ms = NEVER
        self.append = recorder.append
        self._matches = matches
        self._start_after_fact = recorder.newest_number_of(tournament) if started.chance_seed else 0
        """Number of the fact that must be on disk before the bots are told of the match. So a crash cannot lose a
        chance seed after the bots got the seed's commitment. In a match without a chance seed, the number is 0."""

    def record(self, over: MatchOver) -> None:
        self._matches.recorder.record_for(self.tournament, over)
        if over.scores is not None:
            self.tournament.keep_final_state(over.match, self.progress.state)

    def send_start(self, seat: int, frame: bytes) -> None:
        session = self.assignments[seat].session
        if session is not None:
            session.sender.send(frame, self._start_after_fact, self.match_id)

    def send(self, seat: int, frame: bytes) -> None:
        session = self.assignments[seat].session
        if session is not None:
            session.sender.send(frame, match_id=self.match_id)

    def ask(self, seat: int, frame: bytes, turn_id: str) -> None:
        session = self.assignments[seat].session
        if session is not None and session.sender.ask(frame, self.match_id):
            return
        self.progress.stop_clock(seat, turn_id)
        if session is not None:  # without a session, or with a closing one, the bot is never told of the turn
            on_sent = partial(self._matches.on_turn_sent, self.match_id, seat, turn_id)
            session.sender.post(Outgoing(frame, match_id=self.match_id, on_sent=on_sent))

    def send_match_over(self, seat: int, frame: bytes) -> None:
        session, after = self.assignments[seat].session, self._matches.recorder.log.last
        outgoing = Outgoing(frame, after, self.match_id, is_match_over=True, frees_room=True)
        if session is None or not session.sender.post(outgoing):
            self.players[seat].unsent_match_overs.append(outgoing)


class Matches:
    """The running matches by id.

    Turn ids begin with `run_number`, the number of this run of the server on the database.
    """

    on_over: Callable[[Tournament, MatchOver, tuple[Player, ...]], None]
    """Function called at the end of a match. The arena sets the function, once its scheduler is made."""

    def __init__(
        self, recorder: Recorder, run_number: int, grace_until_ms: int, bounds: Bounds, sessions: Sessions
    ) -> None:
        self.recorder = recorder
        self._sessions = sessions
        self.bounds = bounds
        self.run_number = run_number
        self.grace_until_ms = grace_until_ms
        """Time in ms until which no away or absent budget runs. Bots need time to find the server again after its
        start, or after a suspension of the club."""
        self.live: dict[str, LiveMatch] = {}
        self._referees: dict[str, Referee] = {}
        """The referee of each running match, by the match's id."""
        self._clock, self.lateness = recorder.clock, recorder.clock.lateness
        self.new_turn_id: Callable[[], str] = map(f"{run_number:x}.%x".__mod__, count(1)).__next__
        """Function that returns a turn id, unique among all runs. For speed, the function is a chain of C functions."""

    def give_grace(self, grace_ms: int) -> None:
        """Let no away or absent budget run for the next `grace_ms`, because the bots have to find the server again."""
        now_ms = self._clock.now_ms()
        self.grace_until_ms = now_ms + grace_ms
        for match in list(self.live.values()):
            self._call_referee(match, lambda referee: referee.progress.give_grace(now_ms, self.grace_until_ms))

    # --- matches begin, go on and stop ---

    def start(self, started: MatchStarted, tournament: Tournament, players: tuple[Player, ...]) -> None:
        """Begin a match. `players` are in the order of their seats. Every player must have room for the match."""
        self.recorder.record_for(tournament, started)
        make_progress = partial(Progress, started, tournament.control)
        match = self._add_live(started, tournament, players, make_progress)
        if match is None:
            return
        # Only connected players are free for a match.
        sessions = [assignment.session for assignment in match.assignments if assignment.session is not None]
        self._call_referee(match, Referee.start, sessions, started.at_ms)

    def go_on(self, rebuilt: RebuiltMatch) -> None:
        """Go on with a match that was running when the server stopped.

        If the log has lost moves, or the game's code failed at a fact, the attempt is void, and the match is played
        again.
        """
        started, now_ms = rebuilt.started, self._clock.now_ms()
        tournament, players = self.recorder.tournaments[started.tournament], self.recorder.players.of(started.seats)
        match = self._add_live(started, tournament, players, rebuilt.progress)
        if match is None:
            return
        self._call_referee(match, Referee.go_on, rebuilt, now_ms)
        if not rebuilt.is_whole:
            log.error(
                "match %s: the log has not all moves of attempt %d, which is void", started.match, started.attempt
            )

    def abort(self, match_id: str, reason: str) -> None:
        self._call_referee(self.live[match_id], Referee.abort, reason, self._clock.now_ms())

    def forfeit(self, match_id: str, player: Player, termination: Termination, reason: str) -> None:
        """Let a player lose a match by an event outside the game, such as leaving the tournament."""
        match, now_ms = self.live[match_id], self._clock.now_ms()
        seat = match.players.index(player)
        self._call_referee(match, Referee.forfeit, seat, termination, reason, now_ms)

    def stop_tournament(self, tournament: Tournament) -> None:
        """Stop the running matches of a tournament that is set aside. The matches do not end, and the log keeps their
        facts.
        """
        for match in list(self.live.values()):
            if match.tournament is tournament:
                self._remove_live(match)

    def stop(self) -> None:
        """Stop the timers of all matches. Running matches do not end, and the log keeps their facts."""
        for match in self.live.values():
            if match.timer is not None:
                match.timer.cancel()

    def _add_live(
        self,
        started: MatchStarted,
        tournament: Tournament,
        players: tuple[Player, ...],
        make_progress: Callable[[Lateness, int], Progress],
    ) -> LiveMatch | None:
        """Add a running match, and return the match. `make_progress` takes the lateness and the end of the grace.

        If the game's code fails at the opening, record that the attempt is void, and return None.
        """
        match_id, is_challenge = started.match, tournament.challenger is not None
        assignments = [Assignment(match_id, seat, started.game, is_challenge) for seat in range(len(players))]
        try:
            progress = make_progress(self.lateness, self.grace_until_ms)
            match = LiveMatch(progress, tournament, players, assignments, self)
        except Exception:
            log.exception(FAILED, match_id, 0)
            over = MatchOver.of(started, None, started.moves, self._clock.now_ms(), WHY_VOID)
            self.recorder.record_for(tournament, over)
            self.on_over(tournament, over, players)
            return None
        for player, assignment in zip(players, assignments, strict=True):
            player.begin_match(assignment)
        self.live[match_id] = match
        self._referees[match_id] = Referee(progress, match, self.new_turn_id, self.bounds)
        if len(self.live) == 1:
            self._clock.measure_lateness(self._is_playing)
        return match

    def _is_playing(self) -> bool:
        return bool(self.live) and not self.recorder.is_stopped

    def _call_referee(
        self, match: LiveMatch, event: Callable[Concatenate[Referee, P], T], *given: P.args, **named: P.kwargs
    ) -> T | None:
        """Call `event`, a method of the referee that may run the game's code. Return the result of `event`.

        If the game's code raises an error, abort the match, and return None. Then settle the match's end, or set its
        timer.
        """
        referee, result = self._referees[match.match_id], None
        try:
            result = event(referee, *given, **named)
        except Exception:
            log.exception(FAILED, match.match_id, len(match.progress.moves))
            referee.abort(WHY_VOID, self._clock.now_ms())
        self._finish_or_arm(match)
        return result

    # --- sessions come and go ---

    def assign_waiting_matches(self, player: Player) -> None:
        """Let the player's sessions take up matches that no session plays. A session without room takes up none."""
        taken = player.assign_waiting_matches() if player.waiting_matches else ()
        if taken:
            self.sync_connections(player, taken)

    def sync_connections(self, player: Player, taken: Iterable[Assignment]) -> None:
        """Tell a player's sessions about the matches that they have taken up.

        The player is away from every match that no session has taken up. In these matches the away budget runs, and the
        clock stands or runs as the match's `away_clock` says.
        """
        now_ms = self._clock.now_ms()
        for assignment in taken:
            if assignment.session is not None:  # an earlier match's consequences may have ended this match
                match = self.live[assignment.match_id]
                self._call_referee(match, Referee.connect, assignment.seat, assignment.session, now_ms)
        for assignment in list(player.waiting_matches.values()):
            if assignment.match_id in player.waiting_matches:
                match = self.live[assignment.match_id]
                self._call_referee(match, Referee.disconnect, assignment.seat, now_ms)

    def on_round_trip(self, session: BotSession, lag_ms: int) -> None:
        for match_id, assignment in session.matches.items():
            self.live[match_id].progress.seats[assignment.seat].set_lag(lag_ms)

    def is_on_turn(self, session: BotSession) -> bool:
        """Return true if a turn of the session is open in any match."""
        return any(
            self.live[match_id].progress.seats[assignment.seat].turn is not None
            for match_id, assignment in session.matches.items()
        )

    # --- play ---

    def move(self, session: BotSession, message: Move, frame: str) -> bool:
        """Hand a move to its referee; `frame` is the whole text. Return whether the move answered an open turn."""
        match_id = message.match
        assignment = session.matches.get(match_id)
        if assignment is None:
            _reject_unknown_match(session, message)
            return False
        match, now_ms = self.live[match_id], self._clock.now_ms()
        referee, progress, seat, turn_id = self._referees[match_id], match.progress, assignment.seat, message.turn_id
        try:
            answered = referee.move(seat, turn_id, message.move, now_ms, frame, session.measure_wait)
            if not answered and progress.over is not None:  # the move came too late
                _reject_unknown_match(session, message)
        except Exception:
            log.exception(FAILED, match_id, len(progress.moves))
            referee.abort(WHY_VOID, now_ms)
            answered = True
        # A move changes only the deadlines of the turns asked with it, which are hardly ever before the timer. The
        # deadline is 0 if the match is over, or nobody was asked.
        if progress.deadline_ms < match.timer_at_ms:
            self._finish_or_arm(match)
        return answered

    def on_invalid_answer(self, session: BotSession, named: NamedTurn, problem: str, frame: str) -> bool:
        """Hand an invalid message to the referee of the match. Return whether the message answered an open turn."""
        assignment = session.matches.get(named.match)
        if assignment is None:
            return False
        match, now_ms = self.live[named.match], self._clock.now_ms()
        answer = assignment.seat, named.turn_id, problem, now_ms, blanked(frame)
        return self._call_referee(match, Referee.on_invalid_answer, *answer) is not False

    def resign(self, session: BotSession, message: Resign, frame: str) -> bool:
        """Resign a match. Secrets in the bot's reason are blanked. Return false if the session does not play the match,
        or the bot has fallen out of the match.
        """
        assignment = session.matches.get(message.match)
        if assignment is None or self.live[assignment.match_id].progress.seats[assignment.seat].is_out:
            return False
        match, now_ms = self.live[assignment.match_id], self._clock.now_ms()
        failure = blanked(message.reason or "") if message.failed else None
        self._call_referee(match, Referee.resign, assignment.seat, now_ms, blanked(frame), failure)
        return True

    def log_stray_frame(self, session: BotSession, sender: Sender, frame: str) -> None:
        """Log a frame that belongs to no match. Append a fact for each match of the session.

        Keys and invitations in a bot's frame are blanked. Only the fact of the session's first match contains the
        frame. The facts of the other matches refer to the first match's fact.
        """
        now_ms, first, number = self._clock.now_ms(), "", 0
        for match_id, assignment in session.matches.items():
            progress = self.live[match_id].progress
            place = match_id, progress.terms.attempt, assignment.seat
            if first:
                self.recorder.append(FrameShared(*place, first, number, now_ms))
                continue
            text = blanked(frame) if sender == "bot" else frame
            seen = frame_seen(place, sender, text, now_ms, self.bounds.kept_frame_bytes)
            first, number = match_id, self.recorder.append(seen)
            progress.apply(seen)

    # --- what follows from an event ---

    def _finish_or_arm(self, match: LiveMatch) -> None:
        over = match.progress.over
        if over is None:
            self._arm(match)
            return
        self._remove_live(match)
        self.on_over(match.tournament, over, match.players)

    def _remove_live(self, match: LiveMatch) -> None:
        if match.timer is not None:
            match.timer.cancel()
        del self.live[match.match_id], self._referees[match.match_id]
        for assignment in match.assignments:
            match.players[assignment.seat].end_match(assignment)

    # --- time ---

    def on_turn_sent(self, match_id: str, seat: int, turn_id: str) -> None:
        """Start the clock of a turn whose frame waited for the disk, and is sent now."""
        match = self.live.get(match_id)
        if match is not None:
            match.progress.start_clock(seat, turn_id, self._clock.now_ms())
            self._arm(match)

    def _arm(self, match: LiveMatch) -> None:
        """Set the match's timer to the time at which the referee wants to be woken. After the stop, set no timer.

        Keep a timer that fires at this time or earlier. A timer that fires earlier only sets the next timer.
        """
        wake_at_ms = match.progress.wake_at_ms
        if wake_at_ms is None or match.timer_at_ms <= wake_at_ms or self.recorder.is_stopped:
            return
        if match.timer is not None:
            match.timer.cancel()
        match.timer_at_ms = wake_at_ms
        match.timer = self._clock.call_at(wake_at_ms, partial(self._on_timer, match.match_id))

    def _on_timer(self, match_id: str) -> None:
        match = self.live[match_id]
        match.timer, match.timer_at_ms = None, NEVER
        now_ms = self._clock.now_ms()
        wake_at_ms = match.progress.wake_at_ms
        if wake_at_ms is None or now_ms < wake_at_ms:
            self._arm(match)
            return
        match.timer_at_ms = 1  # before every wake time, so that `_arm` keeps this timer; after the deadline 0 (`move`)
        match.timer = self._clock.after_input(partial(self._judge, match_id, now_ms))

    def _judge(self, match_id: str, due_ms: int, *, has_read: bool = False) -> None:
        """Let the referee judge by the time `due_ms`, after the answers that wait for the time budget are handled.

        Sockets with waiting bytes are not read. Therefore wait for one more reading of these sockets, but only for one,
        so that a bot cannot delay the verdict by sending on. `has_read` is true after this reading.
        """
        match = self.live[match_id]
        has_waited = self._read_waiting(match)
        if self.live.get(match_id) is not match:  # an answer has ended the match
            return
        if has_waited and not has_read:
            match.timer = self._clock.after_input(partial(self._judge, match_id, due_ms, has_read=True))
            return
        match.timer, match.timer_at_ms = None, NEVER
        with self.recorder.transaction:
            self._call_referee(match, Referee.wake, self._clock.now_ms(), due_ms)

    def _read_waiting(self, match: LiveMatch) -> bool:
        """Handle the waiting frames of the sessions with open turns. Return true if there were such frames."""
        seats = match.progress.seats
        asked = [each.session for each in match.assignments if seats[each.seat].turn is not None]
        have_waited = [self._sessions.read_waiting(session.id) for session in asked if session is not None]
        return any(have_waited)


def _reject_unknown_match(session: BotSession, message: Move) -> None:
    rejected = say.Rejected(
        match=message.match,
        turn_id=message.turn_id,
        code=Rejection.UNKNOWN_MATCH,
        message="you have no open match of this id",
        your_turn=False,
        remaining_ms=None,
    )
    session.sender.send(write_message(rejected), match_id=message.match)
