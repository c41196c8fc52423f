"""A bucket allows a number of events a minute, all at once after a quiet minute; buckets of addresses are bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.limits import buckets as module
from rumble_server.limits.buckets import HOUR_MS, MINUTE_MS, MOST_OF_A_NETWORK, Bucket, Buckets, NameBuckets, network_of


def test_a_minutes_worth_may_come_at_once_and_then_no_more() -> None:
    bucket = Bucket(3, 1000)
    assert [bucket.take(1000) for _ in range(5)] == [True, True, True, False, False]


def test_a_bucket_refills_evenly() -> None:
    bucket = Bucket(3, 0)
    assert [bucket.take(0) for _ in range(3)] == [True] * 3
    assert not bucket.take(MINUTE_MS // 3 - 1)
    assert bucket.take(MINUTE_MS // 3 + 1)
    assert not bucket.take(MINUTE_MS // 3 + 2)


def test_a_quiet_hour_saves_up_no_more_than_a_minutes_worth() -> None:
    bucket = Bucket(2, 0)
    assert [bucket.take(60 * MINUTE_MS) for _ in range(3)] == [True, True, False]


def test_a_clock_that_is_behind_takes_nothing_away() -> None:
    """Clubs share the buckets of addresses, and the clock of a club may run ahead."""
    bucket = Bucket(20, 0)
    assert bucket.take(2 * MINUTE_MS)
    assert [bucket.take(0) for _ in range(20)] == [True] * 19 + [False]
    assert not bucket.take(2 * MINUTE_MS)
    assert bucket.take(3 * MINUTE_MS)


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


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("2001:db8:1:2::9", "2001:db8:1::/48"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_the_network_that_an_address_is_counted_with(address: str, network: str) -> None:
    assert network_of(address) == network


def of_network(number: int, network: int = 1) -> str:
    """Return the network `number` of the 65,536 /64s of a /48."""
    return f"2001:db8:{network:x}:{number:x}::/64"


def test_each_address_and_each_thing_of_an_address_has_its_own_bucket() -> None:
    buckets = Buckets(1)
    assert buckets.take("192.0.2.1", 0)
    assert not buckets.take("192.0.2.1", 0)
    assert not buckets.allows("192.0.2.1", 0)
    assert buckets.allows("192.0.2.2", 0)
    assert buckets.take("192.0.2.1", 0, "friday")
    assert buckets.take("192.0.2.1", MINUTE_MS)


def test_events_of_an_exempt_address_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BUCKETS", 0)  # so that all other addresses share a bucket
    buckets = Buckets(1, exempts=lambda address: address == "::1")
    buckets.spend("::1", 0, 100)
    assert [buckets.take(address, 0) for address in ("::1", "::1", "192.0.2.1", "192.0.2.2")] == [True] * 3 + [False]
    assert (buckets.allows("192.0.2.3", 0), buckets.allows("::1", 0)) == (False, True)


def test_a_bucket_is_forgotten_when_it_is_full_and_asking_does_not_keep_it() -> None:
    buckets = Buckets(2, HOUR_MS)
    for number in range(100):
        buckets.take(of_network(number), number)
    assert len(buckets) == 100
    buckets.allows(of_network(0), HOUR_MS - 1)
    assert len(buckets) == 100
    assert buckets.allows("192.0.2.1", HOUR_MS + 49)
    assert len(buckets) == 50


def test_a_network_of_many_addresses_fills_no_more_than_its_part_and_then_shares_one_bucket() -> None:
    buckets = Buckets(3)
    passed = sum(buckets.take(of_network(number), 0) for number in range(5000))
    assert passed == MOST_OF_A_NETWORK + 3
    assert len(buckets) == MOST_OF_A_NETWORK + 1
    assert buckets.take(of_network(0, network=2), 0), "another network has its own"


def test_no_number_of_addresses_has_a_bucket_filled_early(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 4 * MOST_OF_A_NETWORK
    monkeypatch.setattr(module, "MOST_BUCKETS", most)
    buckets = Buckets(1)
    assert buckets.take("192.0.2.1", 0)
    networks = 2 * most // MOST_OF_A_NETWORK
    for network in range(networks):
        for number in range(MOST_OF_A_NETWORK):
            buckets.take(of_network(number, network), 0)
    assert len(buckets) <= most + 1
    assert not buckets.take("192.0.2.1", 0)
    assert not buckets.take("198.51.100.1", 0), "it shares the bucket of all that came too late"
    assert buckets.take("198.51.100.1", MINUTE_MS)
    assert len(buckets) == 1


def test_a_bucket_in_debt_keeps_no_other() -> None:
    buckets = Buckets(10)
    buckets.spend("192.0.2.1", 0, 1000)
    for number in range(5):
        buckets.take(f"198.51.100.{number}", 0)
    later_ms = 2 * MINUTE_MS
    for _ in range(2):
        buckets.allows("203.0.113.1", later_ms)
    assert len(buckets) == 1
    assert not buckets.allows("192.0.2.1", later_ms), "the debt is kept"
    assert buckets.allows("192.0.2.1", 200 * MINUTE_MS)
    assert len(buckets) == 0


def test_names_are_counted_in_whatever_case_and_forgotten_when_they_are_full() -> None:
    buckets = NameBuckets(2)
    assert [buckets.take(name, 0) for name in ("Ann", "ann", "ANN")] == [True, True, False]
    assert (buckets.allows("aNN", 0), buckets.allows("ben", 0)) == (False, True)
    assert buckets.take("ben", MINUTE_MS - 1)
    assert len(buckets) == 2
    assert buckets.take("cid", MINUTE_MS)
    assert len(buckets) == 2


def test_a_cost_beyond_the_content_of_a_bucket_is_made_up_for() -> None:
    buckets = Buckets(10, 1_000)
    buckets.spend("one", 0, 25)
    assert [buckets.allows("one", at_ms) for at_ms in (0, 1_500, 1_600)] == [False, False, True]
    assert buckets.allows("other", 0)
