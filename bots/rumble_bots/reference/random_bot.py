"""`random`: plays any legal move."""

from collections.abc import Sequence

from rumble_engine import State

from rumble_bots.reference.reference_bot import Choice, Picker, Sight


class RandomBot(Picker):
    """A bot that plays any legal move."""

    about = "Plays any legal move."

    @staticmethod
    def candidates(state: State, seat: int) -> Sequence[int]:
        return state.codes_for(seat)

    def choose_seeing(self, sight: Sight, budget_ms: int | None = None) -> Choice:
        return Choice(self.random.choice(sight.legal))
