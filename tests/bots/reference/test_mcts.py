from itertools import count
from random import Random

import pytest
from rumble_bots.reference import (
    Mcts,
    make_reference_bot,
)

from tests.bots.reference.positions import CONNECT4


def test_mcts_does_its_rounds_or_takes_its_time() -> None:
    state = CONNECT4.initial()
    assert make_reference_bot("mcts", iterations=20).choose(state).nodes == 20
    for time_ms, budget_ms, rounds in ((2, None, 199), (5, 4, 199), (None, 4, 199)):
        clock = count(step=1e-5).__next__
        choice = Mcts(Random(0), time_ms=time_ms, clock=clock).choose(state, budget_ms)
        assert choice.nodes == pytest.approx(rounds, abs=2)
