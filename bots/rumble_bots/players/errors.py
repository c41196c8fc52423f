"""Errors of the reference bots, all `PlayerError`.

PlayerError
├── UnknownPlayer   no reference bot has this name
├── BadOption       an option that the bot does not take, or a value it cannot use
├── NoTable         a bot that plays only what it knows to the end does not know this game
└── NoMove          a bot was asked for a move after the end of the game
"""


class PlayerError(ValueError):
    """Base of every error of the reference bots; its text is one line for a person."""


class UnknownPlayer(PlayerError):
    """No reference bot has this name."""


class BadOption(PlayerError):
    """An option that the bot does not take, or a value that it cannot use."""


class NoTable(PlayerError):
    """The bot has no table for this game, and cannot solve it in a moment."""


class NoMove(PlayerError):
    """There is no move to choose: the game is over."""
