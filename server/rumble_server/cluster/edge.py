"""The edge of a club that another node leads: its sessions' events go to the leader, what that says comes back.

It is the `Leader` of the club's gateway. What bots said is kept until the leader has it on disk, and is said again over
the next link. A new leader, or one that has forgotten the stream, hears the logins again; its bots see what they see
after a reconnect, on the same sockets. What the old leader said too late is dropped by its epoch.
"""

from collections.abc import Callable
from typing import Protocol

import orjson
from rumble_protocol.bot_messages import BotMessage, Login, Move
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode, ErrorCode

from rumble_server.arena import messages
from rumble_server.arena.ports import Caller, Clock, TimerHandle
from rumble_server.bounds import Bounds
from rumble_server.cluster.link import RECORD_HEAD, LinkError, Opening, Packet, Records, Stream, write_opening
from rumble_server.cluster.records import NUMBER, LoginRecord, ToEdge, ToLeader, numbered, record
from rumble_server.gateway.outbox import at_end_of_turn
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.bans import Ban

PACKET_BYTES = 1 << 16
"""About the size of a packet."""
RETRY_MS = 100
"""After this time a node that did not lead the club is asked again."""
MOST_ASKED = 256
"""Turns of one session whose times are kept; beyond it the oldest are forgotten, and the leader's clock judges."""
TURN, MATCH_START = b'{"type":"turn"', b'{"type":"match_start"'
MATCH_OVER, SESSION = b'{"type":"match_over"', b'{"type":"session"'
TURN_ID, MATCH = b'"turn_id":"', b'"match":"'


class Link(Protocol):
    """A link to another node that is up."""

    def send(self, packet: bytes) -> None:
        """Send a packet."""

    @property
    def is_full(self) -> bool:
        """Whether more waits to be sent than the other node takes."""


class Guest:
    """A session of this node whose club is led elsewhere."""

    __slots__ = ("asked", "caller", "has_session", "is_held", "is_in", "joins", "login", "name", "open", "waits")

    def __init__(self, login: Login, caller: Caller) -> None:
        self.login = login
        self.caller = caller
        self.name = ""
        self.is_in = False
        """Whether the login was accepted."""
        self.has_session = False
        """Whether its bot was sent its `session`; it needs no other when it is logged in again for it."""
        self.joins = True
        """Whether its next login is to join as the bot's own did: no leader may have that on disk."""
        self.is_held = False
        """Nothing is read from its socket: too much waits for the leader."""
        self.open: dict[str, None] = {}
        """The matches that its bot was told of as open."""
        self.asked: dict[str, tuple[int, int]] = {}
        """When each turn was written, and how late the server had been in all by then."""
        self.waits: TimerHandle | None = None
        """The timer of a login that has no leader."""


