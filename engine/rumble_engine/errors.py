"""Errors of the engine, all `EngineError`.

EngineError
├── UnknownGame        no installed game has this name
├── MissingExtra       a game whose library, an optional extra, is not installed
├── BadSettings        settings that the game does not offer, or out of their bounds
├── BadPosition        a position text or view that cannot be read or cannot occur
├── NotListed          outcomes of chance that are too many to list
├── NotSampled         a hidden game that draws no state for a view
├── ConformanceError   a game breaks a rule of the conformance kit
└── MoveError          a move text that does not count
    ├── UnreadableMove    a text that cannot be read as a move of this game
    ├── IllegalMove       a move of this game that is not allowed in this state
    └── AmbiguousMove     a text that fits more than one legal move
"""


class EngineError(ValueError):
    """Base of every error the engine raises; the error's text is one line for a person."""


class UnknownGame(EngineError):
    """No installed game has this name."""


class MissingExtra(EngineError):
    """A game needs a library that is not installed; the error's text names the extra to install."""


class BadSettings(EngineError):
    """Settings that a game does not offer, or values out of their bounds."""


class BadPosition(EngineError):
    """A position that cannot be read, or that cannot occur in the game."""


class NotListed(EngineError):
    """The outcomes of chance are too many to list; `State.draw` can still pick one."""


class NotSampled(EngineError):
    """A hidden game draws no whole states for a seat's view."""


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
