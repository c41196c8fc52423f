from dataclasses import replace

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, Placement
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
    placement=Placement((1, 2, 3), (2.5, 0.0, -1.0), FALLS, ""),
)


def test_the_result_of_a_match() -> None:
    result = table_result_of(OVER)
    assert (result.seats, result.places, result.payoffs) == (("A", "B", "C"), (1, 2, 3), (2.5, 0.0, -1.0))
    assert result.match_id == "t.1.1.1.1"
    assert result.absent == {2}
    assert result.faults == ((2, Termination.NO_SHOW), (0, Termination.TIMEOUT))


def test_two_seats_without_places_have_the_places_of_their_scores() -> None:
    ended = Placement(None, None, (), "")
    for scores, places in (((1.0, 0.0), (1, 2)), ((0.5, 0.5), (1, 1)), ((0.0, 1.0), (2, 1))):
        over = replace(OVER, seats=("A", "B"), scores=scores, placement=ended)
        assert table_result_of(over) == TableResult(("A", "B"), places, match_id="t.1.1.1.1")


def test_a_void_match_has_no_result() -> None:
    with pytest.raises(ValueError, match=r"match t.1.1.1.1, attempt 1, has no result"):
        table_result_of(replace(OVER, scores=None))


def test_in_a_plain_match_the_seat_at_fault_fell_out() -> None:
    over = replace(
        OVER, seats=("A", "B"), scores=(0.0, 1.0), termination=Termination.TIMEOUT, at_fault=(0,), placement=None
    )
    falls = ((0, Termination.TIMEOUT),)
    assert table_result_of(over) == TableResult(("A", "B"), (2, 1), None, falls, match_id="t.1.1.1.1")


def test_absent_bots_are_last_and_are_not_paid() -> None:
    result = table_result_of(replace(OVER, absent=("D", "E")))
    assert result.seats == ("A", "B", "C", "D", "E")
    assert result.places == (1, 2, 3, 4, 4)
    assert result.payoffs == (2.5, 0.0, -1.0, -1.0, -1.0)
    assert result.falls[-2:] == ((3, Termination.NO_SHOW), (4, Termination.NO_SHOW))
    assert result.absent == {2, 3, 4}
