"""The session of a connection: the conversation with a bot, from the message `welcome` to the end.

`Gateway` opens a session for each WebSocket. The WebSocket (`Link`) passes every received text to its session. The
session checks the text at once, and either answers, or passes the message to the arena. The arena answers through the
port `Sessions`, by the session's id. A gate (`gateway/gate.py`) between session and arena may hold the session's calls
for a while.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol

from rumble_protocol.bot_messages import Login, Move
from rumble_protocol.codec import BadMessage, read_bot_message
from rumble_protocol.codes import CLOSE_REASONS, WORKER_REPLACED, CloseCode, ErrorCode
from rumble_protocol.server_messages import Limits

from rumble_server.arena.bots import messages
from rumble_server.arena.ports import Caller, Clock, TimerHandle
from rumble_server.gateway.ports import SessionEvents
from rumble_server.limits.admission import Admission
from rumble_server.limits.buckets import Bucket, NameBuckets
from rumble_server.match.seat import MeasureWait

CHARACTERS_OF_A_MESSAGE = 1_024
"""An invalid frame counts as 1 message for every `CHARACTERS_OF_A_MESSAGE` characters, and as 1 more if the frame
answers no open turn."""


class Link(Protocol):
    """The connection of a session, as the session uses it."""

    address: str
    """Address of the peer. Limits are counted for each address."""
    is_local: bool
    """True if the peer is on this machine and no proxy forwards the connection."""
    lag_ms: int
    """Shortest of the last round trips in ms."""
    lag_by_pings: bool
    """True if only pings measure the lag: behind a proxy, or if the kernel reports no round trips."""

    @property
    def measure_wait(self) -> MeasureWait | None:
        """Function that returns how long a turn and its answer waited in this machine (see `Caller`).

        None if the operating system does not report waiting times.
        """

    @property
    def has_room(self) -> bool:
        """True if the address has room for one more login, or this connection counts as logged in already."""

    def has_room_for(self, tournament_id: str) -> bool:
        """Return true if the connection has room, or would have room as a connection invited to this tournament."""

    def count_as_logged_in(self) -> None:
        """Count the connection as logged in, in the limits of its address."""

    def mark_invited(self, tournament_id: str) -> None:
        """Count the connection as invited to a tournament, if its address has room for another invited connection."""

    def end_unbudgeted_reading(self) -> None:
        """Until the next turn is sent, handle received frames only within the time budget."""

    def read_waiting(self) -> bool:
        """Handle frames that were received and wait for the time budget. Return true if there were such frames."""

    def pause_reading(self) -> None:
        """Pause reading until `resume_reading`."""

    def resume_reading(self) -> None:
        """Resume reading."""

    @property
    def can_send(self) -> bool:
        """False if the connection has ended or is closing. The session may not have ended yet."""

    def send(self, frame: bytes) -> None:
        """Send a text frame."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Begin the closing handshake."""

    def cut_off_silent(self) -> None:
        """End the connection at once, without the closing handshake."""


@dataclass(frozen=True, slots=True)
class SharedBySessions:
    """The objects that all sessions of a club share. The gateway makes them."""

    arena: SessionEvents
    clock: Clock
    admission: Admission
    limits: Limits
    messages: NameBuckets
    """Buckets of messages without an open turn, by bot name and worker.

    All connections of the same bot and worker share a bucket.
    """
    welcome: bytes
    """The message `welcome` as a frame, the first frame on every connection."""
    open_names: bool
    """True if bots on other machines may log in without a key."""


SessionPhase = Literal["reading", "checking", "leaving", "closed"]
"""The phases of a session:

- `reading`: received frames are handled,
- `checking`: the arena checks the login, and received frames wait,
- `leaving`: the arena will close the session; received frames are dropped, and earlier frames are still sent,
- `closed`: received frames are dropped, and no frame is sent.

No `Enum`, because reading a member of an `Enum` would cost a call at every move.
"""


