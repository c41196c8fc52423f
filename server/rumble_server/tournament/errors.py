"""Errors of a tournament.

TournamentError      a command that cannot be done, with the protocol's code for it
"""

from rumble_protocol.codes import ErrorCode


class TournamentError(ValueError):
    """A command that a tournament refuses; `code` is what a bot or a host is told, `str` the line for a person."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
