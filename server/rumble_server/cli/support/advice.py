"""Advice for the author of a bot, for each way in which a bot goes wrong."""

from typing import Final

from rumble_engine import Termination
from rumble_protocol.codes import CloseCode, ErrorCode, Rejection

PAGE = "protocol/PROTOCOL.md"
"""The page that describes the protocol."""

REJECTIONS: Final[dict[str, str]] = {
    Rejection.ILLEGAL_MOVE: "choose one of the texts in the turn's `legal`, and send it exactly as it stands there",
    Rejection.BAD_MOVE: "send `move` as one of the texts in the turn's `legal`, exactly as it stands there",
    Rejection.STALE_TURN: "send back the `turn_id` of the newest `turn` of this match",
    Rejection.ALREADY_PLAYED: "answer each `turn` once; this cost you nothing",
    Rejection.NOT_YOUR_TURN: "send a `move` only as the answer to a `turn`",
    Rejection.UNKNOWN_MATCH: "send back the `match` of the `turn` that you answer",
}
"""Advice by the code of `rejected`."""

ERRORS: Final[dict[str, str]] = {
    ErrorCode.BAD_MESSAGE: f"fix that message and send it again: one JSON object in a text frame, as in {PAGE}",
    ErrorCode.NOT_LOGGED_IN: 'answer `welcome` with {"type": "login", "name": ..., "join": ...} before anything else',
    ErrorCode.ALREADY_LOGGED_IN: "send `login` once a connection, as the answer to `welcome`",
    ErrorCode.BAD_NAME: "log in with the name in RUMBLE_NAME",
    ErrorCode.BAD_KEY: "log in with another name: this one belongs to somebody else; RUMBLE_NAME is free",
    ErrorCode.KEY_REQUIRED: "put a `key` of 16 to 128 characters into `login`, the same one each time",
    ErrorCode.UNKNOWN_TOURNAMENT: "join the tournament that RUMBLE_JOIN names",
    ErrorCode.INVITE_REQUIRED: "put the invitation that the host gave you into `login`, as `invite`",
    ErrorCode.TOURNAMENT_CLOSED: "join the tournament that RUMBLE_JOIN names, under one name, and do not leave it",
    ErrorCode.UNKNOWN_BOT: "challenge a bot that is connected",
    ErrorCode.UNKNOWN_GAME: "use one of the games in `welcome.games`",
    ErrorCode.BAD_SETTINGS: "use the settings that `rumble games` lists for this game",
    ErrorCode.TOO_MANY_MESSAGES: "send one `move` for each `turn`, and little else: see `welcome.limits`",
    ErrorCode.PROTOCOL_NOT_SUPPORTED: "offer the WebSocket sub-protocol `rumble.v1`, or none",
    ErrorCode.BANNED: "ask the host of the server why, and until when",
    ErrorCode.UNAVAILABLE: "wait a little, and send it again",
    ErrorCode.QUOTA: "ask the host of the club: it has all that its quota allows",
}
"""Advice by the code of `error`."""

CLOSES: Final[dict[int, str]] = {
    CloseCode.DRAINING: "connect again in a moment",
    CloseCode.NO_LEADER: "connect again in a moment",
    CloseCode.BINARY_FRAME: "send text frames: libraries have a call of their own, or a flag, for binary ones",
    CloseCode.NOT_UTF8: "encode what you send as UTF-8",
    CloseCode.TOO_LARGE: "send smaller messages: see `limits.frame_bytes` in `welcome`",
    CloseCode.NO_LOGIN: 'answer `welcome` at once with {"type": "login", "name": ..., "join": ...}',
    CloseCode.REPLACED: "keep one connection only: each new login of a name closes the one before",
    CloseCode.WRONG_KEY: ERRORS[ErrorCode.BAD_KEY],
    CloseCode.TOO_MANY_MESSAGES: ERRORS[ErrorCode.TOO_MANY_MESSAGES],
    CloseCode.CLUB_REMOVED: "ask the server's administrator: the club is gone for good",
    CloseCode.BANNED: ERRORS[ErrorCode.BANNED],
    CloseCode.PROTOCOL_NOT_SUPPORTED: ERRORS[ErrorCode.PROTOCOL_NOT_SUPPORTED],
}
"""Advice by the server's close code."""

LOSSES: Final[dict[str, str]] = {
    Termination.ILLEGAL_MOVE: "--step stops before each turn, so that there is time to look at it",
    Termination.TIMEOUT: "answer each `turn` within its `clock.remaining_ms`",
    Termination.DISCONNECT: "keep the connection open until `tournament_over`; connect and log in again when it breaks",
    Termination.NO_SHOW: "log in, and stay until `tournament_over`",
    Termination.FLOOD: ERRORS[ErrorCode.TOO_MANY_MESSAGES],
}
"""Advice by the termination of a match that the bot lost by its own fault."""
