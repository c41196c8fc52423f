"""Errors of the engine, all `EngineError`.

EngineError
├── UnknownGame        no installed game has this name
├── MissingExtra       a game whose library, an optional extra, is not installed
├── BadSettings        settings that the game does not offer, or out of their bounds
├── BadPosition        a position text or view that cannot be read or cannot occur
├── NotListed          outcomes of chance that are too many to list
├── NotSampled         a hidden game that draws no state for a view
├── ConformanceError   a game breaks a rule of the conformance kit
└── MoveError          a text that a state does not accept as a move
    ├── UnreadableMove    a text that cannot be read as a move of this game
    ├── IllegalMove       a move of this game that is not allowed in this state
    └── AmbiguousMove     a text that fits more than one legal move
"""

LONGEST_MOVE = 80
"""Maximum number of characters of a move. A longer text is unreadable in every game."""


class EngineError(ValueError):
    """Base class of all errors of the engine. The error's text is one line for people."""


class UnknownGame(EngineError):
    """The error for an unknown name of a game."""


class MissingExtra(EngineError):
    """The error for a game with a missing library. The error's text names the extra to install."""


class BadSettings(EngineError):
    """The error for an unknown setting, or for a setting with a value out of bounds."""


class BadPosition(EngineError):
    """The error for an unreadable position, or a position that cannot occur in the game."""


class NotListed(EngineError):
    """The error for too many outcomes of chance to list. `State.draw` can still pick an outcome."""


class NotSampled(EngineError):
    """The error for a hidden game that cannot draw complete states for a seat's view."""


class ConformanceError(EngineError):
    """The error for a game that breaks a rule of the conformance kit."""


class MoveError(EngineError):
    """Base class of the errors for a text that a state does not accept as a move."""


class UnreadableMove(MoveError):
    """The error for a text that cannot be read as a move of this game."""


class IllegalMove(MoveError):
    """The error for a move of this game that the rules do not allow in this state."""


class AmbiguousMove(MoveError):
    """The error for a text that fits several legal moves."""
