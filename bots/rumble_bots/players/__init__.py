"""The reference bots, by name: a ladder from `random` to `perfect`."""

from random import Random
from typing import Any

from rumble_bots.players.errors import BadOption, NoMove, NoTable, PlayerError, UnknownPlayer
from rumble_bots.players.heuristic import Heuristic
from rumble_bots.players.mcts import Mcts
from rumble_bots.players.minimax import Minimax
from rumble_bots.players.perfect import Perfect
from rumble_bots.players.player import Choice, Picker, Player
from rumble_bots.players.randomly import RandomPlayer
from rumble_bots.players.streetwise import Streetwise
from rumble_bots.players.winner import Winner

PLAYERS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "winner": Winner,
    "heuristic": Heuristic,
    "minimax": Minimax,
    "streetwise": Streetwise,
    "mcts": Mcts,
    "perfect": Perfect,
}
"""The reference bots by name, weakest first."""


def make_player(name: str, *, seed: int = 0, **options: Any) -> Player:
    """The reference bot `name`, whose random numbers come from `seed`. Raises UnknownPlayer or BadOption."""
    kind = PLAYERS.get(name)
    if kind is None:
        raise UnknownPlayer(f"unknown bot {name!r}; there are: {', '.join(PLAYERS)}")
    for option in options:
        if option not in kind.options:
            raise BadOption(f"{name} has no option {option!r}; it takes: {', '.join(kind.options) or 'none'}")
    return kind(Random(seed), **options)


__all__ = [
    "PLAYERS",
    "BadOption",
    "Choice",
    "Heuristic",
    "Mcts",
    "Minimax",
    "NoMove",
    "NoTable",
    "Perfect",
    "Picker",
    "Player",
    "PlayerError",
    "RandomPlayer",
    "Streetwise",
    "UnknownPlayer",
    "Winner",
    "make_player",
]
