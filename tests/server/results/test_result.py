import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver
from rumble_server.results.result import Result, blame, result_of


def test_results_come_from_facts() -> None:
    over = MatchOver("t.1.1.1.1", 2, ("A", "B"), (0.0, 1.0), Termination.TIMEOUT, "too late", (0,), ("4",), 5)
    result = result_of(over)
    assert result == Result(("A", "B"), (0.0, 1.0), Termination.TIMEOUT, (0,), "t.1.1.1.1")
    assert blame(result.scores, result.termination) == (0,)
    assert blame((0.0, 1.0), Termination.NORMAL) == ()
    void = MatchOver("t.1.1.1.1", 1, ("A", "B"), None, Termination.ABORTED, "", (), (), 5)
    with pytest.raises(ValueError, match="no result"):
        result_of(void)
