"""Senders of frames to bots: a frame that names a fact waits for the disk, a turn only for earlier frames.

The socket belongs to the gateway. The gateway gets only the session's id, with a frame or a close code.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Log, Sessions

log = logging.getLogger(__name__)

NO_MATCH = ""
"""Value in place of a match id, for a frame that belongs to no match."""


class Outgoing(NamedTuple):
    """A frame to a bot, or the close of its connection."""

    content: bytes | CloseCode
    """Frame, or the code with which the connection is closed."""
    after: int = 0
    """Number of the fact that must be on disk first."""
    match_id: str = NO_MATCH
    waits_for_all: bool = False
    """True if the item waits for all earlier items."""
    is_match_over: bool = False
    """True for a `match_over`. If the connection ends before a `match_over` is sent, the bot's next session gets it."""
    frees_room: bool = False
    """True for a `match_over` whose match takes up room in the session until the frame is sent. False if the match
    never began, or ended before the login."""
    on_sent: Callable[[], None] | None = None
    """Function to be called after the item is sent; None for no call."""


class FrameSenders:
    """Log and sockets of all senders of a club, and a list of the senders with queued frames."""

    def __init__(self, log: Log, sessions: Sessions) -> None:
        self.log = log
        self.sessions = sessions
        self.write = sessions.send
        self._waiting: dict[FrameSender, None] = {}

    def add_waiting(self, sender: "FrameSender") -> None:
        """Note that the sender has queued frames, and ask the log to write soon."""
        self._waiting[sender] = None
        self.log.flush_soon()

    @property
    def waiting_count(self) -> int:
        """Number of senders with frames that wait for the disk."""
        return len(self._waiting)

    def on_durable(self) -> "list[FrameSender]":
        """Send the queued frames whose facts are on disk now.

        Return the senders of sessions in which a sent `match_over` has freed room for another match. An exception at a
        sender is logged, so that the other senders are not held up.
        """
        waiting, self._waiting = self._waiting, {}
        freed = []
        for sender in waiting:
            try:
                if sender.flush():
                    freed.append(sender)
            except Exception:
                log.exception("session %d: a queued frame could not be sent", sender.session_id)
        return freed


class FrameSender:
    """The sender of the frames to a session, in order.

    A frame that names a fact waits in the queue until the fact is on disk. A frame also waits behind queued frames of
    its own match, and behind queued frames that belong to no match. A frame with `waits_for_all`, and the end of the
    connection, wait for every earlier frame.
    """

    __slots__ = ("_blocked", "_queue", "_senders", "is_closing", "room_to_free", "session_id")

    def __init__(self, session_id: int, senders: FrameSenders) -> None:
        self.session_id = session_id
        self.is_closing = False
        """True once the server ignores the bot's further frames, and sends only the frames that are queued already."""
        self.room_to_free = 0
        """Number of ended matches that take up room until the bot is sent their queued `match_over`."""
        self._senders = senders
        self._queue: list[Outgoing] = []
        self._blocked: dict[str, None] = {}
        """Ids of matches with a queued frame, and `NO_MATCH` for a queued frame of no match. (An empty dict is smaller
        than an empty set.)"""

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame, once all facts up to the number `after` are on disk."""
        if self.is_closing:
            return
        if after > self._senders.log.durable or self.blocks(match_id):
            self._enqueue(Outgoing(frame, after, match_id))
        else:
            self._senders.write(self.session_id, frame)

    def post(self, item: Outgoing) -> bool:
        """Send an item as soon as the item need not wait. Return false if the session sends no further frames.

        If the connection ends before, the item is not sent, and its `on_sent` is never called.
        """
        if self.is_closing:
            return False
        self._send_or_enqueue(item)
        return True

    def send_now(self, frame: bytes) -> None:
        """Send a frame, such as a notice that the disk fails, ahead of all queued frames."""
        if not self.is_closing:
            self._senders.write(self.session_id, frame)

    def ask(self, frame: bytes, match_id: str) -> bool:
        """Send the `turn` of a match if no frame of the match is queued. Return whether the `turn` was sent."""
        if self.is_closing or (self._blocked and self.blocks(match_id)):
            return False
        self._senders.write(self.session_id, frame)
        return True

    def blocks(self, match_id: str) -> bool:
        """Return true if a further frame of this match would have to wait behind a queued frame."""
        blocked = self._blocked
        return bool(blocked) and (match_id in blocked or NO_MATCH in blocked)

    def close(self, code: CloseCode) -> None:
        """Close the connection after all earlier frames."""
        if not self.is_closing:
            self.is_closing = True
            self._senders.sessions.drop_received(self.session_id)
            self._send_or_enqueue(Outgoing(code, waits_for_all=True))

    def discard(self) -> None:
        """Drop the queued frames, since the connection has ended."""
        self.is_closing, self.room_to_free = True, 0
        self._queue.clear()

    @property
    def unsent_match_overs(self) -> list[Outgoing]:
        """The queued frames `match_over`, the oldest first."""
        return [each for each in self._queue if each.is_match_over]

    def flush(self) -> bool:
        """Send the queued frames that need not wait any more. Return true if a `match_over` sent now has freed room.

        After an exception, the frames behind the failed frame stay queued.
        """
        queue, self._queue = iter(self._queue), []
        room_to_free, self.room_to_free = self.room_to_free, 0
        self._blocked.clear()
        try:
            for each in queue:
                self._send_or_enqueue(each)
        finally:
            for each in queue:  # after an exception
                self._enqueue(each)
        return self.room_to_free < room_to_free

    def _send_or_enqueue(self, item: Outgoing) -> None:
        """Send an item now, or put the item into the queue if it has to wait for the disk or for queued items.

        After the end of the connection, put all items into the queue, until the arena is told of the end.
        """
        senders = self._senders
        is_behind = (self._queue and item.waits_for_all) or self.blocks(item.match_id)
        if is_behind or item.after > senders.log.durable or not senders.sessions.can_send(self.session_id):
            self._enqueue(item)
            return
        if isinstance(item.content, bytes):
            senders.write(self.session_id, item.content)
        else:
            senders.sessions.close(self.session_id, item.content)
        if item.on_sent is not None:
            item.on_sent()

    def _enqueue(self, item: Outgoing) -> None:
        if not self._queue:
            self._senders.add_waiting(self)
        self._queue.append(item)
        self._blocked[item.match_id] = None
        self.room_to_free += item.frees_room
