"""The leader's end of a club's streams: sessions of other nodes, as the arena's port `Sessions` has them.

Each edge's sessions have ids of their own in the arena, beyond those of this node. While an edge cannot be reached its
sessions stay, and no time is judged for them; once its node's lease is over they are lost.
"""

import logging
from collections import deque
from collections.abc import Callable, Container
from functools import partial

from pydantic import ValidationError
from rumble_protocol.bot_messages import BotMessage, Login, Move
from rumble_protocol.codec import BadMessage, read_bot_message
from rumble_protocol.codes import CloseCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import UNKNOWN, Caller, Sessions, TimerHandle
from rumble_server.cluster.edge import PACKET_BYTES, Link
from rumble_server.cluster.link import LinkError, Opening, Packet, Records, Stream, write_opening
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

log = logging.getLogger(__name__)

SESSIONS_OF_A_NODE = 1 << 32
"""How many ids each node's sessions have; those below are this node's own."""
_LOW = SESSIONS_OF_A_NODE - 1


class _Question:
    """How long a bot has thought: asked of its node before a verdict."""

    __slots__ = ("_answered",)

    def __init__(self, answered: Callable[[int], None]) -> None:
        self._answered: Callable[[int], None] | None = answered

    def cancel(self) -> None:
        self._answered = None

    def answer(self, thought_ms: int) -> None:
        """Call back, unless nobody wants to know any more."""
        if self._answered is not None:
            self._answered(thought_ms)


class _Peer:
    """An edge of the club: its stream, its link, and its sessions."""

    __slots__ = ("asked", "base", "gone", "link", "node", "questions", "sessions", "stream", "waiting")

    def __init__(self, node: str, base: int, stream: Stream) -> None:
        self.node = node
        self.base = base
        """What its sessions' ids begin with."""
        self.stream = stream
        self.link: Link | None = None
        self.questions: dict[int, _Question] = {}
        """What it was asked and has not answered, by number."""
        self.asked = 0
        """The number of the last question."""
        self.sessions: dict[int, None] = {}
        """The sessions, by their ids in the arena."""
        self.gone: set[int] = set()
        """Those whose end has come and is not handled, by their ids there. One that came and went while nothing got
        through is not logged in: it would replace a newer one of its bot."""
        self.waiting: deque[tuple[int, int, int]] = deque()
        """Records that the edge has to keep until the log is on disk up to a fact, and all answers up to one that
        needed something to be read are given: (record, fact, answer)."""


