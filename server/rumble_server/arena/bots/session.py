"""A bot's session on the arena's side: login, matches, and frames that are held until facts are on disk.

The socket belongs to the gateway. The gateway gets only the session's id, with a frame or a close code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller, Log, Sessions

NO_MATCH = ""
"""Value in place of a match id, for a frame that belongs to no match."""


class FrameSender:
    """The sender of the frames of all sessions, with a list of the sessions that have held frames."""

    def __init__(self, log: Log, sessions: Sessions) -> None:
        self.log = log
        self.sessions = sessions
        self.write = sessions.send
        self._waiting: dict[BotSession, None] = {}

    def add_waiting(self, session: "BotSession") -> None:
        """Record that the session has held frames, which are released when more of the log is on disk."""
        self._waiting[session] = None
        self.log.flush_soon()

    @property
    def waiting_count(self) -> int:
        """Number of sessions with frames that wait for the disk."""
        return len(self._waiting)

    def on_durable(self) -> "list[BotSession]":
        """Send the held frames whose facts are on disk now.

        Return the sessions in which a sent `match_over` has freed room for another match.
        """
        waiting, self._waiting = self._waiting, {}
        return [session for session in waiting if session.flush()]


OverKind = Literal["over", "late_over"]
"""Kind of a held `match_over`. The match of a `late_over` takes up no room in the session."""
Kind = Literal["frame", "barrier"] | OverKind
"""Kind of a held item: `barrier` waits for all earlier items, `frame` is any other frame than a `match_over`."""
Outgoing = bytes | CloseCode
"""Frame, or the code with which the connection is closed."""
Written = Callable[[], None] | None
"""Function to be called after a frame is sent; None for no call."""
Held = tuple[Outgoing, int, str, Kind, Written]
"""Held item: the frame or the close code, the number of the fact that must be on disk first, the match id, the kind,
and the function to be called after the item is sent."""
UnsentOver = tuple[bytes, str, int]
"""An unsent `match_over`: the frame, the match id, and the number of the fact that must be on disk first."""


@dataclass(slots=True, eq=False)
class Part:
    """A player's part in a match: seat, and playing session."""

    match_id: str
    seat: int
    game: str
    is_challenge: bool
    session: "BotSession | None" = None
    """Session that plays the match; None while the player is away from the match."""


