"""Minichess: the game and its states (`game`), its moves as integers (`moves`)."""

from rumble_engine.games.minichess.game import GAME, Minichess, MinichessState

__all__ = ["GAME", "Minichess", "MinichessState"]
