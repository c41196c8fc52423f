"""Errors of the reference bots, all `ReferenceBotError`.

ReferenceBotError
├── UnknownReferenceBot   no reference bot has this name
├── BadOption             an unknown option of the bot, or a value that the bot cannot use
├── CannotPlay            the bot does not play this game, or not with these settings
└── NoMove                a bot was asked for a move, but its seat has none: the game is over, or others move
"""


class ReferenceBotError(ValueError):
    """Base class of all errors of reference bots. The text is one line for people."""


class UnknownReferenceBot(ReferenceBotError):
    """The error for an unknown name of a reference bot."""


class BadOption(ReferenceBotError):
    """The error for an unknown option of a bot, or a value that the bot cannot use."""


class CannotPlay(ReferenceBotError):
    """The error for a game, or settings of a game, that the bot does not play."""


class NoMove(ReferenceBotError):
    """The error for a seat without a move: the game is over, or only other seats move."""
