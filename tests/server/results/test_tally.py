import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.results.result import Result
from rumble_server.results.tally import Scheme, Tally
from rumble_server.results.tiebreaks import rank_tally

from tests.server.results.events import RESULTS, rank


@given(st.lists(RESULTS, max_size=25))
def test_the_order_of_results_does_not_matter_and_a_result_can_be_taken_back(results: list[Result]) -> None:
    tally = Tally.of(results, "ABCDE")
    snapshot = tally.snapshot()
    assert rank_tally(snapshot) == rank(reversed(results), field="ABCDE")
    for result in results:
        tally.add(result, -1)
    assert rank_tally(tally) == rank([], field="ABCDE")
    assert not tally.meetings
    assert rank_tally(snapshot) == rank(results, field="ABCDE")


@pytest.mark.parametrize("win", [float("nan"), float("inf"), 1e160, 2e15])
def test_points_whose_sums_and_products_cannot_be_shown_are_refused(win: float) -> None:
    with pytest.raises(ValueError, match=r"must be between -1e\+15 and 1e\+15, not"):
        Scheme.of((win, 0.5, 0))
