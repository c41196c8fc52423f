"""Sums over counts; ranks by them are tested in test_tiebreaks.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_server.results import direct_encounter
from rumble_server.results.result import Result
from rumble_server.results.sums import Sums
from rumble_server.results.tally import Scheme, Tally

from tests.server.results import second_opinion
from tests.server.results.events import RESULTS, beats

FORFEIT = Result(("A", "B"), (1.0, 0.0), Termination.NO_SHOW, (1,))


def sums_over(results: list[Result], points: tuple[float, float, float] = (1, 0.5, 0)) -> Sums:
    return Sums(Tally.of(results), Scheme.of(points))


def test_forfeits_count_as_played_except_in_sums_over_the_board() -> None:
    sums = sums_over([FORFEIT, *beats("A>B C>B")])
    assert sums.values("buchholz") == sums.values("bh") == ({"A": 0, "B": 10, "C": 0}, 2)
    assert sums.values("bpg") == ({"A": 0, "B": 2, "C": 0}, 1)
    assert sums.values("won") == ({"A": 1, "B": 0, "C": 1}, 1)


def test_direct_encounter_counts_the_average_of_a_pair() -> None:
    found = sums_over(beats("A>B B>A A>C")).encounters("ABC")
    assert found is not None
    assert (found.scores, found.met, found.win) == ({"A": 6, "B": 2, "C": 0}, {"A": 2, "B": 1, "C": 1}, 4)


def test_too_few_matches_are_not_looked_at() -> None:
    sums = sums_over(beats("A>X B>X C>X D>X"))
    assert sums.encounters("ABCD") is None
    assert sums_over(beats("A>X B>X C>X D>X"), (1, 0, -1)).encounters("ABCD") is not None


@given(st.lists(RESULTS, max_size=25), st.sampled_from([(1, 0.5, 0), (3, 1, 0), (1, 0, -1)]))
def test_where_all_have_met_the_order_is_that_of_the_definition(
    results: list[Result], points: tuple[float, float, float]
) -> None:
    names = sorted({name for result in results for name in result.seats})
    sums = sums_over(results, points)
    if second_opinion.encounters(names, results, points) is None or len(names) < 2:
        return
    parts = direct_encounter.split(names, sums.encounters)
    assert parts == second_opinion.order(names, ("de",), results, points)


def test_no_bot_can_be_overtaken_by_skipping_the_look() -> None:
    """A group for which `encounters` returns None early would not be split anyway; other groups are split."""
    for text in ("A>B A>C A>D", "A>B A>C", "A>B", "A>B A>C A>D B>C B>D C>D", "A>B C>D"):
        sums = sums_over(beats(text + " A>X B>X C>X D>X"))
        looked = direct_encounter.split(list("ABCD"), sums.encounters)
        assert looked[0] == (["A"] if text.count("A>") == 3 else list("ABCD"))


def test_unknown_points_are_refused() -> None:
    with pytest.raises(ValueError, match="must be worth more"):
        sums_over([FORFEIT], (0, 0, 0))
