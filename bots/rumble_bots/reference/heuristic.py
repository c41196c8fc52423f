"""`heuristic`: plays by the rules of thumb of `rumble_bots.knowledge`, or by simple rules.

The simple rules are for games without rules of thumb: win at once if possible; otherwise keep the opponent from winning
at once; otherwise play any legal move. In hidden games and joint moves, the simple rules are not used. The bot then
plays any legal move.
"""

from collections.abc import Sequence
from functools import lru_cache

from rumble_engine import JointState, State

from rumble_bots.knowledge import KNOWLEDGE
from rumble_bots.reference.reference_bot import Picker
from rumble_bots.reference.winner import REMEMBERED, winning_codes
from rumble_bots.search.base import hides


class Heuristic(Picker):
    """A bot that plays by rules of thumb. In games without rules of thumb, the bot plays by `pressing_codes`.

    If such a game is hidden or has joint moves, the bot plays any legal move.
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
    """Return the moves that win at once.

    If no move wins at once, return the moves after which the opponent has the fewest moves that win at once.
    """
    wins = winning_codes(state)
    if wins:
        return wins
    answers = {code: len(winning_codes(state.after(code))) for code in state.codes()}
    fewest = min(answers.values())
    return tuple(code for code, count in answers.items() if count == fewest)
