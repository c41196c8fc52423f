"""Names and keys: the first key claims a name, later logins must show the key, and names without a key stay open."""

from typing import Any

import pytest
from rumble_protocol.codes import ErrorCode
from rumble_protocol.secret import is_made
from rumble_server.arena.state.names_and_keys import Names, derive_secret, digest_of
from rumble_server.tournament.club_facts import NameReset, NameUsed
from rumble_server.tournament.errors import CommandRefused

KEY = "correct-horse-battery"
OTHER = "another-horse-battery"
SALT = "00ff" * 8


def check(names: Names, name: str, key: str | None = None, *, keyless_allowed: bool = True) -> NameUsed | None:
    """Log in, and apply the fact of a new name."""
    _, used = names.check(name, key, keyless_allowed=keyless_allowed, salt=SALT, now_ms=5)
    if used is not None:
        names.apply(used)
    return used


def refusal(names: Names, name: str, key: str | None = None, **how: Any) -> ErrorCode:
    with pytest.raises(CommandRefused) as refused:
        check(names, name, key, **how)
    return refused.value.code


def test_the_first_key_claims_the_name_and_only_its_salted_hash_is_kept() -> None:
    used = check(Names(), "Ann", KEY)
    assert used == NameUsed("Ann", SALT, digest_of(KEY, SALT), 5)
    assert KEY not in repr(used)


def test_a_hand_chosen_key_is_exchanged_for_a_made_one_that_is_as_right() -> None:
    names = Names()
    check(names, "ann", KEY)
    made = derive_secret(KEY, SALT)
    assert is_made(made)
    assert derive_secret(made, SALT) == made
    assert derive_secret(KEY, "00ff") != made
    assert names.owns("ann", KEY)
    assert names.owns("ann", made)
    assert not names.owns("ann", derive_secret(OTHER, SALT))


def test_later_logins_show_the_key() -> None:
    names = Names()
    check(names, "ann", KEY)
    assert check(names, "ann", KEY) is None
    assert refusal(names, "ann", OTHER) is ErrorCode.BAD_KEY
    assert refusal(names, "ann") is ErrorCode.KEY_REQUIRED


def test_names_of_the_house_are_not_counted_as_names_of_bots() -> None:
    names = Names()
    for name in ("ann", "house-random", "House-mcts", "bob"):
        check(names, name, KEY)
    assert names.of_bots == 2
    for name in ("house-random", "house-random", "bob"):
        names.apply(NameReset(name, 6))
    assert (names.of_bots, names.get("house-random")) == (1, None)


def test_names_are_compared_without_case_and_shown_as_first_written() -> None:
    names = Names()
    check(names, "Ann", KEY)
    assert refusal(names, "aNN", OTHER) is ErrorCode.BAD_KEY
    assert check(names, "ANN", KEY) is None
    claim = names.get("ann")
    assert claim is not None
    assert (claim.name, claim.is_open) == ("Ann", False)


def test_a_name_first_used_without_a_key_stays_open_to_whoever_comes() -> None:
    names = Names()
    assert check(names, "ann") == NameUsed("ann", None, None, 5)
    assert check(names, "ann") is None
    assert check(names, "ann", KEY) is None
    assert check(names, "ann", OTHER) is None
    claim = names.get("ann")
    assert claim is not None
    assert claim.is_open


def test_from_beyond_this_machine_a_key_is_required_for_new_and_for_open_names() -> None:
    names = Names()
    assert refusal(names, "ann", keyless_allowed=False) is ErrorCode.KEY_REQUIRED
    check(names, "ben")
    assert refusal(names, "ben", keyless_allowed=False) is ErrorCode.KEY_REQUIRED
    assert check(names, "ann", KEY, keyless_allowed=False) is not None


def test_when_the_host_resets_a_key_the_next_login_claims_the_name_anew() -> None:
    names = Names()
    check(names, "ann", KEY)
    names.apply(NameReset("ANN", 6))
    assert names.get("ann") is None
    assert check(names, "ann", OTHER) is not None
    assert refusal(names, "ann", KEY) is ErrorCode.BAD_KEY


@pytest.mark.parametrize("name", ["a", "A.b_c-d", "0", "x" * 32])
def test_good_names(name: str) -> None:
    assert check(Names(), name) is not None


@pytest.mark.parametrize("name", ["", ".a", "-a", "_a", "x" * 33, "a b", "ann\n", "é", "a/b", "ａnn"])
def test_bad_names(name: str) -> None:
    assert refusal(Names(), name) is ErrorCode.BAD_NAME


def test_a_name_is_owned_by_the_bot_with_its_key_and_an_open_name_by_nobody() -> None:
    names = Names()
    check(names, "Ann", KEY)
    check(names, "ben")
    assert names.owns("ann", KEY)
    assert not names.owns("ann", OTHER)
    assert not names.owns("ben", KEY)
    assert not names.owns("zoe", KEY)
