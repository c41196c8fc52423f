"""Refusals of commands."""

from rumble_protocol.codes import ErrorCode


class CommandRefused(ValueError):
    """The refusal of a command. `code` is for programs; the error's text is a line for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class TournamentError(CommandRefused):
    """The refusal of a command on tournaments, bots or clubs. `code` is an error code of the protocol."""

    code: ErrorCode

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
