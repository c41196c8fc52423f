"""The arena: all play in a club. It puts the parts together, and takes the events of sessions.

Each event is a call that never waits. An event with facts is a transaction: the consequences (new matches, a
tournament's end) are settled at the end of the call. Only a move is no transaction: what follows from a move is settled
when the move's facts are on disk. The gateway names a session by its id. The arena sends answers through the `Sessions`
port.
"""

from collections.abc import Callable, Iterable
from random import Random

from rumble_engine import Termination
from rumble_protocol.bot_messages import BotMessage, Challenge, Join, Leave, Login, Move, Resign
from rumble_protocol.codec import BadMessage, read_named_turn
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode, NoticeCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.arena.bots import messages
from rumble_server.arena.bots.frame_sender import NO_MATCH, FrameSenders
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.logins.claims import Claims, MayClaim
from rumble_server.arena.logins.invitations import Invitation, Invitations, too_many
from rumble_server.arena.logins.logins import Logins
from rumble_server.arena.logins.refused import RefusedBots
from rumble_server.arena.matches import Matches
from rumble_server.arena.ports import Caller, Clock, FindEnded, Log, RunPairing, Sessions
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.arena.tournaments.challenges import Challenges
from rumble_server.arena.tournaments.ended import MakeAnswer, answer_join, answer_leave
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.arena.tournaments.scheduler import Scheduler
from rumble_server.limits.admission import Admission
from rumble_server.limits.bans import Ban
from rumble_server.limits.bounds import Bounds
from rumble_server.match.progress import Progress
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.errors import CommandRefused, RequestRefused

FATAL = {
    ErrorCode.BAD_KEY: CloseCode.WRONG_KEY,
    ErrorCode.TOO_MANY_MESSAGES: CloseCode.TOO_MANY_MESSAGES,
    ErrorCode.BANNED: CloseCode.BANNED,
}
"""Close codes of the errors that close a connection at its login, keyed by the code of the error."""


