"""Errors of a tournament."""

from rumble_protocol.codes import ErrorCode


class TournamentError(ValueError):
    """The refusal of a command by a tournament: `code` is the protocol's error code, `str` a line for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
