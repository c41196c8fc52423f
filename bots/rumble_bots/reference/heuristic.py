"""`heuristic`: wins at once if possible, else keeps the opponent from winning at once, else plays any legal move."""

from collections.abc import Sequence
from functools import lru_cache

from rumble_engine import State

from rumble_bots.reference.reference_bot import Picker
from rumble_bots.reference.winner import REMEMBERED, winning_codes


class Heuristic(Picker):
    """Looks two plies ahead. To block means, in any game, to leave the opponent the fewest moves that win at once."""

    about = "Wins, blocks, and else plays by rules of thumb."

    @staticmethod
    @lru_cache(REMEMBERED)
    def candidates(state: State) -> Sequence[int]:
        """Return the moves that win at once, or else the moves after which the opponent has the fewest such moves."""
        wins = winning_codes(state)
        if wins:
            return wins
        answers = {code: len(winning_codes(state.after(code))) for code in state.codes()}
        fewest = min(answers.values())
        return tuple(code for code, count in answers.items() if count == fewest)
