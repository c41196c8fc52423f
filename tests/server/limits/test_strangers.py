"""Messages of strangers are counted by address; loopback is exempt unless bounds say otherwise."""

import pytest
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import MINUTE_MS
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.strangers import Strangers

ADDRESS = "203.0.113.7"


def test_messages_of_strangers_are_counted_by_address() -> None:
    strangers = Strangers(Bounds(stranger_messages_per_minute=2), Refusals())
    assert [strangers.count_messages(ADDRESS, 0) for _ in range(3)] == [True, True, False]
    assert strangers.count_messages("203.0.113.8", 0)
    assert strangers.count_messages(ADDRESS, MINUTE_MS)


def test_asking_whether_a_stranger_may_speak_counts_nothing() -> None:
    strangers = Strangers(Bounds(stranger_messages_per_minute=1), Refusals())
    assert [strangers.may_send(ADDRESS, 0) for _ in range(2)] == [True, True]
    strangers.count_messages(ADDRESS, 0)
    assert not strangers.may_send(ADDRESS, 0)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.0.1.9", ""])
@pytest.mark.parametrize("limited", [True, False])
def test_loopback_is_exempt_unless_it_is_limited(address: str, limited: bool) -> None:
    strangers = Strangers(Bounds(stranger_messages_per_minute=1, limit_loopback=limited), Refusals())
    assert [strangers.count_messages(address, 0) for _ in range(2)] == [True, not limited]
    assert strangers.may_send(address, 0) is not limited
