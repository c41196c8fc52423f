"""The pick of an outcome of chance by a number: exact shares, in order."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import drawn
from rumble_engine.chance import NUMBERS, drawn_evenly

FAIR = [(side, 1 / 6) for side in range(1, 7)]


def test_each_code_has_its_part_of_the_numbers_in_order() -> None:
    assert [drawn(FAIR, number) for number in (0, NUMBERS // 2 - 1, NUMBERS // 2, NUMBERS - 1)] == [1, 3, 4, 6]
    uneven = [(7, 0.25), (3, 0.0), (5, 0.75)]
    assert [drawn(uneven, number) for number in (0, NUMBERS // 4 - 1, NUMBERS // 4, NUMBERS - 1)] == [7, 7, 5, 5]


def test_probabilities_that_sum_to_1_but_for_rounding_use_every_number() -> None:
    tenths = [(code, 0.1) for code in range(10)]
    assert sum(weight for _, weight in tenths) != 1
    assert Counter(drawn(tenths, NUMBERS * part // 2000) for part in range(1, 2000, 2)) == dict.fromkeys(range(10), 100)


@given(st.lists(st.floats(1e-300, 1), min_size=1, max_size=9), st.integers(0, NUMBERS - 2))
def test_larger_numbers_pick_later_codes(weights: list[float], number: int) -> None:
    chances = list(enumerate(weights))
    assert drawn(chances, number) <= drawn(chances, number + 1)


@pytest.mark.parametrize("number", [-1, NUMBERS])
def test_there_are_no_other_numbers(number: int) -> None:
    with pytest.raises(ValueError, match="random number"):
        drawn(FAIR, number)


def test_nothing_can_be_drawn_from_nothing() -> None:
    with pytest.raises(ValueError, match="no outcome"):
        drawn([], 0)


FIRST, EACH = st.sampled_from([0.0, 0.1, 0.85, 1.0]), st.sampled_from([0.15, 1 / 3, 0.001])


@given(FIRST, EACH, st.integers(0, 200), st.integers(0, NUMBERS - 1))
def test_even_outcomes_are_drawn_as_from_their_list(first: float, each: float, others: int, number: int) -> None:
    chances = [(place, each if place else first) for place in range(others + 1)]
    if first or others:
        assert drawn_evenly(first, each, others, number) == drawn(chances, number)
    else:
        with pytest.raises(ValueError, match="no outcome of chance has a probability"):
            drawn_evenly(first, each, others, number)
