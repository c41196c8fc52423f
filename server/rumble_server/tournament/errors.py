"""Refusals of requests and commands."""

from rumble_protocol.codes import ErrorCode


class RequestRefused(ValueError):
    """The refusal of a request. `code` is for programs; the error's text is a line for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class CommandRefused(RequestRefused):
    """The refusal of a bot's or a host's command. `code` is an error code of the protocol."""

    code: ErrorCode

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
