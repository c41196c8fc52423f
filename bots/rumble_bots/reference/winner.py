"""`winner`: wins at once if possible, otherwise plays any legal move."""

from collections.abc import Sequence
from functools import lru_cache

from rumble_engine import JointState, State

from rumble_bots.reference.reference_bot import Picker
from rumble_bots.search.base import hides

REMEMBERED = 16_384
"""Maximum number of positions for which the bot's candidate moves are cached. Tic-tac-toe has 5,478 positions."""


def winning_codes(state: State) -> tuple[int, ...]:
    """Return the moves with which the mover wins at once."""
    mover = state.to_move
    return tuple(
        code for code in state.codes() if (outcome := state.after(code).outcome) is not None and outcome.winner == mover
    )


class Winner(Picker):
    """A bot that wins at once if possible, and otherwise plays any legal move."""

    about = "Takes a win when it sees one."

    @classmethod
    def obstacle(cls, state: State) -> str:
        if isinstance(state, JointState):
            return "winner plays no game where seats move at the same time"
        return "winner plays no game where something is hidden" if hides(state) else ""

    @staticmethod
    @lru_cache(REMEMBERED)
    def candidates(state: State, seat: int) -> Sequence[int]:
        return winning_codes(state) or state.codes()
