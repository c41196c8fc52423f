"""The sessions of this node in a club of a cluster, whoever leads the club: their logins, what their bots know.

It is what the club's leader answers to (`Sessions`): the arena of this node, or `cluster/edge.py` for another's.
"""

from dataclasses import replace

import orjson
from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller, Clock, TimerHandle
from rumble_server.gateway.sessions import Sessions

TURN, MATCH_START = b'{"type":"turn"', b'{"type":"match_start"'
MATCH_OVER, SESSION = b'{"type":"match_over"', b'{"type":"session"'
TURN_ID, MATCH = b'"turn_id":"', b'"match":"'


class Guest:
    """A session of this node."""

    __slots__ = (
        "accepted",
        "asked",
        "caller",
        "ends",
        "has_session",
        "is_held",
        "is_said",
        "login",
        "name",
        "number",
        "open",
        "waits",
    )

    def __init__(self, login: Login, caller: Caller, number: int) -> None:
        self.login = login
        self.number = number
        """That of its login among the frames of this node."""
        self.caller = caller
        self.name = ""
        self.accepted = 0
        """The number that a leader gave its login when it accepted it; 0: none did."""
        self.has_session = False
        """Whether its bot was sent its `session`; it needs no other when it is logged in again for it."""
        self.is_said = False
        """Whether the leader may know of it. A login waits for a link, and its bot may be gone before one is up."""
        self.is_held = False
        """Nothing is read from its socket: too much waits for the leader."""
        self.open: dict[str, None] = {}
        """The matches that its bot was told of as open."""
        self.asked: dict[str, tuple[str, int, int]] = {}
        """By match, its newest turn: its id, when it was written, and how late the server had been in all by then."""
        self.waits: TimerHandle | None = None
        """The timer of a login that has no leader."""
        self.ends: CloseCode | None = None
        """How it is to be closed once the leader has told all before."""

    @property
    def is_in(self) -> bool:
        """Whether the login was accepted."""
        return self.accepted > 0

    def next_login(self) -> Login:
        """Return the message by which it is to be logged in; it joins but once, since its bot may have left later."""
        return self.login.model_copy(update={"join": None, "invite": None}) if self.is_in else self.login

    def caller_again(self) -> Caller:
        """Return who logs in; who was logged in before has its place, and has spoken."""
        if not self.is_in:
            return self.caller
        return replace(self.caller, has_room=True, may_speak=True, accepted=self.accepted)

    def end(self, code: CloseCode) -> None:
        """It is to be closed: a leader that logs it in again gives it no match that it did not have."""
        self.ends = code
        self.caller = replace(self.caller, most_matches=0)

    def answered(self) -> None:
        """Its login waits no more."""
        if self.waits is not None:
            self.waits.cancel()
            self.waits = None

    def thought_ms(self, match_id: str, turn_id: str, clock: Clock) -> int | None:
        """Return how long its bot has thought about a turn; None if that is not the newest one of its match."""
        asked = self.asked.get(match_id)
        if asked is None or asked[0] != turn_id:
            return None
        return max(0, clock.now_ms() - asked[1] - (clock.late_ms - asked[2]))


class Guests:
    """The sessions by id. `sessions` are the gateway's."""

    def __init__(self, sessions: Sessions, clock: Clock) -> None:
        self.sessions = sessions
        self.by_id: dict[int, Guest] = {}
        self.by_name: dict[str, Guest] = {}
        self.forgiven = -1
        """The session whose message is not counted: it may have been before."""
        self._clock = clock

    def remove(self, session_id: int) -> Guest | None:
        """Forget a session that has ended, and return it; None if it never asked to log in."""
        guest = self.by_id.pop(session_id, None)
        if guest is not None:
            guest.answered()
            if self.by_name.get(guest.name) is guest:
                del self.by_name[guest.name]
        return guest

    # --- Sessions ---

    def send(self, session_id: int, frame: bytes) -> None:
        guest = self.by_id.get(session_id)
        if guest is None or self._shows(guest, frame):
            self.sessions.send(session_id, frame)

    def count(self, session_id: int) -> None:
        if session_id != self.forgiven:
            self.sessions.count(session_id)

    def logged_in(self, session_id: int, name: str, accepted: int) -> None:
        guest = self.by_id.get(session_id)
        if guest is not None:
            guest.answered()
            if not guest.is_in:
                guest.accepted, guest.name = accepted, name
                self.by_name[name] = guest
                self.sessions.logged_in(session_id, name, accepted)

    def not_logged_in(self, session_id: int) -> None:
        guest = self.by_id.get(session_id)
        if guest is not None:
            guest.answered()
            if guest.is_in:
                self.sessions.close(session_id, CloseCode.NO_LEADER)
            else:
                del self.by_id[session_id]
                self.sessions.not_logged_in(session_id)

    def count_stranger(self, session_id: int) -> None:
        self.sessions.count_stranger(session_id)

    def invited(self, session_id: int, tournament_id: str) -> None:
        self.sessions.invited(session_id, tournament_id)

    def close(self, session_id: int, code: CloseCode) -> None:
        self.sessions.close(session_id, code)

    def cut(self, session_id: int) -> None:
        self.sessions.cut(session_id)

    def _shows(self, guest: Guest, frame: bytes) -> bool:
        """Note what a frame tells; return whether its bot is to see it."""
        if frame.startswith(TURN):
            turn_id = _text_after(frame, TURN_ID)
            guest.asked[_text_after(frame, MATCH)] = turn_id, self._clock.now_ms(), self._clock.late_ms
        elif frame.startswith(MATCH_START):
            guest.open[_text_after(frame, MATCH)] = None
        elif frame.startswith(MATCH_OVER):
            match_id = _text_after(frame, MATCH)
            guest.open.pop(match_id, None)
            guest.asked.pop(match_id, None)
        elif frame.startswith(SESSION):
            known, guest.open = guest.open, dict.fromkeys(orjson.loads(frame)["matches"])
            hides, guest.has_session = guest.has_session, True
            return not (hides and known.keys() <= guest.open.keys())  # it has to hear of a match that ended meanwhile
        return True


def _text_after(frame: bytes, field: bytes) -> str:
    """Return the text of a field; ids have nothing that JSON escapes."""
    start = frame.index(field) + len(field)
    return frame[start : frame.index(b'"', start)].decode()
