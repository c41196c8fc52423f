"""A bot's session as the arena knows it: what its login said, and frames that wait for the disk.

The socket is elsewhere. What goes there is the session's id with a frame or a close code, so that it may be on another
machine.
"""

from collections import deque
from collections.abc import Callable

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Log, Sessions

Held = tuple[int, bytes | CloseCode, Callable[[], None] | None]
"""The fact to wait for, what is to be sent, and the callback for when it was."""


class Outlet:
    """Where the frames of all sessions go, and which sessions wait for the disk."""

    def __init__(self, log: Log, sessions: Sessions) -> None:
        self.log = log
        self.sessions = sessions
        self.write = sessions.send
        self._waiting: dict[BotSession, None] = {}

    def wait(self, session: "BotSession") -> None:
        """Release the session's held frames when more of the log is on disk."""
        self._waiting[session] = None
        self.log.hurry()

    def on_durable(self) -> None:
        """More of the log is on disk: send the frames that waited for it."""
        waiting, self._waiting = self._waiting, {}
        for session in waiting:
            session.release()


class BotSession:
    """One login of a bot on one connection."""

    __slots__ = (
        "_outlet",
        "challenges",
        "client",
        "closing",
        "games",
        "held",
        "id",
        "lag_ms",
        "max_matches",
        "omit",
        "version",
    )

    def __init__(self, session_id: int, login: Login, max_matches: int, lag_ms: int, outlet: Outlet) -> None:
        self.id = session_id
        self.max_matches = min(login.max_matches, max_matches)
        self.challenges = login.challenges
        self.games = None if login.games is None else tuple(login.games)
        """The games that the bot plays; None: any."""
        self.omit = tuple(login.omit)
        """What the bot wants left out of `turn`."""
        self.version = login.version
        self.client = login.client
        self.lag_ms = lag_ms
        """The least of the connection's last round trips."""
        self.closing = False
        """Nothing more is sent or taken."""
        self._outlet = outlet
        self.held: deque[Held] = deque()
        """Frames that wait for the disk; any further frame waits behind them."""

    def send(self, frame: bytes, after: int = 0, written: Callable[[], None] | None = None) -> None:
        """Send a frame once the log is on disk up to `after`; frames keep their order.

        `written` is called when a frame that had to wait has left, and not at all if it never leaves.
        """
        if self.closing:
            return
        if self.held or after > self._outlet.log.durable:
            self.held.append((after, frame, written))
            self._outlet.wait(self)
        else:
            self._outlet.write(self.id, frame)

    def send_now(self, frame: bytes) -> None:
        """Send a frame that tells nothing of what others wait for, ahead of those that wait for the disk."""
        if not self.closing:
            self._outlet.write(self.id, frame)

    def close(self, code: CloseCode) -> None:
        """Close the connection after what was sent before."""
        if not self.closing:
            self.closing = True
            self.held.append((0, code, None))
            self.release()

    def drop(self) -> None:
        """The connection has ended: what is held is not sent any more."""
        self.closing = True
        self.held.clear()

    def release(self) -> None:
        """Send what waited for the disk and need not wait any more."""
        durable = self._outlet.log.durable
        while self.held and self.held[0][0] <= durable:
            _, held, written = self.held.popleft()
            if isinstance(held, CloseCode):
                self._outlet.sessions.close(self.id, held)
            else:
                self._outlet.write(self.id, held)
                if written is not None:
                    written()
        if self.held:
            self._outlet.wait(self)
