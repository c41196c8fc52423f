"""Rules of thumb for the dilemma: repeat the last choice of the other seat; a lead in payoffs is good."""

from collections.abc import Sequence

from rumble_engine.games.dilemma import CHOICES, DilemmaState


def best(state: DilemmaState, seat: int) -> Sequence[int]:
    """Return the last choice of the other seat, at first to cooperate."""
    return (CHOICES.index(state.last[1 - seat]) if state.last else 0,)


def tries(state: DilemmaState, seat: int) -> Sequence[int]:
    """Return both moves."""
    return state.codes_for(seat)


def judge(state: DilemmaState) -> Sequence[float]:
    """Return more than 1/2 for the seat that leads, and the more the larger the lead is in rounds."""
    payoffs = [each for row in state.rules.payoffs for each in row]
    lead = state.payoffs[0] - state.payoffs[1]
    share = lead / (abs(lead) + max(payoffs) - min(payoffs) + 1) / 2
    return 0.5 + share, 0.5 - share