class Lead:
    """What leads a club for other nodes. It is the `Sessions` of the arena: `local` has those of this node.

    `enter` runs what comes from outside in its turn; `later` calls back at the end of this turn of the loop.
    """

    def __init__(
        self,
        club: str,
        epoch: int,
        local: Sessions,
        link_bytes: int,
        enter: Callable[[Callable[[], None]], None] = lambda call: call(),
        later: Callable[[Callable[[], None]], None] = at_end_of_turn,
    ) -> None:
        self.club = club
        self.epoch = epoch
        self._local = local
        self._link_bytes = link_bytes
        self._enter = enter
        self._later = later
        self._peers: dict[str, _Peer] = {}
        self._by_base: dict[int, _Peer] = {}
        self._bases = 0
        self._due: dict[_Peer, None] = {}
        self._heard: _Peer | None = None
        """The edge whose records are being handled; what is said to it is sent after them."""
        self._forgiven = -1
        """The session whose message is one that may have been counted before."""

    def attach(self, arena: Arena) -> None:
        """Lead by this arena, which was given this as its `Sessions`."""
        self._arena = arena
        arena.on_answered.append(self.on_durable)
        self._run = f"{arena.matches.run:x}."

    # --- links ---

    def opening(self, node: str, opening: Opening, link: Link) -> None:
        """A node opens its stream, or goes on with it over a new link. Raises LinkError."""
        peer = self._peers.get(node)
        is_known = peer is not None and peer.stream.number == opening.stream
        if opening.epoch != self.epoch or not (is_known or opening.is_new):
            link.send(write_opening(Packet.GONE, self.club, opening.epoch, opening.stream))
            return
        if peer is None or not is_known:
            self.forget(node)
            self._bases += SESSIONS_OF_A_NODE
            peer = _Peer(node, self._bases, Stream(self.club, self.epoch, opening.stream))
            self._peers[node] = self._by_base[peer.base] = peer
        peer.link = link
        peer.stream.up(opening.seen)
        link.send(write_opening(Packet.OPENED, self.club, self.epoch, opening.stream, peer.stream.seen))
        self._write(peer)

    def records(self, node: str, packet: Records, link: Link) -> None:
        """Records came over a link of a node. Raises LinkError."""
        peer = self._peers.get(node)
        if peer is None or peer.link is not link:
            return
        taken = peer.stream.take(packet)
        if taken:
            seen = peer.stream.seen
            peer.gone.update([session for kind, session, _ in taken if kind == ToLeader.LOST])
            self._enter(partial(self._handle, peer, taken, seen))

    def down(self, node: str, link: Link) -> None:
        """A link of a node is lost. Its sessions stay, and no time is judged for them: the node is asked before."""
        peer = self._peers.get(node)
        if peer is not None and peer.link is link:
            peer.link = None
            peer.stream.down()

    def forget(self, node: str) -> None:
        """The lease of a node is over, or it begins anew: its sessions are lost."""
        peer = self._peers.pop(node, None)
        if peer is not None:
            del self._by_base[peer.base]
            self._due.pop(peer, None)
            for session_id in list(peer.sessions):
                self._enter(lambda lost=session_id: self._arena.lost(lost))  # type: ignore[misc]
            for question in peer.questions.values():
                self._enter(partial(question.answer, UNKNOWN))

    def forget_unreachable(self, there: Container[str]) -> None:
        """Only the leases of these nodes are valid: forget others to which there is no link."""
        for node, peer in list(self._peers.items()):
            if peer.link is None and node not in there:
                self.forget(node)

    def lead_no_more(self) -> None:
        """Another node leads from now on: tell the edges, so that they look for it."""
        for peer in self._peers.values():
            if peer.link is not None:
                peer.link.send(write_opening(Packet.GONE, self.club, self.epoch, peer.stream.number))
                self.down(peer.node, peer.link)

    def writable(self, node: str) -> None:
        """The link of a node takes more."""
        peer = self._peers.get(node)
        if peer is not None:
            self._write(peer)

    # --- what edges say ---

    def _handle(self, peer: _Peer, taken: list[tuple[int, int, bytes]], seen: int) -> None:
        facts, base, peers = self._arena.log, peer.base, self._by_base
        self._heard = peer
        try:
            for kind, session, content in taken:
                if base not in peers:
                    return
                if kind == MOVE:
                    (thought_ms,) = NUMBER.unpack_from(content)
                    text = content[NUMBER.size :].decode()
                    self._move(base + session, _message(text), text, thought_ms)
                else:
                    self._take(peer, kind, base + session, content)
        except LinkError as error:
            log.error("club %s: node %s broke the rules of links: %s", self.club, peer.node, error)
            self._give_up(peer)
            return
        finally:
            self._heard = None
        if facts.durable >= facts.last and not self._arena.reading:
            peer.stream.processed = seen
            peer.waiting.clear()
        else:
            peer.waiting.append((seen, facts.last, self._arena.asked))
        self._send(peer)

    def _take(self, peer: _Peer, kind: int, session_id: int, content: bytes) -> None:
        arena = self._arena
        if kind == ToLeader.MESSAGE or kind == ToLeader.REPEATED:
            (number,), text = FRAME_NUMBER.unpack_from(content), content[FRAME_NUMBER.size :].decode()
            message, is_repeated = _message(text), kind == ToLeader.REPEATED
            if type(message) is not Move:
                self._forgiven = session_id if is_repeated else -1
                arena.receive(session_id, message, text, UNKNOWN, (peer.node, number))
                self._forgiven = -1
            elif not is_repeated:  # else the turn that it answered is asked again
                self._move(session_id, message, text, UNKNOWN)
        elif kind == ToLeader.LOGIN:
            if session_id & _LOW not in peer.gone:
                self._log_in(peer, session_id, content)
        elif kind == ToLeader.ROUND_TRIP:
            arena.round_trip(session_id, _number(content))
        elif kind == ToLeader.REFUSED:
            end = NUMBER.size + _number(content)
            arena.refused(session_id, content[end:].decode(), content[NUMBER.size : end])
        elif kind == ToLeader.FLOODED:
            arena.flooded(session_id, _number(content))
        elif kind == ToLeader.SILENT:
            arena.silent(session_id)
        elif kind == ToLeader.CLOSE:
            arena.close(session_id, CloseCode(_number(content)))
        elif kind == ToLeader.LOST:
            peer.sessions.pop(session_id, None)
            peer.gone.discard(session_id & _LOW)
            arena.lost(session_id)
        elif kind == ToLeader.THOUGHT:
            question = peer.questions.pop(_number(content), None)
            if question is not None:
                (thought_ms,) = NUMBER.unpack_from(content, NUMBER.size)
                question.answer(UNKNOWN if thought_ms == NOT_KNOWN else thought_ms)
        else:
            raise LinkError(f"an edge says nothing of kind {kind}")

    def _move(self, session_id: int, message: BotMessage, text: str, thought_ms: int) -> None:
        if type(message) is not Move:
            raise LinkError("a move that is none")
        if not message.turn_id.startswith(self._run):
            # It answers a turn of an earlier leader, which did not come to know of it: no fault of the bot.
            self._forgiven = session_id
            self._arena.receive(session_id, message, text)
            self._forgiven = -1
        else:
            self._arena.receive(session_id, message, text, thought_ms)

    def _log_in(self, peer: _Peer, session_id: int, content: bytes) -> None:
        try:
            said = LoginRecord.model_validate_json(content[FRAME_NUMBER.size :])
        except ValidationError as error:
            raise LinkError(f"not a login: {error}") from None
        login = _message(said.login)
        if not isinstance(login, Login):
            raise LinkError("a login that is none")
        caller = Caller(
            address=said.address,
            keyless_allowed=said.keyless_allowed,
            most_matches=said.most_matches,
            lag_ms=said.lag_ms,
            lag_by_pings=said.lag_by_pings,
            has_room=said.has_room,
            has_invited_room=said.has_invited_room,
            may_speak=said.may_speak,
            ask_node=partial(self._ask, peer),
            frame=(peer.node, *FRAME_NUMBER.unpack_from(content)),
            accepted=said.accepted,
        )
        peer.sessions[session_id] = None
        if said.accepted:
            self._forgiven = session_id
        self._arena.login(session_id, login, caller)
        self._forgiven = -1

    def _ask(
        self, peer: _Peer, session_id: int, match_id: str, turn_id: str, answered: Callable[[int], None]
    ) -> TimerHandle:
        """Ask an edge how long a bot has thought (see `Ask`)."""
        peer.asked += 1
        question = peer.questions[peer.asked] = _Question(answered)
        about = f"{match_id} {turn_id}".encode()
        self._tell(session_id, numbered(ToEdge.ASK, session_id & _LOW, peer.asked, about))
        return question

    # --- Sessions: what the arena says ---

    def logged_in(self, session_id: int, name: str, accepted: int) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.logged_in(session_id, name, accepted)
        else:
            self._say(session_id, ToEdge.LOGGED_IN, LOGIN_NUMBER.pack(accepted) + name.encode())

    def not_logged_in(self, session_id: int) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.not_logged_in(session_id)
        else:
            self._say(session_id, ToEdge.NOT_LOGGED_IN)

    def count_stranger(self, session_id: int) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.count_stranger(session_id)
        else:
            self._say(session_id, ToEdge.COUNT_STRANGER)

    def invited(self, session_id: int, tournament_id: str) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.invited(session_id, tournament_id)
        else:
            self._say(session_id, ToEdge.INVITED, tournament_id.encode())

    def send(self, session_id: int, frame: bytes) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.send(session_id, frame)
        else:
            self._say(session_id, SEND, frame)

    def count(self, session_id: int) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.count(session_id)
        elif session_id != self._forgiven:
            self._say(session_id, ToEdge.COUNT)

    def close(self, session_id: int, code: CloseCode) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.close(session_id, code)
        else:
            self._tell(session_id, numbered(ToEdge.CLOSE, session_id & _LOW, code))

    def cut(self, session_id: int) -> None:
        if session_id < SESSIONS_OF_A_NODE:
            self._local.cut(session_id)
        else:
            self._say(session_id, ToEdge.CUT)

    def _say(self, session_id: int, kind: int, content: bytes = b"") -> None:
        self._tell(session_id, record(kind, session_id & _LOW, content))

    def _tell(self, session_id: int, said: bytes) -> None:
        peer = self._by_base.get(session_id & ~_LOW)
        if peer is None:
            return
        peer.stream.out.add(said)
        if peer is not self._heard:
            if not self._due:
                self._later(self._flush)
            self._due[peer] = None

    # --- the log ---

    def on_durable(self) -> None:
        """More of the log is on disk, or an answer was given: what caused it need not be kept by the edges."""
        durable, answered = self._arena.log.durable, self._arena.answered
        for peer in self._peers.values():
            waiting = peer.waiting
            while waiting and waiting[0][1] <= durable and waiting[0][2] <= answered:
                peer.stream.processed = waiting.popleft()[0]
            if peer.stream.owes:
                self._send(peer)

    # --- writing ---

    def _flush(self) -> None:
        """Send what was said in this turn of the loop."""
        due, self._due = self._due, {}
        for peer in due:
            self._send(peer)

    def _send(self, peer: _Peer) -> None:
        """Send what was said; give up an edge that has long taken nothing."""
        self._write(peer)
        if peer.stream.out.bytes > self._link_bytes:
            log.warning("club %s: node %s takes too little; its bots log in again", self.club, peer.node)
            self._give_up(peer)

    def _give_up(self, peer: _Peer) -> None:
        """End a stream; the edge begins another."""
        if peer.link is not None:
            peer.link.send(write_opening(Packet.GONE, self.club, self.epoch, peer.stream.number))
        self.forget(peer.node)

    def _write(self, peer: _Peer) -> None:
        link = peer.link
        while link is not None and not link.is_full and (packet := peer.stream.packet(PACKET_BYTES)) is not None:
            link.send(packet)


def _number(content: bytes) -> int:
    return int(NUMBER.unpack_from(content)[0])


def _message(text: str) -> BotMessage:
    try:
        return read_bot_message(text)
    except BadMessage as error:
        raise LinkError(f"an edge passed on what is no message: {error.message}") from None
