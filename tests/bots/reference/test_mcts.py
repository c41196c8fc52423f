from itertools import count
from random import Random

import pytest
from rumble_bots.reference import Mcts, make_reference_bot
from rumble_bots.reference.mcts import MOST_MS

from tests.bots.reference.positions import CONNECT4


def test_mcts_does_its_rounds_or_takes_its_time() -> None:
    state = CONNECT4.initial()
    assert make_reference_bot("mcts", iterations=20).choose(state).nodes == 20
    for time_ms, budget_ms, rounds in ((2, None, 199), (5, 4, 199), (None, 4, 199)):
        clock = count(step=1e-5).__next__
        choice = Mcts(Random(0), time_ms=time_ms, clock=clock).choose(state, budget_ms)
        assert choice.nodes == pytest.approx(rounds, abs=2)


def test_any_number_of_rounds_ends_in_time() -> None:
    """The clock goes on by a second a reading."""
    choice = Mcts(Random(0), iterations=10**9, clock=count().__next__).choose(CONNECT4.initial())
    assert choice.nodes == pytest.approx(MOST_MS / 1000, abs=2)