class Arena:
    """The play of a club. `run` is the number of this run of the server on the database."""

    def __init__(
        self,
        *,
        log: Log,
        clock: Clock,
        sessions: Sessions,
        run_number: int,
        random: Random,
        taken_ids: Iterable[str],
        find_ended: FindEnded,
        grace_ms: int,
        may_claim: MayClaim,
        run_pairing: RunPairing,
        admission: Admission,
        clubs: ClubDirectory,
        bounds: Bounds,
    ) -> None:
        """`taken_ids` has the ids of all tournaments ever created. During the first `grace_ms`, the bots' away budgets
        and absent budgets do not run.

        `clubs` is the server's directory of clubs; only the arena of main changes it.
        """
        self.clock = clock
        self.log = log
        self.random = random
        self.admission = admission
        self.bans, self.guesses = admission.bans, admission.guesses
        self.recorder = recorder = Recorder(log, clock, admission.bans, clubs, taken_ids)
        self.names, self.players, self.tournaments = recorder.names, recorder.players, recorder.tournaments
        self.display_names, self.slips = recorder.display_names, recorder.slips
        self.host_tokens, self.clubs, self.allowance = recorder.host_tokens, recorder.clubs, recorder.allowance
        self._grace_ms = grace_ms
        grace_until_ms = clock.now_ms() + grace_ms if grace_ms else 0
        self.matches = Matches(recorder, run_number, grace_until_ms, bounds, sessions)
        self.lifecycle = Lifecycle(recorder, self.matches)
        self.scheduler = Scheduler(recorder, self.matches, self.lifecycle, run_pairing)
        recorder.transaction.settle, self.matches.on_over = self.scheduler.settle, self.scheduler.on_over
        self.claims = Claims(recorder, self.lifecycle, random, may_claim, admission)
        self.logins = Logins(recorder, self.matches, self.lifecycle, self.scheduler, self.claims, admission)
        self.invitations = Invitations(recorder, admission)
        self.refused_bots = RefusedBots()
        self.challenges = Challenges(recorder, self.lifecycle, random, admission)
        self._find_ended = find_ended
        self._sessions = sessions
        self._senders = FrameSenders(log, sessions)
        self.transaction = self.recorder.transaction
        """The arena's transaction, for a `with` statement. At the end of the statement, the consequences of the
        transaction's events are settled. Send nothing about the events until the newest fact (`Log.last`) is on
        disk."""
        self.on_ban: list[Callable[[], None]] = []
        """Functions called after a ban. They end connections from banned addresses on which no bot has logged in."""
        self._logged_in: dict[int, tuple[Player, BotSession]] = {}
        """Players and sessions by session id, from the login to the end of the connection."""

    def resume(self, suspended_ms: int, *, were_bots_disconnected: bool) -> None:
        """Go on after a suspension of `suspended_ms`. If bots were disconnected meanwhile, the bots get the same
        grace as after a start of the server.
        """
        if were_bots_disconnected:
            self.matches.give_grace(self._grace_ms)
        self.scheduler.excuse_absence(suspended_ms)

    def is_connected(self, name: str) -> bool:
        player = self.players.get(name)
        return player is not None and player.is_connected

    def is_playing(self, name: str) -> bool | None:
        """Return true if the bot of this name is in a match, or has not yet been sent the end of a match.

        Return false for any other known bot, and None for an unknown bot.
        """
        player = self.players.get(name)
        return None if player is None else player.is_playing

    def live_progress(self, match_id: str) -> Progress | None:
        """Return the progress of a running match; None if no match of this id is running."""
        match = self.matches.live.get(match_id)
        return None if match is None else match.progress

    @property
    def is_idle(self) -> bool:
        """True if no bot is logged in, and no tournament in memory goes on."""
        return not self._logged_in and all(each.is_over for each in self.tournaments.values())

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address; None without a ban."""
        return self.bans.of_address(address, self.clock.now_ms())

    @property
    def running_count(self) -> int:
        """Number of running matches."""
        return len(self.matches.live)

    @property
    def used_bytes(self) -> int:
        """Bytes of the club's facts on disk at the last count."""
        return self.allowance.used_bytes

    @property
    def waiting_for_disk(self) -> int:
        """Number of sessions with frames that wait for the disk."""
        return self._senders.waiting_count

    # --- events of sessions ---

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        """Log a session in. Reply with `session` or `error`; errors in `FATAL` close the connection."""
        if self.recorder.is_stopped:
            return
        sessions = self._sessions
        invitation = self.invitations.check_login(login, caller.address)
        invited_to = invitation.tournament_id
        with self.transaction:
            try:
                self.logins.check_room(login, caller, invited_to)
                is_unproven = self.logins.is_unproven(login, caller.address, invited_to)
                if is_unproven:
                    sessions.count_unproven_login(session_id)
                player = self.logins.log_in(login, caller, invited_to, is_unproven=is_unproven)
            except CommandRefused as error:
                self.record_refusal(login.name, caller.address, login.join, error)
                close = FATAL.get(error.code)
                sessions.send(session_id, messages.error(error.code, str(error), fatal=close is not None))
                if close is not None:
                    sessions.close(session_id, close)
                sessions.not_logged_in(session_id)
                return
            if invited_to is not None:
                sessions.mark_invited(session_id, invited_to)
            session = BotSession(session_id, login, caller, self._senders)
            self._logged_in[session_id] = player, session
            self.logins.attach(player, session, login)
            if login.join is not None:
                join = Join(tournament=login.join, invite=login.invite)
                self._carry_out(player, session, join, "", invitation)
        # Last, since the session's next frame may follow at once.
        sessions.logged_in(session_id, player.name)

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        """Handle a valid message of a session, except the session's login; `text` is the whole frame."""
        logged_in = self._logged_in.get(session_id)
        if logged_in is None:
            error = messages.error(ErrorCode.NOT_LOGGED_IN, "log in first: send a `login` with your name")
            self._sessions.send(session_id, error)
            return
        player, session = logged_in
        if session.sender.is_closing or self.recorder.is_stopped:
            return
        if type(message) is not Move:
            with self.transaction:
                self._carry_out(player, session, message, text)
            return
        if not self.matches.move(session, message, text):
            self._sessions.count_unsolicited(session_id)

    def _carry_out(
        self, player: Player, session: BotSession, message: BotMessage, text: str, invitation: Invitation | None = None
    ) -> None:
        """Carry out a message; `text` is the whole frame.

        If a login has the field `join`, the arena makes a message `join` from the login. `text` is then empty, and
        `invitation` is from the login.
        """
        try:
            match message:
                case Join() if self.tournaments.is_only_on_disk(message.tournament):
                    self._answer_about_ended(player, session, message.tournament, answer_join, text)
                case Join():
                    self._join(player, session, message, invitation)
                case Leave() if self.tournaments.is_only_on_disk(message.tournament):
                    self._answer_about_ended(player, session, message.tournament, answer_leave, text)
                case Leave():
                    self.lifecycle.leave(player, self.tournaments.find(message.tournament), session)
                case Challenge():
                    self.challenges.challenge(player, session, message)
                case Resign():
                    if not self.matches.resign(session, message, text):
                        problem = FieldProblem(field="match", problem="you have no open match of this id")
                        reason = "you cannot resign a match you are not playing"
                        error_frame = messages.error(ErrorCode.BAD_MESSAGE, reason, [problem])
                        self._send_error(session, error_frame, text, message.match)
                case Login():
                    reason = f"this connection is logged in as {player.name}"
                    self._send_error(session, messages.error(ErrorCode.ALREADY_LOGGED_IN, reason), text)
        except CommandRefused as error:
            if isinstance(message, Join):
                self.record_refusal(player.name, session.address, message.tournament, error)
            self._send_error(session, messages.error(error.code, str(error)), text)

    def record_refusal(self, name: str, address: str, tournament: str | None, error: RequestRefused) -> None:
        """Keep the refusal of a login or a join for the club's hosts."""
        self.refused_bots.add(name, address, tournament, error.code, str(error), self.clock.now_ms())

    def _join(self, player: Player, session: BotSession, join: Join, invitation: Invitation | None) -> None:
        tournament = self.tournaments.find(join.tournament)
        if player.name not in tournament.field:
            if invitation is None:
                self.invitations.check(tournament, join.invite, session.address)
            elif invitation.is_refused:
                raise too_many()
            if not player.accepts_game(game := tournament.config.game):
                message = f"{tournament.id} is a tournament of {game}, which your login's `games` do not name"
                raise CommandRefused(ErrorCode.UNKNOWN_GAME, message)
        self.lifecycle.join(player, tournament, join.invite, session)
        if tournament.invite is not None:
            self._sessions.mark_invited(session.id, tournament.id)

    def _answer_about_ended(
        self, player: Player, session: BotSession, tournament_id: str, answer: MakeAnswer, text: str
    ) -> None:
        """Answer the frame `text`, which is about an ended tournament that is not in memory.

        The answer is made from the tournament's record, once the record is found. Rebuilding the tournament from its
        facts would cost too much, because bots may ask as often as they like.
        """

        def tell(ended: EndedTournament | None) -> None:
            if session.sender.is_closing or self.recorder.is_stopped:
                return
            try:
                if ended is None:
                    raise CommandRefused(ErrorCode.UNAVAILABLE, f"{tournament_id} is over; it cannot be read")
                frame, result = answer(ended, player.name)
                session.sender.send(frame)
                if result is not None:
                    self.lifecycle.send_tournament_over(ended, result, session)
            except CommandRefused as error:
                self._send_error(session, messages.error(error.code, str(error)), text)

        self._find_ended(tournament_id, tell)

    def on_invalid_frame(self, session_id: int, text: str, problem: BadMessage) -> None:
        """Handle an invalid frame. If the frame names an open turn, judge the frame as an answer to the turn.

        Otherwise count the frame. If the message limit allows the frame, log the frame, and answer with an error.
        """
        logged_in = self._logged_in.get(session_id)
        error = messages.error(ErrorCode.BAD_MESSAGE, problem.message, problem.detail)
        if logged_in is None:
            self._sessions.send(session_id, error)
            return
        _, session = logged_in
        is_over = session.sender.is_closing or self.recorder.is_stopped
        if is_over or self._judge_as_answer(session, text, problem.message):
            return
        if self._sessions.count_unsolicited(session_id):
            self._send_error(session, error, text)

    def _judge_as_answer(self, session: BotSession, text: str, problem: str) -> bool:
        """Judge an invalid frame as the answer to an open turn. Return false if the frame names no open turn."""
        named = read_named_turn(text)
        if named is None:
            return False
        with self.transaction:
            return self.matches.on_invalid_answer(session, named, problem, text)

    def on_flood(self, session_id: int, too_many: str) -> None:
        """Close a session that sent `too_many`, such as "more than 120 messages a minute that answer no turn".

        The bot loses the session's matches.
        """
        if self.recorder.is_stopped:
            return
        error = messages.error(ErrorCode.TOO_MANY_MESSAGES, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES], fatal=True)
        logged_in = self._logged_in.get(session_id)
        if logged_in is None:
            self._sessions.send(session_id, error)
        elif not logged_in[1].sender.is_closing:
            player, session = logged_in
            with self.transaction:
                player.stop_assigning(session)  # so that no new match takes the room of a lost match
                reason = f"{player.name} sent {too_many}"
                for match_id in list(session.matches):
                    self.matches.forfeit(match_id, player, Termination.FLOOD, reason)
            self._send_error(session, error)
        self.close(session_id, CloseCode.TOO_MANY_MESSAGES)

    def on_round_trip(self, session_id: int, lag_ms: int) -> None:
        logged_in = self._logged_in.get(session_id)
        if logged_in is not None:
            _, session = logged_in
            session.lag_ms = lag_ms
            self.matches.on_round_trip(session, lag_ms)

    def on_silence(self, session_id: int) -> None:
        """Cut a silent session if no turn is open. If a turn is open, do nothing; the bot's clock ends the match."""
        logged_in = self._logged_in.get(session_id)
        if logged_in is None or not self.matches.is_on_turn(logged_in[1]):
            self._sessions.cut_off_silent(session_id)

    def close(self, session_id: int, code: CloseCode) -> None:
        """Close a session after its queued frames."""
        logged_in = self._logged_in.get(session_id)
        if logged_in is None:
            self._sessions.close(session_id, code)
        else:
            self._close(*logged_in, code)

    def _close(self, player: Player, session: BotSession, code: CloseCode) -> None:
        player.stop_assigning(session)
        session.sender.close(code)

    def on_disconnect(self, session_id: int) -> None:
        logged_in = self._logged_in.pop(session_id, None)
        if logged_in is not None:
            player, session = logged_in
            self.lifecycle.followers.forget(session)
            with self.transaction:
                self.logins.detach(player, session)
            session.sender.discard()

    def sign_out(self, name: str, reason: str) -> None:
        """Close the sessions of a bot once the change or removal of the bot's key is on disk.

        The bot receives `reason` as an error.
        """
        player = self.players.get(name)
        if player is None:
            return
        for session in list(player.sessions.values()):
            session.sender.send(messages.error(ErrorCode.BAD_KEY, reason, fatal=True), self.log.last)
            self._close(player, session, CloseCode.WRONG_KEY)

    def close_banned(self) -> None:
        """Close the sessions of banned bots and addresses once the ban is on disk.

        If no bot has logged in on a connection from a banned address, the connection is closed at once.
        """
        now_ms = self.clock.now_ms()
        for player, session in list(self._logged_in.values()):
            ban = self.bans.of(player.name, session.address, now_ms)
            if ban is not None:
                session.sender.send(messages.error(ErrorCode.BANNED, ban.message, fatal=True), self.log.last)
                self._close(player, session, CloseCode.BANNED)
        for listener in self.on_ban:
            listener()

    def _send_error(self, session: BotSession, error: bytes, text: str = "", match_id: str = NO_MATCH) -> None:
        """Answer the bot's frame `text` with an error. Log both frames.

        `text` is empty for an error that answers no frame, or a login.
        """
        if text:
            self.matches.log_stray_frame(session, "bot", text)
        session.sender.send(error, match_id=match_id)
        self.matches.log_stray_frame(session, "server", error.decode())

    # --- the log ---

    def on_durable(self) -> None:
        """Send the frames whose facts are on disk now. A bot that was sent a match's end can play a new match.

        The consequences of an end are settled now, even if no bot could be sent the end.
        """
        freed = self._senders.on_durable()
        self.lifecycle.forget_ended()
        if not (freed or self.recorder.unsettled) or self.recorder.is_stopped:
            return
        with self.transaction:
            logged_in = filter(None, (self._logged_in.get(sender.session_id) for sender in freed))
            players = dict.fromkeys(player for player, _ in logged_in)
            for player in players:
                player.update_free()
                self.scheduler.recheck(player)
            for player in players:
                self.matches.assign_waiting_matches(player)

    def on_trouble(self, trouble: str | None) -> None:
        """Pause the running tournaments if the log cannot be written, and resume them if the log can be written again.

        `trouble` is the reason why the log cannot be written; None if the log can be written again.
        While the log cannot be written, frames about facts that are not on disk stay unsent.
        """
        self.scheduler.trouble = trouble
        self.scheduler.settle_all()

    # --- the end of this run ---

    def drain(self) -> None:
        """Start no new match, and tell the bots that the server is about to stop."""
        self.scheduler.is_draining = True
        frame = messages.notice(NoticeCode.DRAINING, "the server is draining: no new match starts; reconnect soon")
        for player in self.players:
            player.send(frame)

    def stop(self) -> None:
        """Stop judging, and drop later messages of bots, because no timer judges the turns that a move would open.

        Queued frames are still sent, and connections still end. The log keeps the running matches, and the next run
        continues the matches.
        """
        self.recorder.is_stopped = True
        self.scheduler.stop()
        self.matches.stop()
        self.lifecycle.followers.stop()
