"""Advice for the author of a bot: a text for each code by which a server reports a problem.

If a rule of `rumble check` covers the mistake, the rule's advice is used.
"""

from typing import Final

from rumble_bots.check.rules import RULES
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode, ErrorCode, Rejection

ANSWER, LIMITS, LOG_IN = RULES["answers"].mend, RULES["limits"].mend, RULES["login"].mend

REJECTIONS: Final[dict[str, str]] = {
    Rejection.ILLEGAL_MOVE: RULES["legal-moves"].mend,
    Rejection.BAD_MOVE: RULES["legal-moves"].mend,
    Rejection.STALE_TURN: RULES["stale-turns"].mend,
    Rejection.ALREADY_PLAYED: f"{ANSWER} This cost you nothing.",
    Rejection.NOT_YOUR_TURN: ANSWER,
    Rejection.UNKNOWN_MATCH: ANSWER,
}
"""Advice for each code of a message `rejected`."""

ERRORS: Final[dict[str, str]] = {
    ErrorCode.BAD_MESSAGE: RULES["valid-messages"].mend,
    ErrorCode.NOT_LOGGED_IN: LOG_IN,
    ErrorCode.ALREADY_LOGGED_IN: "Send login once a connection, as the answer to welcome.",
    ErrorCode.BAD_NAME: "Log in with the name in RUMBLE_NAME.",
    ErrorCode.BAD_KEY: "Log in with another name: this one is somebody else's; RUMBLE_NAME is free.",
    ErrorCode.KEY_REQUIRED: "Put a key of 16 to 128 characters into login, the same one each time.",
    ErrorCode.UNKNOWN_TOURNAMENT: "Join the tournament that RUMBLE_JOIN names.",
    ErrorCode.INVITE_REQUIRED: "Put the invitation that the host gave you into login, as invite.",
    ErrorCode.TOURNAMENT_CLOSED: "Join the tournament that RUMBLE_JOIN names, under one name, and do not leave it.",
    ErrorCode.UNKNOWN_BOT: "Challenge a bot that is connected.",
    ErrorCode.UNKNOWN_GAME: "Use one of the games in welcome.games.",
    ErrorCode.BAD_SETTINGS: "Use the settings that `rumble games` lists for this game.",
    ErrorCode.TOO_MANY_MESSAGES: LIMITS,
    ErrorCode.PROTOCOL_NOT_SUPPORTED: RULES["connect"].mend,
    ErrorCode.BANNED: "Ask the host of the server why, and until when.",
    ErrorCode.UNAVAILABLE: "Wait a little, and send it again.",
    ErrorCode.QUOTA: "Ask the host of the club: it has all that its quota allows.",
}
"""Advice for each code of a message `error`."""

CLOSES: Final[dict[int, str]] = {
    CloseCode.DRAINING: RULES["server-restart"].mend,
    CloseCode.NO_LEADER: RULES["server-restart"].mend,
    CloseCode.BINARY_FRAME: "Send text frames: libraries have a call of their own, or a flag, for binary ones.",
    CloseCode.NOT_UTF8: "Encode what you send as UTF-8.",
    CloseCode.TOO_LARGE: LIMITS,
    CloseCode.NO_LOGIN: LOG_IN,
    CloseCode.REPLACED: "Keep one connection only: each new login of a name closes the one before.",
    CloseCode.WRONG_KEY: ERRORS[ErrorCode.BAD_KEY],
    CloseCode.TOO_MANY_MESSAGES: LIMITS,
    CloseCode.CLUB_REMOVED: "Ask the server's administrator: the club is gone for good.",
    CloseCode.BANNED: ERRORS[ErrorCode.BANNED],
    CloseCode.PROTOCOL_NOT_SUPPORTED: RULES["connect"].mend,
}
"""Advice for each code with which the server closes a connection."""

LOSSES: Final[dict[str, str]] = {
    Termination.ILLEGAL_MOVE: "Look at each turn before your bot answers: --step waits for you.",
    Termination.TIMEOUT: "Answer each turn within its clock.remaining_ms.",
    Termination.DISCONNECT: f"{RULES['stays-connected'].mend} {RULES['dropped-connection'].mend}",
    Termination.NO_SHOW: f"{LOG_IN} {RULES['stays-connected'].mend}",
    Termination.FLOOD: LIMITS,
    Termination.CRASHED: "Mend the error in your bot's program: the error and its line are in the resign above.",
}
"""Advice for each termination with which a bot loses a match by its own fault."""
