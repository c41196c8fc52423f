"""Clock arithmetic: move time first, then the bank, then the increment; the network's part is not thinking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.fields import TimeControl
from rumble_server.match.clock import FastControl, bank_after_ms, remaining_ms, thinking_ms

CONTROL = FastControl(TimeControl(move_ms=1000, bank_ms=500, increment_ms=100))
controls = st.builds(
    TimeControl, move_ms=st.integers(1, 100_000), bank_ms=st.integers(0, 100_000), increment_ms=st.integers(0, 10_000)
).map(FastControl)
times = st.integers(0, 300_000)


@pytest.mark.parametrize(
    ("asked_at_ms", "now_ms", "lag_ms", "thought_ms"),
    [(100, 400, 0, 300), (100, 400, 50, 250), (100, 400, 300, 0), (100, 120, 50, 0)],
)
def test_thinking_is_the_time_since_the_asking_without_the_networks_part(
    asked_at_ms: int, now_ms: int, lag_ms: int, thought_ms: int
) -> None:
    assert thinking_ms(asked_at_ms, now_ms, lag_ms) == thought_ms


@pytest.mark.parametrize(("used_ms", "left_ms"), [(0, 1500), (1, 1499), (1200, 300), (1500, 0), (9999, 0)])
def test_used_time_is_taken_off_and_never_below_nothing(used_ms: int, left_ms: int) -> None:
    assert remaining_ms(CONTROL, 500, used_ms) == left_ms


@pytest.mark.parametrize(("used_ms", "bank_ms"), [(0, 600), (1000, 600), (1001, 599), (1500, 100), (1700, 100)])
def test_only_thinking_beyond_the_move_time_draws_on_the_bank_and_then_the_increment_comes(
    used_ms: int, bank_ms: int
) -> None:
    assert bank_after_ms(CONTROL, 500, used_ms) == bank_ms


@given(controls, times, times)
def test_a_bank_never_gains_more_than_its_increment_and_never_owes(
    control: FastControl, bank_ms: int, used_ms: int
) -> None:
    after_ms = bank_after_ms(control, bank_ms, used_ms)
    assert control.increment_ms <= after_ms <= bank_ms + control.increment_ms


@given(controls, times, st.lists(times, max_size=20))
def test_over_a_match_no_more_is_thought_than_the_time_control_gives(
    control: FastControl, bank_ms: int, wishes: list[int]
) -> None:
    given_ms, thought_ms = bank_ms, 0
    for wish_ms in wishes:
        used_ms = min(wish_ms, remaining_ms(control, bank_ms))
        bank_ms = bank_after_ms(control, bank_ms, used_ms)
        thought_ms += used_ms
        given_ms += control.move_ms + control.increment_ms
    assert thought_ms + bank_ms <= given_ms
