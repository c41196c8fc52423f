"""`random`: any legal move."""

from collections.abc import Sequence

from rumble_engine import State

from rumble_bots.reference.reference_bot import Picker


class RandomBot(Picker):
    """Plays any legal move."""

    about = "Plays any legal move."

    @staticmethod
    def candidates(state: State, seat: int) -> Sequence[int]:
        return state.codes_for(seat)
