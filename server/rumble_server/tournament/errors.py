"""Errors of a tournament."""

from rumble_protocol.codes import ErrorCode


class TournamentError(ValueError):
    """A command that a tournament refuses; `code` is the protocol's code for it, `str` the line for a person."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
