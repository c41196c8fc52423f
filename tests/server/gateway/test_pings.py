"""Pings: round trips and silence."""

from rumble_server.gateway.pings import Pings


def content(ping: bytes) -> bytes:
    """Return the content of a short frame without a mask."""
    return ping[2:]


def test_the_shortest_of_the_last_five_round_trips_counts() -> None:
    pings, now_ms, told = Pings(0), 0, []
    for took_ms in (3, 9, 8, 7, 6, 5):
        sent = content(pings.ping(now_ms))
        now_ms += took_ms
        told.append(pings.pong(sent, now_ms))
    assert told == [3, 3, 3, 3, 3, 5]
    assert pings.round_trips == (9, 8, 7, 6, 5)


def test_only_the_newest_ping_measures_and_once() -> None:
    pings = Pings(0)
    old, new = content(pings.ping(10)), content(pings.ping(20))
    assert pings.pong(old, 25) is None
    assert pings.pong(b"unasked", 26) is None
    assert pings.pong(new, 27) == 7
    assert pings.pong(new, 28) is None
    assert pings.heard_ms == 28


def test_a_peer_is_silent_if_a_ping_stays_unanswered_for_too_long() -> None:
    pings = Pings(0)
    assert not pings.is_silent(5_000, 1_000), "no ping was sent yet"
    sent = content(pings.ping(5_000))
    pings.pong(sent, 5_100)
    pings.ping(6_000)
    assert not pings.is_silent(6_100, 1_000)
    assert pings.is_silent(6_101, 1_000)
