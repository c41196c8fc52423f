"""A bot: choose a better move!"""

import random


def choose(turn):
    """Return one of the legal moves. turn.state is the position, turn.seat your seat."""
    return random.choice(turn.legal)
