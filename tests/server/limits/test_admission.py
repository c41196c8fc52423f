"""New names are counted by address; loopback is exempt unless bounds say otherwise."""

import pytest
from rumble_server.limits.admission import Admission
from rumble_server.limits.bans import Ban
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import HOUR_MS

ADDRESS = "203.0.113.7"


def test_new_names_are_counted_by_address_and_beside_them_by_invitation() -> None:
    admission = Admission(Bounds(names_per_hour=1, invited_names_per_hour=2))
    assert [admission.take_name(ADDRESS, None, 0) for _ in range(2)] == [True, False]
    assert [admission.take_name(ADDRESS, "friday", 0) for _ in range(3)] == [True, True, False]
    assert admission.take_name(ADDRESS, "monday", 0)
    assert admission.take_name(ADDRESS, None, HOUR_MS)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.0.1.9", ""])
@pytest.mark.parametrize("limited", [True, False])
def test_loopback_is_exempt_unless_it_is_limited(address: str, limited: bool) -> None:
    admission = Admission(Bounds(names_per_hour=1, stranger_messages_per_minute=1, limit_loopback=limited))
    assert [admission.take_name(address, None, 0) for _ in range(2)] == [True, not limited]
    assert [admission.stranger_messages.take(address, 0) for _ in range(2)] == [True, not limited]


def test_addresses_are_counted_in_all_clubs_together_and_invitations_in_each() -> None:
    main = Admission(Bounds(names_per_hour=1, invited_names_per_hour=1, wrong_tries_per_minute=2))
    chess, go = main.of_club("chess"), main.of_club("go")
    assert chess.take_name(ADDRESS, None, 0)
    assert not main.take_name(ADDRESS, None, 0)
    assert [each.take_name(ADDRESS, "friday", 0) for each in (main, chess, go, go)] == [True, True, True, False]
    chess.guesses.count_wrong(ADDRESS, "ada", "a-guess", 0)
    go.guesses.count_wrong(ADDRESS, "ada", "a-guess", 0)
    assert not main.guesses.allows_try(ADDRESS, "ada", "a-guess", 0)


def test_a_bot_known_in_a_club_is_a_stranger_in_another() -> None:
    main = Admission()
    chess = main.of_club("chess")
    chess.guesses.note_right(ADDRESS, "ada", 0)
    assert [each.guesses.knows(ADDRESS, "ada") for each in (main, chess, main.of_club("go"))] == [False, True, False]


def test_a_club_bans_for_itself_and_main_addresses_everywhere() -> None:
    main = Admission()
    chess, go = main.of_club("chess"), main.of_club("go")
    main.bans.add(Ban("203.0.113.0/24", False, None, "", 0))
    main.bans.add(Ban("ada", True, None, "", 0))
    chess.bans.add(Ban("198.51.100.1/32", False, None, "", 0))
    assert all(each.bans.of_address(ADDRESS, 1) for each in (main, chess, go))
    assert [bool(each.bans.of("ada", "", 1)) for each in (main, chess, go)] == [True, False, False]
    assert [bool(each.bans.of_address("198.51.100.1", 1)) for each in (main, chess, go)] == [False, True, False]
    assert [len(each.bans.in_force(1)) for each in (main, chess, go)] == [2, 1, 0]