class BotSession:
    """A login of a bot on a connection.

    A frame is held until its fact is on disk, and while an earlier frame of the same match, or of no match, is held. A
    barrier (`send_barrier`, or `close` for the end of the connection) waits for every earlier frame.

    A match takes up room until the frame `match_over` is sent to the bot. So the bot never sees itself in more than
    `max_matches` matches.
    """

    def __init__(self, session_id: int, login: Login, caller: Caller, sender: FrameSender) -> None:
        self.id = session_id
        self.worker = login.worker or ""
        """Name of the bot's worker; empty if the login names no worker. The empty name counts as a separate worker."""
        self.matches: dict[str, Part] = {}
        """Parts in the matches that this session plays, by match id."""
        self.challenges: tuple[str, ...] = ()
        """Match ids of the challenges in `matches`, the newest last. A tournament match may replace a challenge."""
        self.address = caller.address
        """Address of the connection, for limits and bans."""
        self.max_matches = min(login.max_matches, caller.most_matches)
        self.accepts_challenges = login.challenges
        self.games = None if login.games is None else tuple(login.games)
        """Games that the bot plays; None for any game."""
        self.omit = tuple(login.omit)
        """Fields that the bot wants left out of `turn`."""
        self.follow = bool(login.follow)
        """True if the bot stays connected after a tournament's end, and is then moved to the host's next tournament."""
        self.version = login.version
        self.client = login.client
        self.lag_ms = caller.lag_ms
        """Shortest of the connection's last round trips, in ms."""
        self.lag_by_pings = caller.lag_by_pings
        """True if only pings measure the round trips. The round trips may then be too long, because a bot can delay its
        pongs."""
        self.delay_ms = caller.delay_ms
        self.is_stamped = caller.delay_ms is not None
        """True if the server can measure how long the bot's answers waited in this machine before they were read."""
        self.closing = False
        """True once the server ignores the bot's further frames, and sends only the frames that are held already."""
        self._sender = sender
        self._held: list[Held] = []
        """Held items in order."""
        self._held_matches: dict[str, None] = {}
        """Ids of matches with a held frame, and `NO_MATCH` for a held frame of no match. (An empty dict is smaller than
        an empty set.)"""
        self.held_overs = 0
        """Number of held frames `match_over` whose matches still take up room."""

    @property
    def room(self) -> int:
        """Number of further matches that the session can take; 0 or less for none."""
        return self.max_matches - len(self.matches) - self.held_overs

    @property
    def tournament_room(self) -> int:
        """Number of further tournament matches that the session can take; 0 or less for none. Challenges count as room.

        While a frame `match_over` is held, they do not count: the ended match will soon leave room, so no challenge has
        to be cancelled.
        """
        if self.held_overs:
            return self.room
        return self.max_matches - len(self.matches) + len(self.challenges)

    def admits_game(self, game: str) -> bool:
        """Return true if the login admits this game."""
        return self.games is None or game in self.games

    def add_part(self, part: Part) -> None:
        """Have the session play a match."""
        part.session = self
        self.matches[part.match_id] = part
        if part.is_challenge:
            self.challenges = (*self.challenges, part.match_id)

    def remove_part(self, part: Part) -> None:
        """Take a match away from the session. The session no longer plays the match."""
        part.session = None
        del self.matches[part.match_id]
        if part.is_challenge:
            self.challenges = tuple([each for each in self.challenges if each != part.match_id])

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame, once all facts up to the number `after` are on disk."""
        if self.closing:
            return
        if after > self._sender.log.durable or self.holds(match_id):
            self._hold((frame, after, match_id, "frame", None))
        else:
            self._sender.write(self.id, frame)

    def send_behind(self, frame: bytes, match_id: str, written: Callable[[], None]) -> None:
        """Send a frame of a match behind the held frames of the match.

        `written` is called when the frame is sent. If the connection ends before, `written` is never called.
        """
        if not self.closing:
            self._hold((frame, 0, match_id, "frame", written))

    def send_over(self, frame: bytes, match_id: str, after: int, kind: OverKind = "over") -> bool:
        """Send a `match_over` once the fact of the result, which has the number `after`, is on disk.

        Return false if the session sends no further frames.
        """
        if self.closing:
            return False
        self._send_or_hold(frame, after, match_id, kind)
        return True

    @property
    def unsent_overs(self) -> list[UnsentOver]:
        """The held frames `match_over`, the oldest first."""
        return [
            (outgoing, match_id, after)
            for outgoing, after, match_id, kind, _ in self._held
            if kind in ("over", "late_over") and isinstance(outgoing, bytes)
        ]

    def send_barrier(self, frame: bytes, after: int) -> None:
        """Send a frame after all earlier frames, once all facts up to the number `after` are on disk."""
        if not self.closing:
            self._send_or_hold(frame, after, NO_MATCH, "barrier")

    def send_now(self, frame: bytes) -> None:
        """Send a frame, such as a notice that the disk fails, ahead of all held frames."""
        if not self.closing:
            self._sender.write(self.id, frame)

    def ask(self, frame: bytes, match_id: str) -> bool:
        """Send the `turn` of a match if no frame of the match is held. Return whether the `turn` was sent."""
        if self.closing or (self._held_matches and self.holds(match_id)):
            return False
        self._sender.write(self.id, frame)
        return True

    def holds(self, match_id: str) -> bool:
        """Return true if a further frame of this match would have to wait behind a held frame."""
        held = self._held_matches
        return bool(held) and (match_id in held or NO_MATCH in held)

    def close(self, code: CloseCode) -> None:
        """Close the connection after all earlier frames."""
        if not self.closing:
            self.closing = True
            self._send_or_hold(code, 0, NO_MATCH, "barrier")

    def discard_held(self) -> None:
        """Drop the held frames, since the connection has ended."""
        self.closing = True
        self._held.clear()

    def flush(self) -> bool:
        """Send the held frames that need not wait any more. Return true if a `match_over` among them has freed room.

        After the end of the connection, all frames stay held until the arena is told of the end.
        """
        if not self._sender.sessions.can_send(self.id):
            return False
        held, self._held = self._held, []
        held_overs, self.held_overs = self.held_overs, 0
        self._held_matches.clear()
        durable = self._sender.log.durable
        for each in held:
            outgoing, after, match_id, kind, written = each
            if after > durable or (self._held and self._is_behind(match_id, kind)):
                self._hold(each)
                continue
            self._transmit(outgoing)
            if written is not None:
                written()
        return self.held_overs < held_overs

    def _send_or_hold(self, outgoing: Outgoing, after: int, match_id: str, kind: Kind) -> None:
        """Send an item now if it need not wait for the disk or for held items; otherwise hold it.

        After the end of the connection, hold all items, as `flush` does.
        """
        sender = self._sender
        if (
            after > sender.log.durable
            or (self._held and self._is_behind(match_id, kind))
            or not sender.sessions.can_send(self.id)
        ):
            self._hold((outgoing, after, match_id, kind, None))
        else:
            self._transmit(outgoing)

    def _is_behind(self, match_id: str, kind: Kind) -> bool:
        """Return true if an item of this kind must wait for the held items."""
        return kind == "barrier" or self.holds(match_id)

    def _transmit(self, outgoing: Outgoing) -> None:
        """Send an item now: write the frame, or close the connection with the code."""
        if isinstance(outgoing, bytes):
            self._sender.write(self.id, outgoing)
        else:
            self._sender.sessions.close(self.id, outgoing)

    def _hold(self, held: Held) -> None:
        if not self._held:
            self._sender.add_waiting(self)
        self._held.append(held)
        _, _, match_id, kind, _ = held
        self._held_matches[match_id] = None
        if kind == "over":
            self.held_overs += 1