class Edge:
    """The sessions of one club on this node; `later` calls back at the end of this turn of the loop."""

    def __init__(
        self,
        club: str,
        sessions: Sessions,
        clock: Clock,
        bounds: Bounds,
        later: Callable[[Callable[[], None]], None] = at_end_of_turn,
    ) -> None:
        self.club = club
        self.epoch = 0
        """The newest epoch of the club that is known here; what carries another is dropped."""
        self._sessions = sessions
        self._clock = clock
        self._bounds = bounds
        self._later = later
        self._guests: dict[int, Guest] = {}
        self._names: dict[str, Guest] = {}
        self._stream = Stream(club, 0, 0)
        self._is_known = False
        """Whether the leader has answered the stream's opening once."""
        self._link: Link | None = None
        self._is_due = False
        self._leaderless: TimerHandle | None = None
        self._wait_for_leader()

    # --- leadership and links ---

    def lead_by(self, epoch: int) -> None:
        """A node leads the club under this epoch; its link comes by `up`."""
        if epoch > self.epoch:
            self.epoch = epoch
            self._link = None
            self._begin()

    def up(self, link: Link) -> None:
        """A link to the leader's node is up."""
        self._link = link
        self._open(link)

    def down(self) -> None:
        """The link is lost."""
        self._link = None
        self._stream.down()
        self._wait_for_leader()

    def packet(self, packet: Opening | Records) -> None:
        """Something came over the link. Raises LinkError."""
        stream = self._stream
        if packet.epoch != stream.epoch or packet.stream != stream.number:
            return
        if isinstance(packet, Records):
            for kind, session_id, content in stream.take(packet):
                self._hear(kind, session_id, content)
            stream.processed = stream.seen
            self._let_speak()
            self._flush_later()
        elif packet.kind is Packet.OPENED:
            stream.up(packet.seen)
            self._is_known = True
            self._stop_waiting()
            stream.out.add(record(ToLeader.CAUGHT_UP, 0))
            self._flush_later()
        elif packet.kind is Packet.GONE:
            if self._is_known:
                self._begin()
            self._clock.call_at(self._clock.now_ms() + RETRY_MS, self._retry)

    def writable(self) -> None:
        """The link takes more."""
        self._flush_later()

    def _open(self, link: Link) -> None:
        stream = self._stream
        is_new = not self._is_known
        link.send(write_opening(Packet.OPEN, self.club, stream.epoch, stream.number, stream.seen, is_new=is_new))

    def _retry(self) -> None:
        if self._link is not None and not self._stream.is_up:
            self._open(self._link)

    def _begin(self) -> None:
        """Begin another stream: log the sessions in, and say again what the last leader may not have on disk."""
        unsure, number = [], self._stream.number + 1
        for each in self._stream.out.kept():
            _, kind, session_id = RECORD_HEAD.unpack_from(each)
            guest = self._guests.get(session_id)
            if guest is not None and kind == ToLeader.LOGIN:
                guest.joins = True
            elif guest is not None and (again := _again(kind, session_id, each[RECORD_HEAD.size :])):
                unsure.append(again)
        self._stream = stream = Stream(self.club, self.epoch, number)
        self._is_known = False
        self._wait_for_leader()
        for session_id, guest in self._guests.items():
            guest.asked.clear()
            stream.out.add(_login_record(session_id, guest))
            guest.joins = False
        for each in unsure:
            stream.out.add(each)

    # --- without a leader ---

    def _wait_for_leader(self) -> None:
        if self._leaderless is None:
            at_ms = self._clock.now_ms() + self._bounds.leaderless_ms
            self._leaderless = self._clock.call_at(at_ms, self._give_up)

    def _stop_waiting(self) -> None:
        if self._leaderless is not None:
            self._leaderless.cancel()
            self._leaderless = None

    def _give_up(self) -> None:
        """There has been no leader for long: its bots may find another way."""
        self._leaderless = None
        for session_id in list(self._guests):
            self._sessions.close(session_id, CloseCode.NO_LEADER)

    def _refuse(self, session_id: int) -> None:
        """Nobody has answered a login."""
        if session_id in self._guests:
            message = "this club cannot be reached at the moment: try again soon"
            self._sessions.send(session_id, messages.error(ErrorCode.UNAVAILABLE, message, fatal=True))
            self._sessions.close(session_id, CloseCode.NO_LEADER)

    # --- Leader: what sessions say ---

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        guest = self._guests.get(session_id)
        if guest is None or not guest.is_in:
            guest = self._guests[session_id] = Guest(login, caller)
            at_ms = self._clock.now_ms() + self._bounds.leaderless_login_ms
            guest.waits = self._clock.call_at(at_ms, lambda: self._refuse(session_id))
            self._say(_login_record(session_id, guest))
            guest.joins = False
        else:  # the leader refuses it
            self._say(_login_record(session_id, Guest(login, caller)))

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        content = text.encode()
        if type(message) is not Move:
            self._say(record(ToLeader.MESSAGE, session_id, content), session_id)
            return
        guest = self._guests.get(session_id)
        asked = None if guest is None else guest.asked.pop(message.turn_id, None)
        if asked is None:
            self._say(record(ToLeader.MESSAGE, session_id, content), session_id)
        else:
            clock = self._clock
            thought_ms = clock.now_ms() - asked[0] - (clock.late_ms - asked[1])
            self._say(numbered(ToLeader.MOVE, session_id, max(0, thought_ms), content), session_id)

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        self._say(numbered(ToLeader.REFUSED, session_id, len(error), error + text.encode()), session_id)

    def flooded(self, session_id: int, allowed: int) -> None:
        self._say(numbered(ToLeader.FLOODED, session_id, allowed))

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        if session_id in self._guests:
            self._say(numbered(ToLeader.ROUND_TRIP, session_id, max(0, lag_ms)))

    def silent(self, session_id: int) -> None:
        if session_id not in self._guests:
            self._sessions.cut(session_id)
        elif self._stream.is_up:
            self._say(record(ToLeader.SILENT, session_id))

    def close(self, session_id: int, code: CloseCode) -> None:
        if session_id in self._guests and self._stream.is_up:
            self._say(numbered(ToLeader.CLOSE, session_id, code))
        else:
            self._sessions.close(session_id, code)

    def lost(self, session_id: int) -> None:
        guest = self._guests.pop(session_id, None)
        if guest is not None:
            self._answered(guest)
            if self._names.get(guest.name) is guest:
                del self._names[guest.name]
            self._say(record(ToLeader.LOST, session_id))

    def _say(self, said: bytes, session_id: int = 0) -> None:
        """Say something to the leader, soon; a session that says it is held where too much waits already."""
        out = self._stream.out
        out.add(said)
        if out.bytes > self._bounds.link_bytes and session_id:
            guest, session = self._guests.get(session_id), self._sessions.open.get(session_id)
            if guest is not None and session is not None:
                guest.is_held = True
                session.link.hold()
        if not self._is_due:
            self._is_due = True
            self._later(self._flush)

    def _let_speak(self) -> None:
        """Read again from the sockets that were held."""
        if self._stream.out.bytes <= self._bounds.link_bytes // 2:
            for session_id, guest in self._guests.items():
                if guest.is_held:
                    guest.is_held = False
                    if session := self._sessions.open.get(session_id):
                        session.link.go_on()

    def _flush_later(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._later(self._flush)

    def _flush(self) -> None:
        """Send what was said in this turn of the loop."""
        self._is_due = False
        link = self._link
        while link is not None and not link.is_full and (packet := self._stream.packet(PACKET_BYTES)) is not None:
            link.send(packet)

    # --- Known ---

    def ban_of(self, address: str) -> Ban | None:
        """The leader knows, and refuses the login."""
        return None

    def plays(self, name: str) -> bool | None:
        guest = self._names.get(name)
        return None if guest is None else bool(guest.open)

    # --- what the leader says ---

    def _hear(self, kind: int, session_id: int, content: bytes) -> None:
        sessions = self._sessions
        guest = self._guests.get(session_id)
        if guest is None:
            return  # it has ended meanwhile
        if kind == ToEdge.SEND:
            if self._shows(guest, content):
                sessions.send(session_id, content)
        elif kind == ToEdge.COUNT:
            sessions.count(session_id)
        elif kind == ToEdge.LOGGED_IN:
            self._answered(guest)
            if not guest.is_in:
                guest.is_in, guest.name = True, content.decode()
                self._names[guest.name] = guest
                sessions.logged_in(session_id, guest.name)
        elif kind == ToEdge.NOT_LOGGED_IN:
            self._answered(guest)
            if guest.is_in:
                sessions.close(session_id, CloseCode.NO_LEADER)
            else:
                del self._guests[session_id]
                sessions.not_logged_in(session_id)
        elif kind == ToEdge.COUNT_STRANGER:
            sessions.count_stranger(session_id)
        elif kind == ToEdge.INVITED:
            sessions.invited(session_id, content.decode())
        elif kind == ToEdge.CLOSE:
            sessions.close(session_id, CloseCode(NUMBER.unpack(content)[0]))
        elif kind == ToEdge.CUT:
            sessions.cut(session_id)
        else:
            raise LinkError(f"a leader says nothing of kind {kind}")

    def _answered(self, guest: Guest) -> None:
        if guest.waits is not None:
            guest.waits.cancel()
            guest.waits = None

    def _shows(self, guest: Guest, frame: bytes) -> bool:
        """Note what a frame tells; return whether its bot is to see it."""
        if frame.startswith(TURN):
            if len(guest.asked) >= MOST_ASKED:
                del guest.asked[next(iter(guest.asked))]
            guest.asked[_text_after(frame, TURN_ID)] = self._clock.now_ms(), self._clock.late_ms
        elif frame.startswith(MATCH_START):
            guest.open[_text_after(frame, MATCH)] = None
        elif frame.startswith(MATCH_OVER):
            guest.open.pop(_text_after(frame, MATCH), None)
        elif frame.startswith(SESSION):
            known, guest.open = guest.open, dict.fromkeys(orjson.loads(frame)["matches"])
            hides, guest.has_session = guest.has_session, True
            return not (hides and known.keys() <= guest.open.keys())  # it has to hear of a match that ended meanwhile
        return True


def _text_after(frame: bytes, field: bytes) -> str:
    """Return the text of a field; ids have nothing that JSON escapes."""
    start = frame.index(field) + len(field)
    return frame[start : frame.index(b'"', start)].decode()


def _login_record(session_id: int, guest: Guest) -> bytes:
    caller, login = guest.caller, guest.login
    if not guest.joins:  # it may have left since
        login = login.model_copy(update={"join": None, "invite": None})
    said = LoginRecord(
        login=write_message(login).decode(),
        again=guest.is_in,
        address=caller.address,
        keyless_allowed=caller.keyless_allowed,
        most_matches=caller.most_matches,
        lag_ms=caller.lag_ms,
        lag_by_pings=caller.lag_by_pings,
        has_room=caller.has_room or guest.is_in,
        has_invited_room=caller.has_invited_room,
        may_speak=caller.may_speak or guest.is_in,
    )
    return record(ToLeader.LOGIN, session_id, said.model_dump_json().encode())


def _again(kind: int, session_id: int, content: bytes) -> bytes | None:
    """Return what a new leader is told of a record that the last one may have had; None: nothing.

    A move answers a turn of the last leader; the new one asks again.
    """
    if kind in (ToLeader.MESSAGE, ToLeader.REPEATED):
        return record(ToLeader.REPEATED, session_id, content)
    if kind in (ToLeader.REFUSED, ToLeader.FLOODED, ToLeader.CLOSE):
        return record(kind, session_id, content)
    return None
