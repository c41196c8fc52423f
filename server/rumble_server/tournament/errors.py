"""Errors of a tournament."""

from rumble_protocol.codes import ErrorCode


class TournamentError(ValueError):
    """The refusal of a command: `code` is the protocol's error code, and the error's text is a line for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
