"""Errors of the SDK, all `SdkError`; and `Resign`, which is no error: with it a bot resigns a match."""


class SdkError(Exception):
    """Base of every error the SDK raises; its text is one line for a person."""


class BadServer(SdkError):
    """Nobody answers at the address, or not as a Rumble server."""


class BadAddress(BadServer):
    """A text that is not the address of a server."""


class BadName(SdkError):
    """A name that no server would take."""


class BadKey(SdkError):
    """A key that no server would take, or a key file that is damaged or cannot be kept."""


class BadFunction(SdkError):
    """FILE.py:FUNCTION cannot be used as a bot."""


class BadProgram(SdkError):
    """A program cannot be bridged: it does not start, crashes again and again, or does not speak the protocol."""


class BadStarter(SdkError):
    """A starter bot cannot be written: its folder is there already."""


class BotFailed(SdkError):
    """A bot that plays without a server raised an error, or answered no legal move; on a server it would lose."""


class Refused(SdkError):
    """The server refused a login, a join or a challenge, and says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"the server refused: {message} ({code})")
        self.code = code
        self.message = message


class Closed(SdkError):
    """The server closed the connection with a code after which a client does not come back by itself."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the server closed the connection for good: {reason} ({code})")
        self.code = code
        self.reason = reason


class Resign(Exception):
    """Raised by a bot in `choose` to resign the match."""


class GiveUp(Resign):
    """Raised by a bot in `choose` that cannot play on at all: it resigns the match, and `Client.run` raises `error`."""

    def __init__(self, error: SdkError) -> None:
        super().__init__(str(error))
        self.error = error
