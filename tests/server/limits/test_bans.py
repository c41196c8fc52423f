"""Bans of addresses, networks and names, for a time."""

import pytest
from rumble_server.limits.bans import Ban, Bans, network_to_ban


def banned(*what: str, by_name: bool = False, until_ms: int | None = None) -> Bans:
    bans = Bans()
    for each in what:
        bans.add(Ban(each, by_name, until_ms, "", 0))
    return bans


@pytest.mark.parametrize(
    ("ban", "address", "is_banned"),
    [
        ("203.0.113.7/32", "203.0.113.7", True),
        ("203.0.113.7/32", "203.0.113.8", False),
        ("127.0.1.9/32", "127.0.1.9 (forwarded)", True),
        ("203.0.113.0/24", "203.0.113.8", True),
        ("203.0.113.0/24", "203.0.114.8", False),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64", True),
        ("2001:db8:1:2::/64", "2001:db8:1:3::/64", False),
        ("2001:db8:1::/48", "2001:db8:1:3::/64", True),
        ("203.0.113.0/24", "2001:db8:1:3::/64", False),
        ("203.0.113.0/24", "", False),
        ("203.0.113.0/24", "testclient", False),
    ],
)
def test_a_ban_holds_for_the_addresses_of_its_network(ban: str, address: str, is_banned: bool) -> None:
    assert (banned(ban, "198.51.100.0/30").of_address(address, 0) is not None) == is_banned


def test_names_are_banned_in_whatever_case() -> None:
    bans = banned("Ann", by_name=True)
    assert bans.of("aNN", "", 0) is not None
    assert bans.of("ben", "", 0) is None
    assert bans.of_address("Ann", 0) is None


def test_a_ban_runs_out_and_can_be_lifted_or_replaced() -> None:
    bans = banned("ann", by_name=True, until_ms=1000)
    bans.add(Ban("203.0.113.7/32", False, None, "floods", 5))
    assert (bans.of("ann", "", 999) is None, bans.of("ann", "", 1000) is None) == (False, True)
    assert [ban.what for ban in bans.in_force(999)] == ["203.0.113.7/32", "ann"]
    assert (bans.has("ANN", 999, by_name=True), bans.has("ann", 1000, by_name=True)) == (True, False)
    assert [ban.what for ban in bans.in_force(1000)] == ["203.0.113.7/32"]
    bans.lift("203.0.113.7/32", by_name=True)
    assert bans.of_address("203.0.113.7", 0) is not None, "a name is no address"
    bans.lift("203.0.113.7/32", by_name=False)
    assert bans.of_address("203.0.113.7", 0) is None
    bans.add(Ban("ANN", True, None, "", 6))
    assert bans.of("ann", "", 5000) is not None
    assert len(bans.in_force(0)) == 1


def test_the_message_of_a_ban_has_its_subject_end_and_reason() -> None:
    assert Ban("ann", True, None, "", 0).message == "the name ann is banned here"
    told = Ban("203.0.113.7/32", False, 1_767_225_600_000, "floods", 0).message
    assert told == "your address is banned here until 2026-01-01 00:00 UTC: floods"


@pytest.mark.parametrize(
    ("given", "network"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        ("203.0.113.7/24", "203.0.113.0/24"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
        ("2001:db8::/32", "2001:db8::/32"),
        ("127.0.1.9", "127.0.1.9/32"),
    ],
)
def test_a_ban_of_an_address_covers_its_network(given: str, network: str) -> None:
    assert network_to_ban(given) == network


@pytest.mark.parametrize("given", ["ann", "", "203.0.113", "0.0.0.0/0", "::/0", "127.0.0.1", "127.0.0.0/8", "::1"])
def test_bad_addresses_and_this_machine_cannot_be_banned(given: str) -> None:
    with pytest.raises(ValueError, match=r"no address|this machine"):
        network_to_ban(given)
