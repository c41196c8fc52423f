"""A bot's session: one connection's conversation, from `welcome` to the end. No sockets here; a `Link` carries frames.

Each frame is answered or acted on in the call that brings it.
"""

from collections import deque
from typing import Protocol

from rumble_engine import Termination
from rumble_protocol import server_messages as say
from rumble_protocol.bot_messages import BotMessage, Challenge, Join, Leave, Login, Move, Resign
from rumble_protocol.codec import BadMessage, read_bot_message, write_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.arena import messages as telling
from rumble_server.arena.player import Player
from rumble_server.arena.ports import TimerHandle
from rumble_server.gateway.doorkeeper import Doorkeeper
from rumble_server.gateway.limits import Bucket
from rumble_server.tournament.errors import TournamentError


class Link(Protocol):
    """What a session needs from its connection."""

    @property
    def address(self) -> str:
        """The peer's address, for limits."""

    @property
    def is_local(self) -> bool:
        """Whether the peer is on this very machine, and not forwarded."""

    @property
    def lag_ms(self) -> int:
        """The least of the last round trips."""

    def send(self, frame: bytes) -> None:
        """Write a text frame."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Begin the closing handshake."""


class Session:
    """The conversation with one connection; a `Contact` of the arena once its bot is logged in."""

    __slots__ = (
        "_bucket",
        "_closing",
        "_door",
        "_held",
        "_link",
        "_login_timer",
        "challenges",
        "client",
        "games",
        "max_matches",
        "omit",
        "player",
        "version",
    )

    def __init__(self, door: Doorkeeper, link: Link) -> None:
        now_ms = door.arena.clock.now_ms()
        self._door = door
        self._link = link
        self._bucket = Bucket(door.limits.unsolicited_per_minute, now_ms)
        self._held: deque[tuple[int, bytes | CloseCode]] = deque()
        self._closing = False
        self._login_timer: TimerHandle | None = door.arena.clock.call_at(now_ms + door.limits.login_ms, self._no_login)
        self.player: Player | None = None
        self.max_matches = 1
        self.challenges = False
        self.version: str | None = None
        self.client: str | None = None
        self.games: tuple[str, ...] | None = None
        self.omit: tuple[str, ...] = ()
        door.sessions.add(self)
        self.send(door.welcome)

    # --- the arena's side: a Contact ---

    @property
    def lag_ms(self) -> int:
        """The least of the connection's last round trips."""
        return self._link.lag_ms

    def send(self, frame: bytes, after: int = 0) -> None:
        """Send a frame once the log is on disk up to `after`; frames keep their order."""
        if self._closing:
            return
        if self._held or after > self._door.arena.log.durable:
            self._held.append((after, frame))
            self._door.wait_for_disk(self)
        else:
            self._link.send(frame)

    def send_now(self, frame: bytes) -> None:
        """Send a frame ahead of those that wait for the disk."""
        if not self._closing:
            self._link.send(frame)

    def holds(self, frame: bytes) -> bool:
        """Whether this very frame still waits for the disk."""
        return any(held is frame for _, held in self._held)

    def close(self, code: CloseCode) -> None:
        """Close the connection, after what was sent."""
        if self._closing:
            return
        self._stop_holding()
        self._held.append((0, code))
        self._closing = True
        self.release()

    def release(self) -> None:
        """Send what waited for the disk and need not wait any more."""
        durable = self._door.arena.log.durable
        late: list[bytes] = []
        while self._held and self._held[0][0] <= durable:
            held = self._held.popleft()[1]
            if isinstance(held, CloseCode):
                self._link.close(held, CLOSE_REASONS[held])
            else:
                self._link.send(held)
                late.append(held)
        self._sent_late(late)
        if self._held:
            self._door.wait_for_disk(self)

    def _sent_late(self, frames: list[bytes]) -> None:
        if self.player is not None and frames:
            self._door.arena.floor.sent_late(self.player, frames)

    def _stop_holding(self) -> None:
        """Nobody will answer what waits here: no clock has run for it."""
        self._sent_late([held for _, held in self._held if not isinstance(held, CloseCode)])

    # --- the connection's side ---

    def received(self, text: str) -> None:
        """A text frame came in."""
        if self._closing:
            return
        try:
            message = read_bot_message(text)
        except BadMessage as error:
            if self._take():
                if self.player is not None:
                    self._door.arena.floor.overhear(self.player, "bot", text)
                self._error(ErrorCode.BAD_MESSAGE, error.message, error.detail)
            return
        player = self.player
        if type(message) is Move and player is not None:
            if not self._door.arena.move(player, message, text):
                self._take()
            return
        if self._take():
            self._handle(message, text)

    def round_trip(self, lag_ms: int) -> None:
        """The connection was measured."""
        if self.player is not None:
            self._door.arena.floor.round_trip(self.player, lag_ms)

    def is_on_turn(self) -> bool:
        """Whether the bot is thinking: then only its clock decides."""
        return self.player is not None and self._door.arena.floor.is_on_turn(self.player)

    def lost(self) -> None:
        """The connection has ended."""
        self._closing = True
        self._stop_holding()
        self._held.clear()
        self._stop_login_timer()
        self._door.sessions.discard(self)
        if self.player is not None:
            self._door.arena.detach(self.player, self)

    # --- messages ---

    def _handle(self, message: BotMessage, text: str) -> None:
        player = self.player
        if isinstance(message, Login):
            self._login(message)
        elif player is None:
            self._error(ErrorCode.NOT_LOGGED_IN, "log in first: send a `login` with your name")
        else:
            try:
                self._command(player, message, text)
            except TournamentError as error:
                self._error(error.code, str(error))

    def _command(self, player: Player, message: BotMessage, text: str) -> None:
        arena = self._door.arena
        match message:
            case Join():
                arena.join(player, message.tournament, message.invite)
            case Leave():
                arena.leave(player, message.tournament)
            case Resign():
                if not arena.floor.resign(player, message.match, text):
                    problem = FieldProblem(field="match", problem="you have no open match of this id")
                    self._error(ErrorCode.BAD_MESSAGE, "you cannot resign a match you are not playing", [problem])
            case Challenge():
                arena.challenge(player, message)

    def _login(self, login: Login) -> None:
        if self.player is not None:
            self._error(ErrorCode.ALREADY_LOGGED_IN, f"this connection is logged in as {self.player.name}")
            return
        door, arena = self._door, self._door.arena
        if login.key is not None and not door.may_try_key(self._link.address, login.name):
            message = "too many wrong keys for this name; try again in a minute"
            self._error(ErrorCode.TOO_MANY_MESSAGES, message, fatal=True)
            self.close(CloseCode.TOO_MANY_MESSAGES)
            return
        keyless_allowed = door.open_names or self._link.is_local
        try:
            player, is_open, number = arena.admit(login.name, login.key, keyless_allowed=keyless_allowed)
        except TournamentError as error:
            fatal = error.code is ErrorCode.BAD_KEY
            self._error(error.code, str(error), fatal=fatal)
            if fatal:
                door.note_wrong_key(self._link.address, login.name)
                self.close(CloseCode.WRONG_KEY)
            return
        self._stop_login_timer()
        self.max_matches = min(login.max_matches, door.limits.max_matches)
        self.challenges = login.challenges
        self.version = login.version
        self.client = login.client
        self.games = None if login.games is None else tuple(login.games)
        self.omit = tuple(login.omit)
        arena.attach(player, self)
        self.player = player
        session = say.Session(
            name=player.name,
            open=is_open,
            max_matches=self.max_matches,
            matches=list(player.matches),
            tournaments=[telling.summary(tournament) for tournament in player.tournaments.values()],
        )
        self.send(write_message(session), number)
        arena.resume(player)
        if login.join is not None:
            self._handle(Join(tournament=login.join, invite=login.invite), "")

    # --- limits ---

    def _take(self) -> bool:
        """Count a frame that answers no turn; one too many ends the connection, and its bot's matches."""
        if self._bucket.take(self._door.arena.clock.now_ms()):
            return True
        allowed = self._door.limits.unsolicited_per_minute
        if self.player is not None:
            self.max_matches = 0  # so that no match starts in the place of those it loses now
            reason = f"{self.player.name} sent more than {allowed} messages a minute that answer no turn"
            self._door.arena.forfeit_all(self.player, Termination.FLOOD, reason)
        self._error(ErrorCode.TOO_MANY_MESSAGES, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES], fatal=True)
        self.close(CloseCode.TOO_MANY_MESSAGES)
        return False

    def _no_login(self) -> None:
        self._login_timer = None
        self.close(CloseCode.NO_LOGIN)

    def _stop_login_timer(self) -> None:
        if self._login_timer is not None:
            self._login_timer.cancel()
            self._login_timer = None

    def _error(
        self, code: ErrorCode, message: str, detail: list[FieldProblem] | None = None, *, fatal: bool = False
    ) -> None:
        frame = write_message(say.Error(code=code, message=message, detail=detail or [], fatal=fatal))
        self.send(frame)
        if self.player is not None:
            self._door.arena.floor.overhear(self.player, "server", frame.decode())
