from hypothesis import given
from hypothesis import strategies as st
from rumble_server.results.result import Result
from rumble_server.results.tally import Tally
from rumble_server.results.tiebreaks import rank, rank_tally

from tests.server.results.events import RESULTS


@given(st.lists(RESULTS, max_size=25))
def test_the_order_of_results_does_not_matter_and_a_result_can_be_taken_back(results: list[Result]) -> None:
    tally = Tally.over(results, "ABCDE")
    snapshot = tally.snapshot()
    assert rank_tally(snapshot) == rank(reversed(results), field="ABCDE")
    for result in results:
        tally.add(result, -1)
    assert rank_tally(tally) == rank([], field="ABCDE")
    assert not tally.meetings
    assert rank_tally(snapshot) == rank(results, field="ABCDE")
