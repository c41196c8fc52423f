from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.feed_messages import Standing
from rumble_server.web.pages.chart import MOST_STEPS, STEPS, scale_of

RATINGS = st.floats(-9_000, 9_000, allow_subnormal=False)


def rated(rating: float | None, interval: list[float] | None = None) -> Standing:
    zero = {"points": 0, "played": 0, "wins": 0, "draws": 0, "losses": 0, "tiebreaks": {}, "faults": {}}
    return Standing.model_validate(
        {"rank": 1, "name": "ann", "decided_by": "", "rating": rating, "interval": interval, **zero}
    )


def test_without_a_rating_there_is_no_chart() -> None:
    assert scale_of([rated(None)]) is None


def test_where_a_value_stands() -> None:
    scale = scale_of([rated(-100, [-180, -20]), rated(90, [0, 180])])
    assert scale is not None
    assert (scale.low, scale.high, scale.step) == (-200, 200, 100)
    assert [scale.at(value) for value in (-200, 0, 90, 200)] == ["0.00%", "50.00%", "72.50%", "100.00%"]
    assert scale.ticks == [-200, -100, 0, 100, 200]


@given(st.lists(st.tuples(RATINGS, RATINGS, RATINGS), min_size=1, max_size=9))
def test_everything_is_on_the_chart_and_it_is_readable(given: list[tuple[float, float, float]]) -> None:
    lines = [rated(sorted(ends)[1], [min(ends), max(ends)]) for ends in given]
    scale = scale_of(lines)
    assert scale is not None
    assert scale.step in STEPS
    assert 2 <= len(scale.ticks) <= MOST_STEPS + 1
    for ends in given:
        assert all(scale.low <= end <= scale.high for end in ends)
