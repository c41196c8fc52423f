import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.feed_messages import Standing
from rumble_server.results.result import Result

from tests.server.results import second_opinion
from tests.server.results.events import RESULTS, beats, rank, uzchess


def by_name(lines: list[Standing]) -> dict[str, Standing]:
    return {line.name: line for line in lines}


def test_uzchess_cup_2025() -> None:
    results, published = uzchess()
    lines = rank(results)
    assert [line.name for line in lines] == list(published)
    for line in lines:
        want = published[line.name]
        assert line.points == want["points"]
        assert line.tiebreaks == {"de": line.tiebreaks["de"]} | {key: want[key] for key in ("won", "sb", "ks")}
    assert [line.rank for line in lines] == list(range(1, 11))
    assert [line.decided_by for line in lines] == ["de", "de", "won", "", "de", "de", "de", "", "", ""]


def test_bots_in_an_unbroken_tie_share_a_rank_in_order_of_name() -> None:
    lines = rank(beats("b=A A=c c=b b>d c>d A>d"))
    assert [(line.rank, line.name, line.decided_by) for line in lines] == [
        (1, "A", ""),
        (1, "b", ""),
        (1, "c", ""),
        (4, "d", ""),
    ]


def test_second_seat_wins_and_faults() -> None:
    results = [
        Result(("A", "B"), (0.0, 1.0)),
        Result(("B", "A"), (0.0, 1.0), Termination.TIMEOUT, (0,)),
        Result(("B", "A"), (0.0, 1.0), Termination.NO_SHOW, (0,)),
        Result(("A", "B"), (0.0, 1.0)),
    ]
    lines = by_name(rank(results, ("bwg", "faults")))
    assert (lines["A"].tiebreaks, lines["B"].tiebreaks) == ({"bwg": 1, "faults": 0}, {"bwg": 2, "faults": 2})
    assert [line.name for line in rank(results, ("faults",))] == ["A", "B"]


def test_points_schemes() -> None:
    results = beats("A>B A=C C=B")
    assert {line.name: line.points for line in rank(results, points=(3, 1, 0))} == {"A": 4, "B": 1, "C": 2}
    # A third of a point and tenths stay exact: three draws of 0.1 are as much as one win of 0.3.
    even = rank(beats("A=B A=C A=D E>F"), (), (0.3, 0.1, 0))
    assert [line.rank for line in even if line.name in "AE"] == [1, 1]
    for bad in ((0, 0.5, 1), (1, 2, 0), (1, 1, 1), (float("inf"), 0.5, 0), (1, float("nan"), 0)):
        with pytest.raises(ValueError, match="must be"):
            rank(results, points=bad)


def test_bad_tiebreaks_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown tie-break 'elo'"):
        rank([], ("de", "elo"))
    with pytest.raises(ValueError, match="twice"):
        rank([], ("de", "sb", "de"))
    with pytest.raises(ValueError, match="twice"):
        rank([], ("bh", "buchholz"))
    with pytest.raises(ValueError, match="the tie-break bh-c1 needs to know the rounds"):
        rank([], ("bh-c1",))


def test_an_empty_event() -> None:
    assert rank([]) == []
    assert [(line.rank, line.name, line.points) for line in rank([], field=("b", "A"))] == [(1, "A", 0), (1, "b", 0)]


def test_two_absent_bots_both_lose() -> None:
    lines = rank([Result(("A", "B"), (0.0, 0.0), Termination.NO_SHOW, (0, 1))], points=(3, 1, 0))
    assert [(line.rank, line.points, line.losses) for line in lines] == [(1, 0, 1), (1, 0, 1)]


TIEBREAKS = ("de", "won", "sb", "ks", "bwg", "buchholz", "faults")
SCHEMES = st.sampled_from([(1, 0.5, 0), (3, 1, 0), (0.3, 0.1, 0), (1, 0, -1)])


@given(st.lists(RESULTS, max_size=25), st.permutations(TIEBREAKS), SCHEMES)
def test_ranks_agree_with_a_second_opinion(
    results: list[Result], tiebreaks: list[str], points: tuple[float, float, float]
) -> None:
    lines = rank(results, tiebreaks, points)
    assert {line.name: line.rank for line in lines} == second_opinion.ranks(results, tiebreaks, points)
    for line in lines:
        assert line.points == pytest.approx(float(second_opinion.points_of(line.name, results, points)))
        for tiebreak in TIEBREAKS[1:]:
            expected = second_opinion.value(tiebreak, line.name, results, points)
            assert line.tiebreaks[tiebreak] == pytest.approx(float(expected))
