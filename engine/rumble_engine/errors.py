"""Errors of the engine, all `EngineError`."""


class EngineError(ValueError):
    """Base of every error the engine raises; its text is one line for a person."""


class UnknownGame(EngineError):
    """No installed game has this name."""


class MissingExtra(EngineError):
    """A game needs a library that is not installed; the text names the extra that brings it."""


class BadSettings(EngineError):
    """Settings that a game does not offer, or values out of their bounds."""


class BadPosition(EngineError):
    """A position that cannot be read, or that cannot occur in the game."""


class ConformanceError(EngineError):
    """A game breaks a rule that every game must keep."""


class MoveError(EngineError):
    """A move text that does not count in this state."""


class UnreadableMove(MoveError):
    """The text cannot be read as a move of this game."""


class IllegalMove(MoveError):
    """The text is a move of this game, but not allowed in this state."""


class AmbiguousMove(MoveError):
    """The text fits more than one legal move."""
