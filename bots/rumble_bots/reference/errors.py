"""Errors of the reference bots, all `ReferenceBotError`.

ReferenceBotError
├── UnknownReferenceBot   no reference bot has this name
├── BadOption             an unknown option of the bot, or a value that the bot cannot use
├── CannotPlay            the bot does not play this game, or not with these settings
└── NoMove                a bot was asked for a move, but its seat has none: the game is over, or others move
"""


class ReferenceBotError(ValueError):
    """Base of every error of the reference bots; its text is a line for a person."""


class UnknownReferenceBot(ReferenceBotError):
    """No reference bot has this name."""


class BadOption(ReferenceBotError):
    """An unknown option of the bot, or a value that the bot cannot use."""


class CannotPlay(ReferenceBotError):
    """The bot does not play this game, or not with these settings."""


class NoMove(ReferenceBotError):
    """There is no move to choose: the game is over, or others move."""
