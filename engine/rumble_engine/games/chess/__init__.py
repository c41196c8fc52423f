"""Chess: the game and its states (`game`), the libraries that make the moves (`library`), positions as text (`fen`)."""

from rumble_engine.games.chess.game import GAME, Chess, ChessState

__all__ = ["GAME", "Chess", "ChessState"]
