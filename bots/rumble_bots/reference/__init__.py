"""The reference bots of Rumble: a ladder from `random` to `perfect`, and strategies for the dilemma."""

from random import Random
from typing import Any

from rumble_bots.reference.dilemma import Friedman, Grofman, Joss, TitForTat, TitForTwoTats
from rumble_bots.reference.errors import BadOption, CannotPlay, NoMove, ReferenceBotError, UnknownReferenceBot
from rumble_bots.reference.heuristic import Heuristic
from rumble_bots.reference.mcts import Mcts
from rumble_bots.reference.minimax import Minimax
from rumble_bots.reference.perfect import Perfect
from rumble_bots.reference.random_bot import RandomBot
from rumble_bots.reference.reference_bot import Choice, Picker, ReferenceBot
from rumble_bots.reference.streetwise import Streetwise
from rumble_bots.reference.winner import Winner

REFERENCE_BOTS: dict[str, type[ReferenceBot]] = {
    "random": RandomBot,
    "winner": Winner,
    "heuristic": Heuristic,
    "minimax": Minimax,
    "streetwise": Streetwise,
    "mcts": Mcts,
    "perfect": Perfect,
    "tit-for-tat": TitForTat,
    "tit-for-two-tats": TitForTwoTats,
    "friedman": Friedman,
    "grofman": Grofman,
    "joss": Joss,
}
"""The reference bots by name: the ladder from the weakest bot up, and then the strategies for the dilemma."""


def make_reference_bot(name: str, *, seed: int = 0, **options: Any) -> ReferenceBot:
    """Make the reference bot `name`, whose random numbers follow from `seed`.

    Raises UnknownReferenceBot and BadOption.
    """
    kind = REFERENCE_BOTS.get(name)
    if kind is None:
        raise UnknownReferenceBot(f"unknown bot {name!r}; there are: {', '.join(REFERENCE_BOTS)}")
    for option in options:
        if option not in kind.options:
            raise BadOption(f"{name} has no option {option!r}; it takes: {', '.join(kind.options) or 'none'}")
    return kind(Random(seed), **options)


__all__ = [
    "REFERENCE_BOTS",
    "BadOption",
    "CannotPlay",
    "Choice",
    "Heuristic",
    "Mcts",
    "Minimax",
    "NoMove",
    "Perfect",
    "Picker",
    "RandomBot",
    "ReferenceBot",
    "ReferenceBotError",
    "Streetwise",
    "UnknownReferenceBot",
    "Winner",
    "make_reference_bot",
]
