"""FrameSenders over sockets and a disk in memory, to see which frames are sent, and when."""

from typing import Any, cast

from rumble_protocol.codes import CloseCode
from rumble_server.arena.bots.frame_sender import FrameSender, FrameSenders, Outgoing

from tests.server.memory_log import MemoryLog
from tests.server.virtual_clock import VirtualClock


def match_over(frame: bytes, match_id: str, number: int) -> Outgoing:
    """Return a `match_over` that frees room; `number` is the fact that must be on disk first."""
    return Outgoing(frame, number, match_id, is_match_over=True, frees_room=True)


class Socket:
    """The sockets' side: it records frames and closes in order; any other call is an error."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def can_send(self, session_id: int) -> bool:
        return True

    def send(self, session_id: int, frame: bytes) -> None:
        self.said.append(frame)

    def drop_received(self, session_id: int) -> None: ...

    def close(self, session_id: int, code: CloseCode) -> None:
        self.said.append(code)


class Sent:
    """A sender and what it has sent. The disk writes when the test says so; facts 1 and 2 are appended."""

    def __init__(self) -> None:
        self.log, self.socket = MemoryLog(VirtualClock()), Socket()
        self.log.stuck = True
        self.log.facts = [object(), object()]  # type: ignore[list-item]  # only their numbers matter
        self.senders = FrameSenders(self.log, cast(Any, self.socket))
        self.sender = FrameSender(7, self.senders)

    def write(self, number: int) -> list[FrameSender]:
        """Write up to this fact. Return the senders that have sent an end."""
        self.log.durable = number
        return self.senders.on_durable()
