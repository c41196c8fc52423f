"""`random`: any legal move."""

from collections.abc import Sequence

from rumble_engine import State

from rumble_bots.players.player import Picker


class RandomPlayer(Picker):
    """Plays any legal move."""

    about = "Plays any legal move."

    @staticmethod
    def candidates(state: State) -> Sequence[int]:
        """All legal moves."""
        return state.codes()
