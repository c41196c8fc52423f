"""The sockets' side of a session: one connection's conversation, from `welcome` to the end. A `Link` carries frames.

Each frame is checked here, and answered or handed to the arena in the call that brings it. What the arena has to say
comes back by the session's id (see `Sessions`).
"""

from dataclasses import dataclass
from typing import Protocol

from rumble_protocol.bot_messages import Login, Move
from rumble_protocol.codec import BadMessage, read_bot_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode
from rumble_protocol.server_messages import Limits

from rumble_server.arena import messages
from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import TimerHandle
from rumble_server.limits.buckets import Bucket, NameBuckets


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

    @property
    def lag_by_pings(self) -> bool:
        """Whether only pings measure them: behind a proxy, and where the kernel does not tell its round trips."""

    @property
    def has_room(self) -> bool:
        """Whether its address may have one more connection that has logged in, or this one is invited."""

    def known(self) -> None:
        """Count it among those that have logged in."""

    def invited(self, tournament_id: str) -> None:
        """Count it among those that showed a valid invitation to this tournament, if there is room for it there."""

    def send(self, frame: bytes) -> None:
        """Write a text frame."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Begin the closing handshake."""

    def cut(self) -> None:
        """End the connection at once."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the sessions of a server share."""

    arena: Arena
    limits: Limits
    messages: NameBuckets
    """How many messages that answer no turn each worker of each name may still send, on whatever connection."""
    welcome: bytes
    """The first frame of every connection."""
    open_names: bool
    """Whether names from beyond this machine may go without a key."""


class Session:
    """The conversation with one connection. `name` is the bot's, once its login was accepted."""

    __slots__ = ("_bucket", "_counted_as", "_login_timer", "_shared", "closing", "id", "link", "name")

    def __init__(self, session_id: int, shared: Shared, link: Link) -> None:
        now_ms = shared.arena.clock.now_ms()
        self.id = session_id
        self.name: str | None = None
        self._shared = shared
        self._counted_as: tuple[str, ...] = ()
        """Whose messages its messages are, and its login: those of its name and worker, and the logins of workers."""
        self.link = link
        self._bucket: Bucket | None = Bucket(shared.limits.unsolicited_per_minute, now_ms)
        """How many messages it may send before its login."""
        self.closing = False
        self._login_timer: TimerHandle | None = shared.arena.clock.call_at(
            now_ms + shared.limits.login_ms, self._no_login
        )
        link.send(shared.welcome)

    # --- the arena's side ---

    def logged_in(self, name: str) -> None:
        self.name = name
        self._bucket = None
        for each in self._counted_as:
            self._shared.messages.take(each, self._shared.arena.clock.now_ms())
        self.link.known()
        self._stop_login_timer()

    def count(self) -> None:
        """Count a frame that answered no turn; one too many ends the connection, and its bot's matches."""
        self._take()

    def end(self, code: CloseCode) -> None:
        """Begin the closing handshake: everything to be sent before was sent."""
        if self.closing:
            return
        self.closing = True
        self.link.close(code, CLOSE_REASONS[code])

    def cut(self) -> None:
        """End the connection at once."""
        self.link.cut()

    # --- the connection's side ---

    def received(self, text: str) -> None:
        if self.closing:
            return
        arena = self._shared.arena
        try:
            message = read_bot_message(text)
        except BadMessage as error:
            if self._take():
                arena.refused(self.id, text, messages.error(ErrorCode.BAD_MESSAGE, error.message, error.detail))
            return
        if type(message) is Move and self.name is not None:
            arena.receive(self.id, message, text)
        elif isinstance(message, Login):
            self._log_in(message)
        elif self._take():
            arena.receive(self.id, message, text)

    def close(self, code: CloseCode) -> None:
        """Close the connection, after what the arena has still to send."""
        self._shared.arena.close(self.id, code)

    def round_trip(self, lag_ms: int) -> None:
        self._shared.arena.round_trip(self.id, lag_ms)

    def silent(self) -> None:
        self._shared.arena.silent(self.id)

    def lost(self) -> None:
        self.closing = True
        self._stop_login_timer()
        self._shared.arena.lost(self.id)

    def _log_in(self, login: Login) -> None:
        shared, link, arena = self._shared, self.link, self._shared.arena
        invitation = None
        if self.name is None:
            invitation = arena.invitations.shown_by(login, link.address)
            if invitation.tournament_id is not None:
                link.invited(invitation.tournament_id)
            self._counted_as = _counted_as(login)
            if not self._may_log_in(login, is_invited=invitation.tournament_id is not None):
                return
        elif not self._take():
            return
        arena.login(
            self.id,
            login,
            keyless_allowed=shared.open_names or link.is_local,
            most_matches=shared.limits.max_matches,
            lag_ms=link.lag_ms,
            address=link.address,
            invitation=invitation,
            lag_by_pings=link.lag_by_pings,
        )

    # --- limits ---

    def _take(self) -> bool:
        """Count a message that answers no turn: one too many ends the connection, and the matches of a known bot."""
        shared = self._shared
        now_ms = shared.arena.clock.now_ms()
        if self.name is None:
            return self._take_of_stranger(now_ms) and self._take_of_address(now_ms, "")
        if not shared.messages.take(self._counted_as[0], now_ms):
            shared.arena.flooded(self.id, shared.limits.unsolicited_per_minute)
            return False
        return True

    def _take_of_stranger(self, now_ms: int) -> bool:
        if self._bucket is not None and not self._bucket.take(now_ms):
            self._refuse("messages", "", "too many messages before the login")
            return False
        return True

    def _take_of_address(self, now_ms: int, name: str) -> bool:
        if not self._shared.arena.door.may_speak(self.link.address, now_ms):
            self._refuse("messages", name, "too many messages from your address; try again in a minute")
            return False
        return True

    def _may_log_in(self, login: Login, *, is_invited: bool) -> bool:
        shared, name = self._shared, login.name
        now_ms = shared.arena.clock.now_ms()
        if not self._take_of_stranger(now_ms):
            return False
        if not self.link.has_room:
            self._refuse("connections", name, "too many connections from your address")
            return False
        if not all(shared.messages.allows(each, now_ms) for each in self._counted_as):
            self._refuse("messages", name, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES])
            return False
        is_known = is_invited or shared.arena.door.guesses.knows(self.link.address, name)
        return is_known or self._take_of_address(now_ms, name)

    def _refuse(self, reason: str, name: str, message: str) -> None:
        """Close a connection that has not logged in; no match is lost by that."""
        self._shared.arena.door.refusals.note(reason, self.link.address, name)
        self.link.send(messages.error(ErrorCode.TOO_MANY_MESSAGES, message, fatal=True))
        self.end(CloseCode.TOO_MANY_MESSAGES)

    def _no_login(self) -> None:
        self._login_timer = None
        self.close(CloseCode.NO_LOGIN)

    def _stop_login_timer(self) -> None:
        if self._login_timer is not None:
            self._login_timer.cancel()
            self._login_timer = None


def _counted_as(login: Login) -> tuple[str, ...]:
    """Return what the messages of a login are counted as, and beside it the login itself.

    The logins of a name's workers are counted together: otherwise each new name of a worker would bring new messages.
    """
    name = login.name
    return (name,) if login.worker is None else (f"{name}/{login.worker}", f"{name}/")
