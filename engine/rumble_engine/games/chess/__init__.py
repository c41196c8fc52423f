"""Chess: the game (`game`), the libraries that make moves (`library`), positions and moves as text (`fen`, `san`)."""

from rumble_engine.games.chess.game import GAME, Chess, ChessState

__all__ = ["GAME", "Chess", "ChessState"]