@dataclass(slots=True, eq=False)
class Session:
    """The conversation with the bot on one connection."""

    id: int
    shared: SharedBySessions
    link: Link
    name: str | None = None
    """Name of the bot; None before the login is accepted."""
    _counted_as: tuple[str, ...] = ()
    """Keys in `SharedBySessions.messages`. A login counts under each key, later messages under the first key."""
    _bucket: Bucket | None = field(init=False)
    """Bucket of messages before the login; None afterwards."""
    phase: SessionPhase = "reading"
    _unread: list[str] = field(default_factory=list)
    """Frames received in the phase `checking`."""
    _login_by_ms: int = field(init=False)
    """Deadline of the login in ms, less the lateness when the timer was set. `_login_left_ms` is computed from it.

    A sleep of the machine counts as lateness: server time jumps, but the time of timers stands still.
    """
    _login_left_ms: int = 0
    """Rest of the time for the login, in ms, when the present login came."""
    _login_timer: TimerHandle | None = field(init=False)

    def __post_init__(self) -> None:
        limits = self.shared.limits
        self._bucket = Bucket(limits.unsolicited_per_minute, self.shared.clock.now_ms())
        self._start_login_timer(limits.login_ms)
        self.link.send(self.shared.welcome)

    # --- the arena's side ---

    def logged_in(self, name: str) -> None:
        self.name = name
        self._bucket = None
        for each in self._counted_as:
            self.shared.messages.take(each, self.shared.clock.now_ms())
        self.link.count_as_logged_in()
        self._resume()

    def not_logged_in(self) -> None:
        """Wait for another login, for the rest of the bot's time."""
        if self.phase == "checking":
            self._start_login_timer(self._login_left_ms)
        self._resume()

    def count_unproven_login(self) -> None:
        self.shared.admission.stranger_messages.take(self.link.address, self.shared.clock.now_ms())

    def drop_received(self) -> None:
        """Drop frames from now on, because the arena will close the session. The connection counts dropped frames."""
        if not self.is_ending:
            self.phase = "leaving"

    def close(self, code: CloseCode) -> None:
        """Begin the closing handshake. The arena calls `close` after sending earlier frames."""
        if self.phase == "closed":
            return
        self.phase = "closed"
        is_worker = len(self._counted_as) > 1
        self.link.close(code, WORKER_REPLACED if code == CloseCode.REPLACED and is_worker else CLOSE_REASONS[code])

    # --- the connection's side ---

    @property
    def is_ending(self) -> bool:
        """True once received frames are dropped."""
        return self.phase in ("leaving", "closed")

    def on_text(self, text: str) -> None:
        if self.phase != "reading":
            if self.phase == "checking":
                self._unread.append(text)
            return
        arena = self.shared.arena
        try:
            message = read_bot_message(text)
        except BadMessage as error:
            # An answer to an open turn counts only by its size: a long invalid frame takes far longer than an illegal
            # move. After the login, the arena finds out whether the frame answers a turn, and counts the frame if not.
            count = len(text) // CHARACTERS_OF_A_MESSAGE + (self.name is None)
            if not count or self.admit_unsolicited(count):
                arena.on_invalid_frame(self.id, text, error)
            return
        if type(message) is Move and self.name is not None:
            arena.receive(self.id, message, text)
        elif isinstance(message, Login) and self.name is None:
            self._log_in(message)
        elif self.admit_unsolicited():
            arena.receive(self.id, message, text)

    def request_close(self, code: CloseCode) -> None:
        """Ask the arena to close the session after the frames that wait for the disk. Later calls do nothing."""
        if not self.is_ending:
            self.phase = "leaving"
            self.shared.arena.close(self.id, code)

    def on_round_trip(self, lag_ms: int) -> None:
        self.shared.arena.on_round_trip(self.id, lag_ms)

    def on_silence(self) -> None:
        self.shared.arena.on_silence(self.id)

    def on_lost(self) -> None:
        self.phase = "closed"
        self._stop_login_timer()
        self.shared.arena.on_disconnect(self.id)

    def _log_in(self, login: Login) -> None:
        """Ask the arena to check the login. Later frames wait until the answer.

        The bot's time for the login stands still until the answer, because the login may wait at a closed gate.
        """
        shared, link = self.shared, self.link
        self._counted_as = _bucket_keys(login)
        if not self._admit_login(login.name):
            return
        self.phase = "checking"
        self._stop_login_timer()
        self._login_left_ms = self._login_by_ms - shared.clock.now_ms() + shared.clock.lateness.late_ms
        caller = Caller(
            address=link.address,
            keyless_allowed=shared.open_names or link.is_local,
            most_matches=shared.limits.max_matches,
            lag_ms=link.lag_ms,
            lag_by_pings=link.lag_by_pings,
            has_room=link.has_room,
            has_invited_room=login.join is not None and link.has_room_for(login.join),
            has_stranger_messages_left=shared.admission.stranger_messages.allows(link.address, shared.clock.now_ms()),
            measure_wait=link.measure_wait,
        )
        shared.arena.login(self.id, login, caller)
        if self.phase == "checking":
            link.pause_reading()

    def _resume(self) -> None:
        """Resume reading, and handle the frames that were received while the arena checked the login."""
        if self.phase == "checking":
            self.phase = "reading"
        self.link.resume_reading()
        unread, self._unread = self._unread, []
        for text in unread:  # a frame may be another login, whose check pauses reading again
            self.on_text(text)

    # --- limits ---

    def admit_unsolicited(self, count: int = 1) -> bool:
        """Count `count` messages without an open turn. Return True if they are within the limit.

        If there are too many, end the connection and return False. A bot that has logged in also forfeits its matches.
        """
        shared = self.shared
        now_ms = shared.clock.now_ms()
        self.link.end_unbudgeted_reading()
        if self.name is None:
            if not self._admit_before_login(now_ms, count):
                return False
            if not shared.admission.stranger_messages.take(self.link.address, now_ms, times=count):
                self._refuse("messages", "", "too many messages from your address; try again in a minute")
                return False
            return True
        if not shared.messages.take(self._counted_as[0], now_ms, times=count):
            too_many = f"more than {shared.limits.unsolicited_per_minute} messages a minute that answer no turn"
            shared.arena.on_flood(self.id, too_many)
            return False
        return True

    def _admit_before_login(self, now_ms: int, count: int = 1) -> bool:
        if self._bucket is not None and not self._bucket.take(now_ms, count):
            self._refuse("messages", "", "too many messages before the login")
            return False
        return True

    def _admit_login(self, name: str) -> bool:
        """Count a login under this name. If the limits allow no login, close the connection, and return False."""
        now_ms = self.shared.clock.now_ms()
        if not self._admit_before_login(now_ms):
            return False
        if not all(self.shared.messages.allows(each, now_ms) for each in self._counted_as):
            self._refuse("messages", name, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES])
            return False
        return True

    def _refuse(self, reason: str, name: str, message: str) -> None:
        """Close a connection on which no bot has logged in. The bot loses no match."""
        self.shared.admission.refusals.count(reason, self.link.address, name)
        self.link.send(messages.error(ErrorCode.TOO_MANY_MESSAGES, message, fatal=True))
        self.close(CloseCode.TOO_MANY_MESSAGES)

    def _start_login_timer(self, left_ms: int) -> None:
        clock = self.shared.clock
        due_ms = clock.now_ms() + left_ms
        self._login_by_ms = due_ms - clock.lateness.late_ms
        self._login_timer = clock.call_at(due_ms, partial(self.request_close, CloseCode.NO_LOGIN))

    def _stop_login_timer(self) -> None:
        if self._login_timer is not None:
            self._login_timer.cancel()
            self._login_timer = None


def _bucket_keys(login: Login) -> tuple[str, ...]:
    """Return the keys under which a login counts. Messages after the login count under the first key only.

    All workers of a bot share the last key. Otherwise a bot could log in under ever new names of workers, each with
    a bucket of its own.
    """
    name = login.name
    return (name,) if login.worker is None else (f"{name}/{login.worker}", f"{name}/")
