"""What the records of a stream say: events of sessions to the leader, and the leader's answers."""

from enum import IntEnum
from struct import Struct

from pydantic import BaseModel, ConfigDict

from rumble_server.cluster.link import RECORD_HEAD


class ToLeader(IntEnum):
    """Records of the edge, about one of its sessions."""

    LOGIN = 1
    """The number of its frame on this node, 0 for one that was accepted before, and JSON of `LoginRecord`."""
    MOVE = 2
    """The time the bot took, and its frame."""
    MESSAGE = 3
    """Another valid message: the number of its frame on this node, and the frame."""
    REPEATED = 4
    """The same, of a message that an earlier leader may have had."""
    REFUSED = 5
    """The size of the error that answers it, the error, and the bot's frame."""
    FLOODED = 6
    """How many messages are allowed."""
    ROUND_TRIP = 7
    """The connection's lag."""
    SILENT = 8
    CLOSE = 9
    """A close code."""
    LOST = 10
    THOUGHT = 11
    """The number of a question, and the time for which the session's bot has thought; all ones if that is not known."""


class ToEdge(IntEnum):
    """Records of the leader: the messages of the arena's port `Sessions`."""

    SEND = 1
    """A frame."""
    LOGGED_IN = 2
    """The number of the login among those of the club, and the name."""
    NOT_LOGGED_IN = 3
    COUNT_STRANGER = 4
    INVITED = 5
    """A tournament's id."""
    COUNT = 6
    CLOSE = 7
    """A close code."""
    CUT = 8
    ASK = 9
    """The number of a question: how long has the bot thought about this turn? The ids of its match and turn follow."""


class LoginRecord(BaseModel):
    """A login, and what the edge can tell of its caller (see `Caller`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    login: str
    """The message."""
    accepted: int
    """The number that this leader or another gave it when it accepted it; 0: none did."""
    address: str
    keyless_allowed: bool
    most_matches: int
    lag_ms: int
    lag_by_pings: bool
    has_room: bool
    has_invited_room: bool
    may_speak: bool


MOVE, SEND = int(ToLeader.MOVE), int(ToEdge.SEND)
"""The kinds of which there is one for each move: to look up a member of an enumeration takes longer than to compare."""
NOT_KNOWN = 0xFFFFFFFF
"""In the place of a time in ms."""
NUMBER = Struct("<I")
"""A time in ms, a size, a code or a count."""
FRAME_NUMBER = Struct("<Q")
"""The number of a frame among those of a club that this node has passed on, moves apart."""
LOGIN_NUMBER = Struct("<Q")
"""The number of a login among those that leaders of its club have accepted."""
_with_number = Struct(RECORD_HEAD.format + NUMBER.format[1:])
FORMATS = {
    "to leader": {kind.name: kind.value for kind in ToLeader},
    "to edge": {kind.name: kind.value for kind in ToEdge},
    "login": {name: str(field.annotation) for name, field in LoginRecord.model_fields.items()},
    "numbers": [NUMBER.format, FRAME_NUMBER.format, LOGIN_NUMBER.format],
}
"""What records say and how it is written; nodes that differ in it refuse each other."""
_head = RECORD_HEAD.pack
_pack = _with_number.pack


def record(kind: int, session: int, content: bytes = b"") -> bytes:
    """Build a record."""
    return _head(len(content), kind, session) + content


def numbered(kind: int, session: int, number: int, content: bytes = b"") -> bytes:
    """Build a record whose content begins with a number."""
    return _pack(len(content) + 4, kind, session, number) + content
