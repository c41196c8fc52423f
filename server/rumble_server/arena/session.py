"""A bot's session as the arena knows it: what its login said, what it plays, and frames that wait for the disk.

The socket is elsewhere: what goes there is the session's id with a frame or a close code.
"""

from collections.abc import Callable
from typing import Literal

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller, Log, Sessions

NO_MATCH = ""
"""In the place of a match id: the frame is of no match."""


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

    @property
    def waiting(self) -> int:
        """How many sessions wait for the disk."""
        return len(self._waiting)

    def on_durable(self) -> "list[BotSession]":
        """More of the log is on disk: send the frames that waited for it.

        Return the sessions that were told of the end of a match, and so have room for another.
        """
        waiting, self._waiting = self._waiting, {}
        return [session for session in waiting if session.release()]


Kind = Literal["frame", "over", "barrier"]
"""What is said: it ends a match, it waits for everything said before, or none of these."""
Said = bytes | CloseCode
"""A frame, or the close of the connection."""
Written = Callable[[], None] | None
"""Called when a frame has left."""
Held = tuple[Said, int, str, Kind, Written]
"""What waits. The number is of the fact that must be on disk first, the text is the id of its match."""


class Part:
    """A player's part in a match: its seat, and which of the player's sessions plays it."""

    __slots__ = ("game", "is_challenge", "match_id", "seat", "session")

    def __init__(self, match_id: str, seat: int, game: str, is_challenge: bool) -> None:
        self.match_id = match_id
        self.seat = seat
        self.game = game
        self.is_challenge = is_challenge
        self.session: BotSession | None = None
        """None: the player is away from this match."""


