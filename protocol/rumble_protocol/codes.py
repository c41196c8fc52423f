"""Every code of the protocol: rejections, errors, notices, close codes. PROTOCOL.md explains them."""

from enum import IntEnum, StrEnum
from typing import Final


class Rejection(StrEnum):
    """Reasons why a `move` does not count. Only the first two are faults of the bot."""

    ILLEGAL_MOVE = "illegal_move"
    BAD_MOVE = "bad_move"
    STALE_TURN = "stale_turn"
    ALREADY_PLAYED = "already_played"
    NOT_YOUR_TURN = "not_your_turn"
    UNKNOWN_MATCH = "unknown_match"


class ErrorCode(StrEnum):
    """Reasons why a message other than a move was refused."""

    BAD_MESSAGE = "bad_message"
    NOT_LOGGED_IN = "not_logged_in"
    ALREADY_LOGGED_IN = "already_logged_in"
    BAD_NAME = "bad_name"
    BAD_KEY = "bad_key"
    KEY_REQUIRED = "key_required"
    UNKNOWN_TOURNAMENT = "unknown_tournament"
    INVITE_REQUIRED = "invite_required"
    TOURNAMENT_CLOSED = "tournament_closed"
    UNKNOWN_BOT = "unknown_bot"
    UNKNOWN_GAME = "unknown_game"
    BAD_SETTINGS = "bad_settings"
    TOO_MANY_MESSAGES = "too_many_messages"
    PROTOCOL_NOT_SUPPORTED = "protocol_not_supported"
    UNAVAILABLE = "unavailable"
    BANNED = "banned"
    QUOTA = "quota"


class NoticeCode(StrEnum):
    """The subject of a `notice`."""

    PAUSED = "paused"
    RESUMED = "resumed"
    DRAINING = "draining"
    DISK = "disk"
    BENCHED = "benched"
    REMOVED = "removed"
    CANCELLED = "cancelled"
    MATCH_VOIDED = "match_voided"
    OPPONENT_AWAY = "opponent_away"
    NAME_OPEN = "name_open"
    BYE = "bye"
    PAIRING = "pairing"
    QUOTA = "quota"
    SEAT_FELL = "seat_fell"
    WAITING = "waiting"
    HOST = "host"


class CloseCode(IntEnum):
    """WebSocket close codes the server sends."""

    DRAINING = 1001
    BINARY_FRAME = 1003
    NOT_UTF8 = 1007
    TOO_LARGE = 1009
    NO_LEADER = 1012
    NO_LOGIN = 4000
    REPLACED = 4001
    WRONG_KEY = 4003
    CLUB_REMOVED = 4004
    TOO_MANY_MESSAGES = 4008
    PROTOCOL_NOT_SUPPORTED = 4010
    BANNED = 4011


CLOSE_REASONS: Final[dict[CloseCode, str]] = {
    CloseCode.DRAINING: "the server is draining; reconnect in a moment",
    CloseCode.BINARY_FRAME: "frames are text, not binary",
    CloseCode.NOT_UTF8: "a text frame must be UTF-8",
    CloseCode.TOO_LARGE: "the frame is larger than limits.frame_bytes",
    CloseCode.NO_LEADER: "this club cannot be reached at the moment; reconnect soon",
    CloseCode.NO_LOGIN: "no login within limits.login_ms",
    CloseCode.REPLACED: "a newer login of this name took over",
    CloseCode.WRONG_KEY: "this name is protected by another key",
    CloseCode.CLUB_REMOVED: "this club was removed",
    CloseCode.TOO_MANY_MESSAGES: "more than limits.unsolicited_per_minute messages that answer no turn",
    CloseCode.PROTOCOL_NOT_SUPPORTED: "this server speaks rumble.v1",
    CloseCode.BANNED: "this name or address is banned here",
}

WORKER_REPLACED: Final = "a newer login of this worker took over"
"""Close reason that the server sends with the code `REPLACED` if the login of the session named a worker."""

DO_NOT_RECONNECT: Final = frozenset(
    {CloseCode.REPLACED, CloseCode.WRONG_KEY, CloseCode.CLUB_REMOVED, CloseCode.PROTOCOL_NOT_SUPPORTED}
)
"""Codes after which a client must not reconnect by itself: the server would close the connection again."""
