"""A bucket allows so many events a minute, all at once after a quiet one."""

from hypothesis import given
from hypothesis import strategies as st
from rumble_server.gateway.limits import MINUTE_MS, Bucket


def test_a_minutes_worth_may_come_at_once_and_then_no_more() -> None:
    bucket = Bucket(3, 1000)
    assert [bucket.take(1000) for _ in range(5)] == [True, True, True, False, False]


def test_it_refills_evenly() -> None:
    bucket = Bucket(3, 0)
    assert [bucket.take(0) for _ in range(3)] == [True] * 3
    assert not bucket.take(MINUTE_MS // 3 - 1)
    assert bucket.take(MINUTE_MS // 3 + 1)
    assert not bucket.take(MINUTE_MS // 3 + 2)


def test_a_quiet_hour_saves_up_no_more_than_a_minutes_worth() -> None:
    bucket = Bucket(2, 0)
    assert [bucket.take(60 * MINUTE_MS) for _ in range(3)] == [True, True, False]


def test_a_limit_of_nothing_allows_nothing() -> None:
    assert not Bucket(0, 0).take(MINUTE_MS)


@given(st.integers(1, 50), st.lists(st.integers(0, 30_000), max_size=100))
def test_in_any_minute_at_most_twice_the_limit_passes(per_minute: int, gaps_ms: list[int]) -> None:
    bucket, now_ms = Bucket(per_minute, 0), 0
    passed = []
    for gap_ms in gaps_ms:
        now_ms += gap_ms
        if bucket.take(now_ms):
            passed.append(now_ms)
    for start_ms in passed:
        assert sum(start_ms <= each < start_ms + MINUTE_MS for each in passed) <= 2 * per_minute
