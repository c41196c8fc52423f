"""Random plies in any game (joint moves, outcomes of chance, moves in turn), and scores estimated by random plies."""

from collections.abc import Sequence
from random import Random

from rumble_engine import Outcome, State
from rumble_engine.chance import BITS

from rumble_bots.knowledge import KNOWLEDGE

LATE = 500
"""After this many plies, a random game counts as a tie. Most random games are shorter."""


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


def scores_of(state: State, outcome: Outcome | None, random: Random) -> Sequence[float]:
    """Return the scores of the outcome of `state`; before the end (None), return estimated scores.

    The game's rules of thumb estimate the scores. In a game without rules of thumb, a random game is played to the end.
    """
    if outcome is not None:
        return outcome.scores
    known = KNOWLEDGE.get(type(state))
    return known.judge(state) if known else played_on(state, random)
