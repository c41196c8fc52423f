"""The door counts new names by address; loopback is exempt unless bounds say otherwise."""

import pytest
from rumble_server.bounds import Bounds
from rumble_server.limits.buckets import HOUR_MS
from rumble_server.limits.door import Door

ADDRESS = "203.0.113.7"


def test_new_names_are_counted_by_address_and_beside_them_by_invitation() -> None:
    door = Door(Bounds(names_per_hour=1, invited_names_per_hour=2))
    assert [door.may_name(ADDRESS, 0) for _ in range(2)] == [True, False]
    assert [door.may_name_invited(ADDRESS, "friday", 0) for _ in range(3)] == [True, True, False]
    assert door.may_name_invited(ADDRESS, "monday", 0)
    assert door.may_name(ADDRESS, HOUR_MS)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.0.1.9", ""])
@pytest.mark.parametrize("limited", [True, False])
def test_loopback_is_exempt_unless_it_is_limited(address: str, limited: bool) -> None:
    door = Door(Bounds(names_per_hour=1, limit_loopback=limited))
    assert door.is_exempt(address) != limited
    assert [door.may_name(address, 0) for _ in range(2)] == [True, not limited]
