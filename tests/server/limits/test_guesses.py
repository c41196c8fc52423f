"""Wrong secrets are counted by address; an address that has shown the right key has a bucket of its own."""

from typing import Any

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.limits import guesses as module
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import MINUTE_MS, MOST_OF_A_NETWORK
from rumble_server.limits.guesses import HOST_TOKEN, Guesses
from rumble_server.limits.refusals import Refusals

ADDRESS = "203.0.113.7"
GUESS = "a-secret-that-somebody-chose"
MOST_BUCKETS = 2 * MOST_OF_A_NETWORK


@pytest.fixture
def few_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the maximum number of buckets, so that a test fills all buckets in a moment."""
    monkeypatch.setattr(module, "MOST_BUCKETS", MOST_BUCKETS)


def made(**bounds: Any) -> tuple[Guesses, Refusals]:
    refusals = Refusals()
    return Guesses(Bounds(**bounds), refusals), refusals


def tries(guesses: Guesses, address: str, whose: str, now_ms: int = 0, secret: str = GUESS) -> int:
    """Show wrong keys until a key is not compared; return the number of keys compared."""
    for count in range(1000):
        if not guesses.allows_try(address, whose, secret, now_ms):
            return count
        guesses.count_wrong(address, whose, secret, now_ms)
    return 1000


def test_wrong_tries_are_counted_by_address_for_every_secret_together() -> None:
    guesses, refusals = made(wrong_tries_per_minute=6)
    for whose in ("ann", "ben", HOST_TOKEN):
        guesses.count_wrong(ADDRESS, whose, GUESS, 0)
    assert tries(guesses, ADDRESS, "cid") == 3
    assert guesses.allows_try("203.0.113.8", "ann", GUESS, 0)
    assert refusals.counts == {"wrong_key": 5, "wrong_token": 1, "too_many_wrong_tries": 1}
    assert tries(guesses, ADDRESS, "ann", MINUTE_MS) == 6


def test_a_bot_that_has_shown_the_right_key_is_not_locked_out_by_others() -> None:
    guesses, _ = made(wrong_tries_per_minute=6, wrong_keys_of_owner_per_minute=3)
    assert not guesses.knows(ADDRESS, "ann")
    guesses.note_right(ADDRESS, "ann", 0)
    assert guesses.knows(ADDRESS, "ANN")
    assert tries(guesses, ADDRESS, "ben") == 6
    assert guesses.allows_try(ADDRESS, "Ann", GUESS, 0)
    assert tries(guesses, ADDRESS, "ann") == 3
    assert not guesses.knows("203.0.113.8", "ann")


def test_made_secrets_are_always_compared_and_wrong_ones_lock_nobody_out() -> None:
    """A pupil shows wrong secrets without end from the teacher's address."""
    guesses, refusals = made()
    assert tries(guesses, ADDRESS, HOST_TOKEN, secret=make_secret()) == 1000
    assert tries(guesses, ADDRESS, "ann") == tries(guesses, ADDRESS, HOST_TOKEN, MINUTE_MS) == 20
    for whose in ("ann", HOST_TOKEN):
        assert guesses.allows_try(ADDRESS, whose, make_secret(), MINUTE_MS)
        assert not guesses.allows_try(ADDRESS, whose, make_secret()[:-1] + "g", MINUTE_MS)
    assert refusals.counts == {"wrong_token": 1020, "wrong_key": 20, "too_many_wrong_tries": 4}


def test_wrong_codes_are_counted_by_address_and_lock_no_key_out() -> None:
    guesses, refusals = made(wrong_codes_per_minute=2)
    assert [guesses.count_wrong_code(ADDRESS, "friday", GUESS, 0) for _ in range(3)] == [True, True, False]
    assert guesses.count_wrong_code(ADDRESS, "friday", make_secret(), 0), "an old link of the server's own"
    assert guesses.count_wrong_code("203.0.113.8", "friday", GUESS, 0)
    assert tries(guesses, ADDRESS, "ann") == 20
    assert guesses.count_wrong_code(ADDRESS, "friday", GUESS, MINUTE_MS)
    assert refusals.counts["too_many_wrong_codes"] == 1


@pytest.mark.usefixtures("few_buckets")
def test_a_network_of_many_addresses_makes_nobody_else_unknown() -> None:
    guesses, _ = made()
    guesses.note_right(ADDRESS, "ann", 0)
    for number in range(2 * MOST_BUCKETS):
        guesses.note_right(f"2001:db8:1:{number % 65_536:x}::/64", f"bot-{number}", 0)
    assert guesses.knows(ADDRESS, "ann")
    known = [
        number for number in range(2 * MOST_BUCKETS) if guesses.knows(f"2001:db8:1:{number:x}::/64", f"bot-{number}")
    ]
    assert known == list(range(2 * MOST_BUCKETS - MOST_OF_A_NETWORK, 2 * MOST_BUCKETS))


@pytest.mark.usefixtures("few_buckets")
def test_memory_is_bounded_and_the_network_used_longest_ago_goes_first() -> None:
    guesses, _ = made()
    guesses.note_right(ADDRESS, "ann", 0)
    for number in range(MOST_BUCKETS):
        guesses.note_right(f"2001:db8:{number:x}::/64", "ben", 0)
    assert not guesses.knows(ADDRESS, "ann")
    assert sum(guesses.knows(f"2001:db8:{number:x}::/64", "ben") for number in range(MOST_BUCKETS)) == MOST_BUCKETS
