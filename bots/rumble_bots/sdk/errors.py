"""Errors of the SDK, all `SdkError`.

SdkError
├── BadServer      nobody answers at the address, or not as a Rumble server
│   └── BadAddress    a text is not the address of a server
├── BadName        a name that breaks the rule for names
├── BadKey         a key of a wrong length, or a damaged key file
├── BadFunction    FILE.py:FUNCTION cannot be used as a bot
├── BadProgram     a program cannot be bridged: it does not start, crashes again and again, or speaks another protocol
├── BotFailed      a bot that plays without a server raised an error, or answered no legal move
├── Refused        the server refused a login, a join or a challenge
└── Closed         the server closed the connection for good

`Resign` is no error: a bot raises `Resign` in `choose` to resign the match. The SDK raises `Crashed` after any other
error in `choose`. A bot raises `GiveUp` in `choose` to lose the match and to end.
"""


class SdkError(Exception):
    """Base class of all errors of the SDK. The text of an error is one line for people."""


class BadServer(SdkError):
    """An address at which no Rumble server answers."""


class BadAddress(BadServer):
    """A text that is not the address of a server."""


class BadName(SdkError):
    """A name that breaks the rule for names."""


class BadKey(SdkError):
    """A key of a wrong length, or a key file that is damaged or cannot be kept."""


class BadFunction(SdkError):
    """FILE.py:FUNCTION cannot be used as a bot."""


class BadProgram(SdkError):
    """A program cannot be bridged: it does not start, crashes again and again, or does not speak the protocol."""


class BotFailed(SdkError):
    """In a match without a server, a bot raised an error or answered no legal move. On a server the bot would lose."""


class Refused(SdkError):
    """The server refused a login, a join or a challenge, and says why."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        """Take the code and the text of the server's `error`. `hint` is advice of the SDK, or empty."""
        super().__init__(f"the server refused: {message} ({code})" + (f"; {hint}" if hint else ""))
        self.code = code
        """The code of the server's error."""
        self.message = message
        """The server's text, for people."""


class Closed(SdkError):
    """The server closed the connection with a code after which a client does not connect again by itself."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the server closed the connection for good: {reason} ({code})")
        self.code = code
        """The close code of the connection, from 4000 on."""
        self.reason = reason
        """The server's text, for people."""


class Resign(Exception):
    """Raised by a bot in `choose` to resign the match."""


class Crashed(Resign):
    """Raised by the SDK for an error of a bot in `choose`. The match is lost as `crashed`, by the bot's own fault."""


class GiveUp(Crashed):
    """Raised by a bot in `choose` if it cannot play on at all.

    The match is lost as `crashed`, and `Client.run` raises `error`.
    """

    def __init__(self, error: SdkError) -> None:
        super().__init__(str(error))
        self.error = error
        """The error that `Client.run` raises: the reason why the bot cannot play on."""
