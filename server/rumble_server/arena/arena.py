"""The arena: all play on this server. It puts its parts together, and takes the events of sessions.

One call per event, start to end without waiting, as one transaction: what follows from it (new matches, the end of a
tournament) is settled at its end. Sessions are known by their ids; whatever answers them goes out by the `Sessions`
port.
"""

from collections.abc import Iterable
from random import Random

from rumble_engine import Termination
from rumble_protocol.bot_messages import BotMessage, Challenge, Join, Leave, Login, Move, Resign
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode, NoticeCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.arena import messages
from rumble_server.arena.challenges import Challenges
from rumble_server.arena.lifecycle import Lifecycle
from rumble_server.arena.logins import Logins, MayClaim
from rumble_server.arena.matches import Matches
from rumble_server.arena.player import Player, Players
from rumble_server.arena.ports import Clock, Log, Sessions, Work
from rumble_server.arena.recorder import Recorder, Transaction
from rumble_server.arena.scheduler import Scheduler
from rumble_server.arena.session import BotSession, Outlet
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.tournament import Tournament


class Arena:
    """All play on this server. `run` is this run's number on its database."""

    def __init__(
        self,
        *,
        log: Log,
        clock: Clock,
        sessions: Sessions,
        run: int,
        random: Random,
        taken_ids: Iterable[str] = (),
        grace_ms: int = 0,
        may_claim: MayClaim = lambda _name, _key: True,
        work: Work = lambda task, done: done(task()),
    ) -> None:
        """`taken_ids` are the ids of all tournaments ever; for `grace_ms` from now no away or absent time runs."""
        self.clock = clock
        self.log = log
        self.recorder = Recorder(log, self._settle)
        self.names = self.recorder.names
        self.tournaments = self.recorder.tournaments
        self.players = Players()
        self.matches = Matches(
            self.recorder,
            self.players,
            clock,
            run,
            self._on_over,
            nobody_away_before_ms=clock.now_ms() + grace_ms if grace_ms else 0,
        )
        self.lifecycle = Lifecycle(self.recorder, self.players, self.matches, clock, taken_ids)
        self.scheduler = Scheduler(self.recorder, self.players, self.matches, self.lifecycle, clock, work)
        self.logins = Logins(
            self.recorder,
            self.players,
            self.matches,
            self.lifecycle,
            self.scheduler,
            clock,
            random,
            may_claim,
        )
        self.challenges = Challenges(self.recorder, self.players, self.lifecycle, random)
        self._outlet = Outlet(log, sessions)
        self._sessions: dict[int, BotSession] = {}
        """The sessions that are logged in, until their connection has ended."""

    def _settle(self) -> None:
        self.scheduler.settle()

    def _on_over(self, over: MatchOver, players: tuple[Player, ...]) -> None:
        self.scheduler.on_over(over, players)

    def transaction(self) -> Transaction:
        """What is done within it is settled at its end; then its `number` is the one to wait for."""
        return self.recorder.transaction

    def is_connected(self, name: str) -> bool:
        """Whether the bot of that name is logged in."""
        player = self.players.get(name)
        return player is not None and player.is_connected

    # --- events of sessions ---

    def login(
        self, session_id: int, login: Login, *, keyless_allowed: bool, most_matches: int, lag_ms: int = 0
    ) -> None:
        """A session wants to log in. It is answered with `session` or with an `error`, fatal for a wrong key."""
        known = self._sessions.get(session_id)
        if known is not None:
            message = f"this connection is logged in as {known.name}"
            self._refuse(known, TournamentError(ErrorCode.ALREADY_LOGGED_IN, message))
            return
        with self.transaction():
            try:
                player, is_open = self.logins.admit(login.name, login.key, keyless_allowed=keyless_allowed)
            except TournamentError as error:
                fatal = error.code is ErrorCode.BAD_KEY
                self._outlet.sessions.send(session_id, messages.error(error.code, str(error), fatal=fatal))
                if fatal:
                    self._outlet.sessions.close(session_id, CloseCode.WRONG_KEY)
                return
            session = BotSession(session_id, player.name, login, most_matches, lag_ms, self._outlet)
            self._sessions[session_id] = session
            self._outlet.sessions.logged_in(session_id, player.name)
            self.logins.attach(player, session, name_is_open=is_open)
            if login.join is not None:
                self._command(session, Join(tournament=login.join, invite=login.invite), "")

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        """A session sent a valid message other than a login; `text` is the whole frame."""
        session = self._sessions.get(session_id)
        if session is None:
            error = messages.error(ErrorCode.NOT_LOGGED_IN, "log in first: send a `login` with your name")
            self._outlet.sessions.send(session_id, error)
        elif not session.closing:
            with self.transaction():
                if type(message) is Move:
                    if not self.matches.move(self.players[session.name], message, text):
                        self._outlet.sessions.count(session_id)
                else:
                    self._command(session, message, text)

    def _command(self, session: BotSession, message: BotMessage, text: str) -> None:
        player = self.players[session.name]
        try:
            match message:
                case Join():
                    self.lifecycle.join(player, self.lifecycle.tournament(message.tournament), message.invite)
                case Leave():
                    self.lifecycle.leave(player, self.lifecycle.tournament(message.tournament))
                case Resign():
                    self._resign(session, player, message, text)
                case Challenge():
                    self.challenges.challenge(player, message)
        except TournamentError as error:
            self._refuse(session, error)

    def _resign(self, session: BotSession, player: Player, message: Resign, text: str) -> None:
        if message.match in player.matches:
            self.matches.resign(player, message.match, text)
        else:
            problem = FieldProblem(field="match", problem="you have no open match of this id")
            told = "you cannot resign a match you are not playing"
            self._tell_error(session, messages.error(ErrorCode.BAD_MESSAGE, told, [problem]))

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        """A session sent a frame that is no message: keep it, and answer with this error."""
        session = self._sessions.get(session_id)
        if session is None:
            self._outlet.sessions.send(session_id, error)
        elif not session.closing:
            self.matches.overhear(self.players[session.name], "bot", text)
            self._tell_error(session, error)

    def flooded(self, session_id: int, allowed: int) -> None:
        """A session sent more messages a minute than `allowed`: it loses the bot's matches and ends."""
        error = messages.error(ErrorCode.TOO_MANY_MESSAGES, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES], fatal=True)
        session = self._sessions.get(session_id)
        if session is None:
            self._outlet.sessions.send(session_id, error)
        else:
            with self.transaction():
                player = self.players[session.name]
                session.max_matches = 0  # so that no match starts in the place of those it loses now
                reason = f"{player.name} sent more than {allowed} messages a minute that answer no turn"
                for match_id in list(player.matches):
                    self.matches.forfeit(match_id, player, Termination.FLOOD, reason)
                self._tell_error(session, error)
        self.close(session_id, CloseCode.TOO_MANY_MESSAGES)

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        """A session's connection was measured."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.lag_ms = lag_ms
            self.matches.round_trip(self.players[session.name], lag_ms)

    def silent(self, session_id: int) -> None:
        """A session has long been silent. It is cut, unless its bot is thinking: then only its clock decides."""
        session = self._sessions.get(session_id)
        if session is None or not self.matches.is_on_turn(self.players[session.name]):
            self._outlet.sessions.cut(session_id)

    def close(self, session_id: int, code: CloseCode) -> None:
        """Close a session, after what it is to be sent."""
        session = self._sessions.get(session_id)
        if session is None:
            self._outlet.sessions.close(session_id, code)
        else:
            session.close(code)

    def lost(self, session_id: int) -> None:
        """A session's connection has ended."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.drop()
            with self.transaction():
                self.logins.detach(self.players[session.name], session)

    def _refuse(self, session: BotSession, error: TournamentError) -> None:
        self._tell_error(session, messages.error(error.code, str(error)))

    def _tell_error(self, session: BotSession, frame: bytes) -> None:
        session.send(frame)
        self.matches.overhear(self.players[session.name], "server", frame.decode())

    # --- the log ---

    def on_durable(self) -> None:
        """More of the log is on disk."""
        self._outlet.on_durable()

    def on_trouble(self, trouble: str | None) -> None:
        """The log cannot be written, or (None) can be again. What it does not hold is not told meanwhile."""
        self.scheduler.trouble = trouble
        now_ms = self.clock.now_ms()
        with self.transaction():
            for tournament in list(self.tournaments.values()):
                if trouble is not None and tournament.status == "running":
                    message = f"{tournament.id} is paused: the server cannot write to its disk ({trouble})"
                    for fact in tournament.pause(message, now_ms, by="disk"):
                        self.recorder.record(fact)
                    self._notify_now(tournament, NoticeCode.DISK, message)
                elif trouble is None and tournament.paused_by_disk:
                    self.recorder.record(tournament.unpause(now_ms))
                    self._notify_now(tournament, NoticeCode.RESUMED, f"{tournament.id} goes on: the disk works again")
            self.scheduler.settle_all()

    def _notify_now(self, tournament: Tournament, code: NoticeCode, message: str) -> None:
        frame = messages.notice(code, message, tournament_id=tournament.id)
        for player in self.players.of(tournament.field):
            if player.session is not None:
                player.session.send_now(frame)

    # --- the end of this run ---

    def drain(self) -> None:
        """Start no new match, and tell the bots that the server is about to stop."""
        self.scheduler.draining = True
        frame = messages.notice(NoticeCode.DRAINING, "the server is draining: no new match starts; reconnect soon")
        for player in self.players:
            player.send(frame)

    def stop(self) -> None:
        """Stop judging. What is running stays in the log, from which the next run goes on."""
        self.scheduler.stop()
        self.matches.stop()
