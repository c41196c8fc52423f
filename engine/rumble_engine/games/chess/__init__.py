"""Chess: the game and its states (`game`), its moves as integers (`moves`), its positions as text (`forms`)."""

from rumble_engine.games.chess.game import GAME, Chess, ChessState

__all__ = ["GAME", "Chess", "ChessState"]
