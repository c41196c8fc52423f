"""Rules of thumb for the dilemma: repeat the other seat's last choice, and judge by the lead in payoffs."""

from collections.abc import Sequence

from rumble_engine.games.dilemma import CHOICES, DilemmaState


def best(state: DilemmaState, seat: int) -> Sequence[int]:
    """Return the other seat's last choice; in the first round, cooperation."""
    return (CHOICES.index(state.last[1 - seat]) if state.last else 0,)


def tries(state: DilemmaState, seat: int) -> Sequence[int]:
    """Return both moves."""
    return state.codes_for(seat)


def judge(state: DilemmaState) -> Sequence[float]:
    """Return the estimated score of each seat.

    The seat that leads in payoffs has a score above 1/2. A larger lead gives a higher score.
    """
    payoffs = [each for row in state.rules.payoffs for each in row]
    lead = state.payoffs[0] - state.payoffs[1]
    share = lead / (abs(lead) + max(payoffs) - min(payoffs) + 1) / 2
    return 0.5 + share, 0.5 - share
