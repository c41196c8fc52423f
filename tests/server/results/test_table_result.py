from dataclasses import replace

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, TableEnd
from rumble_server.results.table_result import TableResult, table_result_of

FALLS = ((2, 0, Termination.NO_SHOW), (1, 7, Termination.RESIGNATION), (0, 9, Termination.TIMEOUT))
OVER = MatchOver(
    "t.1.1.1.1",
    1,
    ("A", "B", "C"),
    (1.0, 0.5, 0.0),
    Termination.NORMAL,
    "",
    (0, 2),
    (),
    5,
    table=TableEnd((1, 2, 3), (2.5, 0.0, -1.0), FALLS, ""),
)


def test_the_result_of_a_match() -> None:
    result = table_result_of(OVER)
    assert (result.seats, result.places, result.payoffs) == (("A", "B", "C"), (1, 2, 3), (2.5, 0.0, -1.0))
    assert result.match_id == "t.1.1.1.1"
    assert result.absent == {2}
    assert result.faults == ((2, Termination.NO_SHOW), (0, Termination.TIMEOUT))


def test_two_seats_without_places_have_the_places_of_their_scores() -> None:
    ended = TableEnd(None, None, (), "")
    for scores, places in (((1.0, 0.0), (1, 2)), ((0.5, 0.5), (1, 1)), ((0.0, 1.0), (2, 1))):
        over = replace(OVER, seats=("A", "B"), scores=scores, table=ended)
        assert table_result_of(over) == TableResult(("A", "B"), places, match_id="t.1.1.1.1")


def test_a_void_or_a_plain_match_has_no_result_of_a_table() -> None:
    for over in (replace(OVER, scores=None), replace(OVER, table=None)):
        with pytest.raises(ValueError, match=r"match t.1.1.1.1, attempt 1, has no result of a table"):
            table_result_of(over)
