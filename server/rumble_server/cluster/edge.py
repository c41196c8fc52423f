"""The edge of a club in a cluster: its sessions' events go to the leader, what that says comes back.

It is the `Leader` of the club's gateway. Where this node leads, it hands everything to the arena at once. Else what
bots said is kept until the leader has it on disk, and is said again over the next link. A new leader, or one that has
forgotten the stream, hears the logins again; its bots see what they see after a reconnect, on the same sockets. What
the old leader said too late is dropped by its epoch.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from rumble_protocol.bot_messages import BotMessage, Join, Login, Move
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.codes import CloseCode, ErrorCode

from rumble_server.arena import messages
from rumble_server.arena.ports import Caller, Clock, FrameId, TimerHandle
from rumble_server.bounds import Bounds
from rumble_server.cluster.guests import Guest, Guests
from rumble_server.cluster.link import RECORD_HEAD, LinkError, Opening, Packet, Records, Stream, write_opening
from rumble_server.cluster.records import (
    FRAME_NUMBER,
    LOGIN_NUMBER,
    MOVE,
    NOT_KNOWN,
    NUMBER,
    SEND,
    LoginRecord,
    ToEdge,
    ToLeader,
    numbered,
    record,
)
from rumble_server.gateway.outbox import at_end_of_turn
from rumble_server.gateway.ports import Leader
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.bans import Ban

PACKET_BYTES = 1 << 16
"""About the size of a packet."""
SAID_AGAIN = frozenset((ToLeader.REPEATED, ToLeader.REFUSED, ToLeader.FLOODED, ToLeader.CLOSE))
"""What a new leader is told, as it is, that the last one may have had."""
FRAMES_OF_A_MS = 1000
"""More frames than a node takes in a ms."""
RETRY_MS = 100
"""After this time a node that did not lead the club is asked again."""


class Link(Protocol):
    """A link to another node that is up."""

    def send(self, packet: bytes) -> None:
        """Send a packet."""

    @property
    def is_full(self) -> bool:
        """Whether more waits to be sent than the other node takes."""


class FrameLeader(Leader, Protocol):
    """The leader of a club that may change its node."""

    def receive(self, session_id: int, message: BotMessage, text: str, *, frame: FrameId | None = None) -> None:
        """A session sent a valid message after its login; `frame` is for one that another leader may have taken."""


class Here(FrameLeader, Protocol):
    """The leader of a club on this node."""

    def unsure(self) -> list[bytes]:
        """Return the records of what it was told, moves apart, and may not have on disk."""


class Edge:
    """The sessions of one club on this node; `later` calls back at the end of this turn of the loop."""

    def __init__(
        self,
        club: str,
        sessions: Sessions,
        clock: Clock,
        bounds: Bounds,
        later: Callable[[Callable[[], None]], None] = at_end_of_turn,
        on_leaderless: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_leaderless` is called when nobody who leads the club can be reached any more."""
        self.club = club
        self.epoch = 0
        """The newest epoch of the club that is known here; what carries another is dropped."""
        self.guests = Guests(sessions, clock)
        """What the arena of this node answers to."""
        self._sessions = sessions
        self._clock = clock
        self._bounds = bounds
        self._later = later
        self._on_leaderless = on_leaderless
        self._guests = self.guests.by_id
        self._here: Here | None = None
        """The arena, where this node leads."""
        self._node = ""
        """The id of this node then."""
        self._run = ""
        """What turn ids begin with then."""
        self._stream = Stream(club, 0, 0)
        self._is_known = False
        """Whether the leader has answered the stream's opening once."""
        self._link: Link | None = None
        self._said = clock.now_ms() * FRAMES_OF_A_MS
        """The number of the newest frame; one that was made before for this club on this node had lower ones."""
        self._is_due = False
        self._is_holding = False
        """Whether some sessions are held."""
        self._leaderless: TimerHandle | None = None
        self._wait_for_leader()

    # --- leadership and links ---

    def lead_by(self, epoch: int) -> None:
        """A node leads the club under this epoch; its link comes by `up`."""
        if epoch > self.epoch:
            self._leave()
            self.epoch = epoch
            self._link = None
            self._begin()

    def lead_here(self, leader: Here, epoch: int, node: str) -> None:
        """This node, of this id, leads the club itself."""
        self._leave()
        unsure = self._unsure()
        self.epoch, self._link, self._here, self._run = epoch, None, leader, f"{epoch:x}."
        self._node = node
        self._stream = Stream(self.club, epoch, self._stream.number + 1)
        self._stop_waiting()
        for session_id, guest in self._staying():
            guest.asked.clear()
            guest.answered()
            caller = replace(guest.caller_again(), frame=(node, guest.number))
            leader.login(session_id, guest.next_login(), caller)
        for kind, session_id, content in unsure:
            self._say_again(leader, kind, session_id, content)
        self._let_speak()

    def _say_again(self, leader: Here, kind: ToLeader, session_id: int, content: bytes) -> None:
        """Hand over what an earlier leader may have had: it is counted no second time."""
        if kind == ToLeader.REPEATED:
            (number,), text = FRAME_NUMBER.unpack_from(content), content[FRAME_NUMBER.size :].decode()
            message = read_bot_message(text)
            if type(message) is not Move:
                self.guests.forgiven = session_id
                leader.receive(session_id, message, text, frame=(self._node, number))
                self.guests.forgiven = -1
            return
        (number,) = NUMBER.unpack_from(content)
        if kind == ToLeader.REFUSED:
            end = NUMBER.size + number
            leader.refused(session_id, content[end:].decode(), content[NUMBER.size : end])
        elif kind == ToLeader.FLOODED:
            leader.flooded(session_id, number)
        else:
            leader.close(session_id, CloseCode(number))

    def _leave(self) -> None:
        """This node leads the club no more: what its log may not have on disk waits for the next leader."""
        here, self._here = self._here, None
        if here is not None:
            for said in here.unsure():
                self._stream.out.add(said)

    def up(self, link: Link) -> None:
        """A link to the leader's node is up."""
        self._link = link
        self._open(link)

    def down(self) -> None:
        """The link is lost."""
        self._link = None
        self._stream.down()
        if self._here is None:
            self._wait_for_leader()

    def lead_by_nobody(self) -> None:
        """No node leads the club, as far as is known here."""
        self._leave()
        self.down()

    def packet(self, packet: Opening | Records) -> None:
        """Something came over the link. Raises LinkError."""
        stream = self._stream
        if packet.epoch != stream.epoch or packet.stream != stream.number:
            return
        if isinstance(packet, Records):
            send = self.guests.send
            for kind, session_id, content in stream.take(packet):
                if kind == SEND:
                    send(session_id, content)
                else:
                    self._hear(kind, session_id, content)
            stream.processed = stream.seen
            if self._is_holding:
                self._let_speak()
            if stream.owes:
                self._flush_later()
        elif packet.kind is Packet.OPENED:
            stream.up(packet.seen)
            self._is_known = True
            self._stop_waiting()
            for session_id, guest in self._staying():
                if not guest.is_said:
                    self._say_login(session_id, guest)
            self._flush_later()
        elif packet.kind is Packet.GONE:
            if self._is_known:
                self._begin()
            self._clock.call_at(self._clock.now_ms() + RETRY_MS, self._retry)

    @property
    def is_leaderless(self) -> bool:
        """Whether nobody who leads the club can be reached."""
        return self._here is None and not self._stream.is_up

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
        unsure = self._unsure()
        self._stream = stream = Stream(self.club, self.epoch, self._stream.number + 1)
        self._is_known = False
        self._wait_for_leader()
        for session_id, guest in self._staying():
            guest.asked.clear()
            guest.is_said = guest.is_in  # the others are said when a link is up
            if guest.is_in:
                stream.out.add(_login_record(session_id, guest))
        for kind, session_id, content in unsure:
            stream.out.add(record(kind, session_id, content))

    def _staying(self) -> list[tuple[int, Guest]]:
        """Return the sessions that are to be logged in again: one that is closing would be asked for moves unheard."""
        is_open = self._sessions.open
        return [each for each in self._guests.items() if each[0] in is_open and not is_open[each[0]].closing]

    def _unsure(self) -> list[tuple[ToLeader, int, bytes]]:
        """Return what the last leader may not have on disk and the next one has to hear, logins and moves apart.

        A move answers a turn of the last leader; the next one asks again. A bot that is logged in joins by a message.
        A session that is to be closed and has no answer to its login is over: let in, it would replace a newer one.
        """
        for session_id, each in list(self._guests.items()):
            if each.ends is not None and not each.is_in:
                self._end(session_id, each.ends)
        unsure = []
        for said in self._stream.out.kept():
            _, kind, session_id = RECORD_HEAD.unpack_from(said)
            guest, content = self._guests.get(session_id), said[RECORD_HEAD.size :]
            if guest is None:
                continue
            if kind == ToLeader.LOGIN:
                number = content[: FRAME_NUMBER.size]
                if guest.is_in and number == FRAME_NUMBER.pack(guest.number) and guest.login.join is not None:
                    join = write_message(Join(tournament=guest.login.join, invite=guest.login.invite))
                    unsure.append((ToLeader.REPEATED, session_id, number + join))
            elif kind == ToLeader.MESSAGE:
                unsure.append((ToLeader.REPEATED, session_id, content))
            elif kind in SAID_AGAIN:
                unsure.append((ToLeader(kind), session_id, content))
        return unsure

    # --- without a leader ---

    def _wait_for_leader(self) -> None:
        if self._leaderless is None:
            at_ms = self._clock.now_ms() + self._bounds.leaderless_ms
            self._leaderless = self._clock.call_at(at_ms, self._give_up)
            self._on_leaderless()

    def _stop_waiting(self) -> None:
        if self._leaderless is not None:
            self._leaderless.cancel()
            self._leaderless = None

    def _give_up(self) -> None:
        """There has been no leader for long: its bots may find another way."""
        self._leaderless = None
        for session_id in list(self._guests):
            self._end(session_id, CloseCode.NO_LEADER)

    def _refuse(self, session_id: int) -> None:
        """Nobody has answered a login."""
        if session_id in self._guests:
            message = "this club cannot be reached at the moment: try again soon"
            self._sessions.send(session_id, messages.error(ErrorCode.UNAVAILABLE, message, fatal=True))
            self._end(session_id, CloseCode.NO_LEADER)

    def _end(self, session_id: int, code: CloseCode) -> None:
        """End a session that has no leader; none is to ask it for a move while its connection closes."""
        self._sessions.close(session_id, code)
        self.lost(session_id)

    # --- Leader: what sessions say ---

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._said += 1
        guest = self._guests[session_id] = Guest(login, caller, self._said)
        # The leader may be suspended, too, where this node leads.
        at_ms = self._clock.now_ms() + self._bounds.leaderless_login_ms
        guest.waits = self._clock.call_at(at_ms, lambda: self._refuse(session_id))
        if self._here is not None:
            self._here.login(session_id, guest.next_login(), replace(caller, frame=(self._node, guest.number)))
        elif self._stream.is_up:
            self._say_login(session_id, guest)

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        here = self._here
        if type(message) is not Move:
            if here is not None:
                self._said += 1
                here.receive(session_id, message, text, frame=(self._node, self._said))
            else:
                self._say_frame(session_id, text)
        elif here is None:
            guest = self._guests.get(session_id)
            thought_ms = None if guest is None else guest.thought_ms(message.match, message.turn_id, self._clock)
            if thought_ms is None:
                self._say_frame(session_id, text)
            else:
                self._say(numbered(MOVE, session_id, thought_ms, text.encode()), session_id)
        elif message.turn_id.startswith(self._run):
            here.receive(session_id, message, text)
        else:  # it answers a turn of an earlier leader: no fault of the bot
            self.guests.forgiven = session_id
            here.receive(session_id, message, text)
            self.guests.forgiven = -1

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        if self._here is not None:
            self._here.refused(session_id, text, error)
        else:
            self._say(numbered(ToLeader.REFUSED, session_id, len(error), error + text.encode()), session_id)

    def flooded(self, session_id: int, allowed: int) -> None:
        if guest := self._guests.get(session_id):
            guest.end(CloseCode.TOO_MANY_MESSAGES)
        if self._here is not None:
            self._here.flooded(session_id, allowed)
        else:
            self._say(numbered(ToLeader.FLOODED, session_id, allowed))

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        if self._here is not None:
            self._here.round_trip(session_id, lag_ms)
        elif session_id in self._guests:
            self._say(numbered(ToLeader.ROUND_TRIP, session_id, max(0, lag_ms)))

    def silent(self, session_id: int) -> None:
        if session_id not in self._guests:
            self._sessions.cut(session_id)
        elif self._here is not None:
            self._here.silent(session_id)
        elif self._stream.is_up and not self._guests[session_id].is_held:  # else it is this node that does not read
            self._say(record(ToLeader.SILENT, session_id))

    def close(self, session_id: int, code: CloseCode) -> None:
        guest = self._guests.get(session_id)
        if guest is None:
            self._sessions.close(session_id, code)
            return
        guest.end(code)
        if self._here is not None:
            self._here.close(session_id, code)
        elif self._stream.is_up:
            self._say(numbered(ToLeader.CLOSE, session_id, code))
        else:
            self._end(session_id, code)

    def lost(self, session_id: int) -> None:
        guest = self.guests.remove(session_id)
        if self._here is not None:
            self._here.lost(session_id)
        elif guest is not None and guest.is_said:
            self._say(record(ToLeader.LOST, session_id))

    def _say_login(self, session_id: int, guest: Guest) -> None:
        guest.is_said = True
        self._say(_login_record(session_id, guest))

    def _say_frame(self, session_id: int, text: str) -> None:
        self._said += 1
        self._say(record(ToLeader.MESSAGE, session_id, FRAME_NUMBER.pack(self._said) + text.encode()), session_id)

    def _say(self, said: bytes, session_id: int = 0) -> None:
        """Say something to the leader, soon; a session that says it is held where too much waits already."""
        out = self._stream.out
        out.add(said)
        if out.bytes > self._bounds.link_bytes and session_id:
            guest, session = self._guests.get(session_id), self._sessions.open.get(session_id)
            if guest is not None and session is not None:
                guest.is_held = self._is_holding = True
                session.link.hold()
        if not self._is_due:
            self._is_due = True
            self._later(self._flush)

    def _let_speak(self) -> None:
        """Read again from the sockets that were held."""
        if self._stream.out.bytes <= self._bounds.link_bytes // 2:
            self._is_holding = False
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
        guest = self.guests.by_name.get(name)
        return None if guest is None else bool(guest.open)

    # --- what the leader says ---

    def _hear(self, kind: int, session_id: int, content: bytes) -> None:
        if kind == ToEdge.COUNT:
            self.guests.count(session_id)
        elif kind == ToEdge.LOGGED_IN:
            name = content[LOGIN_NUMBER.size :].decode()
            self.guests.logged_in(session_id, name, *LOGIN_NUMBER.unpack_from(content))
        elif kind == ToEdge.NOT_LOGGED_IN:
            self.guests.not_logged_in(session_id)
        elif kind == ToEdge.COUNT_STRANGER:
            self.guests.count_stranger(session_id)
        elif kind == ToEdge.INVITED:
            self.guests.invited(session_id, content.decode())
        elif kind == ToEdge.CLOSE:
            self.guests.close(session_id, CloseCode(NUMBER.unpack(content)[0]))
        elif kind == ToEdge.ASK:
            self._clock.after_input(partial(self._tell_thought, self._stream, session_id, content))
        elif kind == ToEdge.CUT:
            self.guests.cut(session_id)
        else:
            raise LinkError(f"a leader says nothing of kind {kind}")

    def _tell_thought(self, stream: Stream, session_id: int, question: bytes) -> None:
        """Tell the leader for how long a bot has thought about a turn, behind all that its bot has said."""
        if stream is self._stream:
            match_id, _, turn_id = question[NUMBER.size :].decode().partition(" ")
            guest = self._guests.get(session_id)
            thought_ms = None if guest is None else guest.thought_ms(match_id, turn_id, self._clock)
            answer = NUMBER.pack(NOT_KNOWN if thought_ms is None else thought_ms)
            self._say(record(ToLeader.THOUGHT, session_id, question[: NUMBER.size] + answer))


def _login_record(session_id: int, guest: Guest) -> bytes:
    caller = guest.caller_again()
    said = LoginRecord(
        login=write_message(guest.next_login()).decode(),
        accepted=caller.accepted,
        address=caller.address,
        keyless_allowed=caller.keyless_allowed,
        most_matches=caller.most_matches,
        lag_ms=caller.lag_ms,
        lag_by_pings=caller.lag_by_pings,
        has_room=caller.has_room,
        has_invited_room=caller.has_invited_room,
        may_speak=caller.may_speak,
    )
    number = 0 if guest.is_in else guest.number  # it joins no second time
    return record(ToLeader.LOGIN, session_id, FRAME_NUMBER.pack(number) + said.model_dump_json().encode())
