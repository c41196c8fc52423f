"""Errors of the reference bots, all `ReferenceBotError`.

ReferenceBotError
├── UnknownReferenceBot   no reference bot has this name
├── BadOption             an unknown option of the bot, or a value that the bot cannot use
├── NoTable               the bot has no table for this game, and cannot solve it in a moment
└── NoMove                a bot was asked for a move after the end of the game
"""


class ReferenceBotError(ValueError):
    """Base of every error of the reference bots; its text is a line for a person."""


class UnknownReferenceBot(ReferenceBotError):
    """No reference bot has this name."""


class BadOption(ReferenceBotError):
    """An unknown option of the bot, or a value that the bot cannot use."""


class NoTable(ReferenceBotError):
    """The bot has no table for this game, and cannot solve the game in a moment."""


class NoMove(ReferenceBotError):
    """There is no move to choose: the game is over."""
