"""`heuristic`: plays by the rules of thumb of `rumble_bots.knowledge`, or by rules for any game in turn.

The latter: win at once if possible, else keep the opponent from winning at once, else play any legal move.
"""

from collections.abc import Sequence
from functools import lru_cache

from rumble_engine import JointState, State

from rumble_bots.knowledge import KNOWLEDGE
from rumble_bots.reference.reference_bot import Picker
from rumble_bots.reference.winner import REMEMBERED, winning_codes
from rumble_bots.search.base import hides


class Heuristic(Picker):
    """Looks two plies ahead where it has no rules of thumb for the game.

    To block means, in any game, to leave the opponent the fewest moves that win at once.
    """

    about = "Wins, blocks, and else plays by rules of thumb."

    @staticmethod
    def candidates(state: State, seat: int) -> Sequence[int]:
        known = KNOWLEDGE.get(type(state))
        if known is not None:
            return known.best(state, seat)
        is_blind = isinstance(state, JointState) or hides(state)
        return state.codes_for(seat) if is_blind else pressing_codes(state)


@lru_cache(REMEMBERED)
def pressing_codes(state: State) -> Sequence[int]:
    """Return the winning moves if there are any, else the moves after which the opponent has the fewest."""
    wins = winning_codes(state)
    if wins:
        return wins
    answers = {code: len(winning_codes(state.after(code))) for code in state.codes()}
    fewest = min(answers.values())
    return tuple(code for code, count in answers.items() if count == fewest)