class BotSession:
    """One login of a bot on one connection.

    A frame waits for its own fact to be on disk, and behind a held frame of its match or of none. A barrier waits for
    every earlier frame. A match has its place until the bot is told of its end, so that no match begins beyond
    `max_matches` by what it was told.
    """

    __slots__ = (
        "_held",
        "_held_places",
        "_outlet",
        "accepts_challenges",
        "address",
        "challenges",
        "client",
        "closing",
        "delay_ms",
        "games",
        "held_overs",
        "id",
        "is_stamped",
        "lag_by_pings",
        "lag_ms",
        "matches",
        "max_matches",
        "omit",
        "version",
        "worker",
    )

    def __init__(self, session_id: int, login: Login, caller: Caller, outlet: Outlet) -> None:
        self.id = session_id
        self.worker = login.worker or ""
        """Which of the bot's workers it is; a login without one is a worker of its own."""
        self.matches: dict[str, Part] = {}
        """What it plays, by match id."""
        self.challenges: tuple[str, ...] = ()
        """Those of these matches that are challenges, the newest last. A tournament's match takes their place."""
        self.address = caller.address
        """Where it comes from, for limits and bans."""
        self.max_matches = min(login.max_matches, caller.most_matches)
        self.accepts_challenges = login.challenges
        self.games = None if login.games is None else tuple(login.games)
        """The games that the bot plays; None: any."""
        self.omit = tuple(login.omit)
        """What the bot wants left out of `turn`."""
        self.version = login.version
        self.client = login.client
        self.lag_ms = caller.lag_ms
        """The least of the connection's last round trips."""
        self.lag_by_pings = caller.lag_by_pings
        """Only pings measure them, and a bot can delay its pongs."""
        self.delay_ms = caller.delay_ms
        self.is_stamped = caller.delay_ms is not None
        """Whether it is known for how long its answers wait to be read."""
        self.closing = False
        """Nothing more is sent or taken."""
        self._outlet = outlet
        self._held: list[Held] = []
        """What waits, in the order in which it was said."""
        self._held_places: dict[str, None] = {}
        """The matches that have a held frame; `NO_MATCH` among them if one is of none. (Empty sets are larger.)"""
        self.held_overs = 0
        """How many of the held frames end a match."""

    @property
    def room(self) -> int:
        """How many more matches it can take; 0 or less: none."""
        return self.max_matches - len(self.matches) - self.held_overs

    def has_place(self) -> bool:
        """Whether it can take one more match of a tournament, if need be in the place of a challenge.

        None has to give way while it is to be told of an end: then a place is about to be free.
        """
        if self.held_overs:
            return self.room > 0
        return len(self.matches) - len(self.challenges) < self.max_matches

    def plays(self, game: str) -> bool:
        """Whether its login did not leave out this game."""
        return self.games is None or game in self.games

    def take(self, part: Part) -> None:
        """Play a match."""
        part.session = self
        self.matches[part.match_id] = part
        if part.is_challenge:
            self.challenges = (*self.challenges, part.match_id)

    def give_up(self, part: Part) -> None:
        """Play a match no longer."""
        part.session = None
        del self.matches[part.match_id]
        if part.is_challenge:
            self.challenges = tuple([each for each in self.challenges if each != part.match_id])

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame, once the log is on disk up to `after`."""
        if self.closing:
            return
        if after > self._outlet.log.durable or self.holds(match_id):
            self._hold((frame, after, match_id, "frame", None))
        else:
            self._outlet.write(self.id, frame)

    def send_behind(self, frame: bytes, match_id: str, written: Callable[[], None]) -> None:
        """Send a frame of a match of which something is held, after that.

        `written` is called when it has left, and not at all if it never leaves.
        """
        if not self.closing:
            self._hold((frame, 0, match_id, "frame", written))

    def send_over(self, frame: bytes, match_id: str, after: int) -> None:
        """Send a `match_over` once its result, fact `after`, is on disk."""
        if not self.closing:
            self._pass(frame, after, match_id, "over")

    def send_last(self, frame: bytes, after: int) -> None:
        """Send a frame after everything that was said before, once the log is on disk up to `after`."""
        if not self.closing:
            self._pass(frame, after, NO_MATCH, "barrier")

    def send_now(self, frame: bytes) -> None:
        """Send a frame that tells nothing of what others wait for, ahead of those that wait for the disk."""
        if not self.closing:
            self._outlet.write(self.id, frame)

    def ask(self, frame: bytes, match_id: str) -> bool:
        """Send the `turn` of a match, unless something of it is held. Return whether it was sent."""
        if self.closing or (self._held_places and self.holds(match_id)):
            return False
        self._outlet.write(self.id, frame)
        return True

    def holds(self, match_id: str) -> bool:
        """Whether a further frame of this match would have to wait behind a held one."""
        places = self._held_places
        return bool(places) and (match_id in places or NO_MATCH in places)

    def close(self, code: CloseCode) -> None:
        """Close the connection after what was sent before."""
        if not self.closing:
            self.closing = True
            self._pass(code, 0, NO_MATCH, "barrier")

    def drop(self) -> None:
        """The connection has ended: what is held is not sent any more."""
        self.closing = True
        self._held.clear()

    def release(self) -> bool:
        """Send what waited for the disk and need not wait any more. Return whether a match's end was told."""
        held, self._held = self._held, []
        held_overs, self.held_overs = self.held_overs, 0
        self._held_places.clear()
        durable = self._outlet.log.durable
        for each in held:
            said, after, match_id, kind, written = each
            if after > durable or (self._held and self._is_behind(match_id, kind)):
                self._hold(each)
                continue
            self._leave(said)
            if written is not None:
                written()
        return self.held_overs < held_overs

    def _pass(self, said: Said, after: int, match_id: str, kind: Kind) -> None:
        """Send what need not wait, behind what is held; hold anything else."""
        if after > self._outlet.log.durable or (self._held and self._is_behind(match_id, kind)):
            self._hold((said, after, match_id, kind, None))
        else:
            self._leave(said)

    def _is_behind(self, match_id: str, kind: Kind) -> bool:
        """Whether something waits for what is held."""
        return kind == "barrier" or self.holds(match_id)

    def _leave(self, said: Said) -> None:
        """Send what need not wait."""
        if isinstance(said, bytes):
            self._outlet.write(self.id, said)
        else:
            self._outlet.sessions.close(self.id, said)

    def _hold(self, held: Held) -> None:
        if not self._held:
            self._outlet.wait(self)
        self._held.append(held)
        _, _, match_id, kind, _ = held
        self._held_places[match_id] = None
        if kind == "over":
            self.held_overs += 1
