"""The rules of Rumble's games: pure, synchronous, immutable. No clock, no I/O, no logging.

`Game` makes an initial `State`. A state has the seat to move, the legal moves, and the state after each legal move.
When the game is over, the state has an `Outcome`. `game_names()` and `get_game()` find the installed games.
"""

from rumble_engine.chance import drawn
from rumble_engine.drawing import Drawing, Path, Piece
from rumble_engine.errors import (
    AmbiguousMove,
    BadPosition,
    BadSettings,
    ConformanceError,
    EngineError,
    IllegalMove,
    MissingExtra,
    MoveError,
    NotListed,
    NotSampled,
    UnknownGame,
    UnreadableMove,
)
from rumble_engine.game import ALL, Game, GameFamily, Setting, SettingValue, State
from rumble_engine.joint import JointState
from rumble_engine.outcome import Outcome, Termination
from rumble_engine.registry import broken_games, game_families, game_names, get_game, missing_games

__all__ = [
    "ALL",
    "AmbiguousMove",
    "BadPosition",
    "BadSettings",
    "ConformanceError",
    "Drawing",
    "EngineError",
    "Game",
    "GameFamily",
    "IllegalMove",
    "JointState",
    "MissingExtra",
    "MoveError",
    "NotListed",
    "NotSampled",
    "Outcome",
    "Path",
    "Piece",
    "Setting",
    "SettingValue",
    "State",
    "Termination",
    "UnknownGame",
    "UnreadableMove",
    "broken_games",
    "drawn",
    "game_families",
    "game_names",
    "get_game",
    "missing_games",
]
