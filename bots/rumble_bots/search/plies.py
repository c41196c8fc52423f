"""Random plies in any game: joint moves, outcomes of chance, and moves in turn."""

from collections.abc import Sequence
from random import Random

from rumble_engine import State
from rumble_engine.chance import BITS

LATE = 500
"""Number of plies after which a random game counts as a tie. Most random games are shorter."""


def random_ply(state: State, random: Random) -> State:
    """Return the state after a random ply. An outcome of chance is drawn by its probability."""
    if state.is_chance:
        return state.after(state.draw(random.getrandbits(BITS)))
    return state.after_all({seat: random.choice(state.codes_for(seat)) for seat in state.movers})


def played_on(state: State, random: Random) -> Sequence[float]:
    """Play a random game from `state` on, and return the scores."""
    for _ in range(LATE):
        if (outcome := state.outcome) is not None:
            return outcome.scores
        state = random_ply(state, random)
    return [0.5] * state.seats
