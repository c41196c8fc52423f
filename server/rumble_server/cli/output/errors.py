"""Failures of commands: a clear line for a person, and an exit code."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of `rumble`."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    INTERRUPTED = 130


class CliError(Exception):
    """A failure of a command; the message is a line of text."""

    def __init__(self, message: str, exit_code: int = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


def as_cli_error(error: Exception) -> CliError | None:
    """Return `error` as a CliError for the user, or None if the error can only be a bug of Rumble."""
    if isinstance(error, CliError):
        return error
    from rumble_bots.check.errors import BadCommand
    from rumble_bots.reference import ReferenceBotError
    from rumble_bots.sdk.errors import BadAddress, BadFunction, BadName, SdkError
    from rumble_engine import EngineError

    from rumble_server.store.errors import StoreError
    from rumble_server.tournament.errors import CommandRefused

    match error:
        case BadAddress() | BadCommand() | BadFunction() | BadName():
            return CliError(str(error), ExitCode.USAGE)
        case ReferenceBotError() | EngineError() | CommandRefused():
            return CliError(str(error), ExitCode.USAGE)
        case SdkError() | StoreError():
            return CliError(str(error))
        case UnicodeEncodeError() if "\ud800" <= error.object[error.start] <= "\udfff":
            # Python's signs for bytes of an argument that are no text, or halves of characters that JSON escapes
            problem = "the command line has characters that this locale cannot read; PYTHONUTF8=1 reads them"
            return CliError(problem, ExitCode.USAGE)
        case OSError():
            return CliError(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        case _:
            return None
