"""Checkers: the game and its states (`game`), its moves as integers (`moves`)."""

from rumble_engine.games.checkers.game import GAME, Checkers, CheckersState

__all__ = ["GAME", "Checkers", "CheckersState"]
