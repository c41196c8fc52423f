"""Sums over counts; ranks by them are tested in test_tiebreaks.py."""

import pytest
from rumble_engine import Termination
from rumble_server.results.result import Result
from rumble_server.results.sums import Sums
from rumble_server.results.tally import Scheme, Tally

from tests.server.results.events import beats

FORFEIT = Result(("A", "B"), (1.0, 0.0), Termination.NO_SHOW, (1,))


def sums_over(results: list[Result], points: tuple[float, float, float] = (1, 0.5, 0)) -> Sums:
    return Sums(Tally.of(results), Scheme.of(points))


def test_forfeits_count_as_played_except_in_sums_over_the_board() -> None:
    sums = sums_over([FORFEIT, *beats("A>B C>B")])
    assert sums.values("buchholz") == sums.values("bh") == ({"A": 0, "B": 10, "C": 0}, 2)
    assert sums.values("bpg") == ({"A": 0, "B": 2, "C": 0}, 1)
    assert sums.values("won") == ({"A": 1, "B": 0, "C": 1}, 1)
    found = sums_over([FORFEIT], (1, 0, -1)).encounters("AB")
    assert found is not None
    assert found.scores == {"A": 1, "B": -1}


def test_direct_encounter_counts_the_average_of_a_pair() -> None:
    found = sums_over(beats("A>B B>A A>C")).encounters("ABC")
    assert found is not None
    assert (found.scores, found.met, found.win) == ({"A": 6, "B": 2, "C": 0}, {"A": 2, "B": 1, "C": 1}, 4)


def test_too_few_matches_are_not_looked_at() -> None:
    sums = sums_over(beats("A>X B>X C>X D>X"))
    assert sums.encounters("ABCD") is None
    assert sums_over(beats("A>X B>X C>X D>X"), (1, 0, -1)).encounters("ABCD") is not None


def test_unknown_points_are_refused() -> None:
    with pytest.raises(ValueError, match="must be worth more"):
        sums_over([FORFEIT], (0, 0, 0))
