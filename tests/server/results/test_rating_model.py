import numpy as np
import pytest
from rumble_server.results.rating_model import MOST_STEPS, Matrix, climb


def test_a_step_that_goes_down_is_halved() -> None:
    top = np.array([2.0, -1.0])
    seen: list[float] = []

    def likelihood(at: Matrix) -> float:
        seen.append(-float(((at - top) ** 2).sum()))
        return seen[-1]

    found = climb(np.zeros(2), likelihood, lambda at: 6 * (top - at))
    assert found == pytest.approx(top, abs=1e-9)
    assert min(seen) < seen[0]  # a whole step goes too far


def test_a_climb_without_a_top_ends() -> None:
    assert climb(np.zeros(1), lambda at: float(at[0]), np.ones_like)[0] == MOST_STEPS
    assert climb(np.zeros(1), lambda at: float(at[0]), np.zeros_like)[0] == 0
