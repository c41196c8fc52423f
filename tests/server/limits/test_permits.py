"""Permits of an address: for strangers, for known and invited connections, and for streams."""

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import PERMIT_WAIT_MS, Permit, Permits

HERE, THERE = "192.0.2.1", "192.0.2.2"


def small(**bounds: int | bool) -> Permits:
    given = {"connections_per_address": 4, "strangers_per_address": 2, "invited_connections_per_address": 3}
    return Permits(Bounds.model_validate({**given, "streams_per_address": 1, **bounds}))


def nothing() -> None:
    """End no connection."""


def opened(permits: Permits, address: str = HERE) -> Permit:
    permit = permits.open(address, 0, nothing)
    assert permit is not None
    return permit


def known(permits: Permits) -> Permit:
    permit = opened(permits)
    assert permit.has_room
    permit.mark_known()
    return permit


def test_strangers_of_an_address_are_bounded_and_take_no_room_of_another_address() -> None:
    permits = small()
    first, _ = opened(permits), opened(permits)
    assert permits.open(HERE, 0, nothing) is None
    opened(permits, THERE)
    first.release()
    first.release()
    opened(permits)
    assert permits.open(HERE, 0, nothing) is None


def test_the_oldest_stranger_of_a_full_address_gives_way_when_it_had_its_time() -> None:
    permits, ended = small(strangers_per_address=3), list[str]()
    for now_ms, name in enumerate(("first", "second", "third")):
        assert permits.open(HERE, now_ms, lambda name=name: ended.append(name))  # type: ignore[misc]
    opened(permits, THERE)
    assert permits.open(HERE, PERMIT_WAIT_MS - 1, nothing) is None
    for now_ms in (PERMIT_WAIT_MS, PERMIT_WAIT_MS + 1):
        assert permits.open(HERE, now_ms, nothing) is not None
    assert permits.open(HERE, PERMIT_WAIT_MS + 1, nothing) is None
    assert ended == ["first", "second"]
    assert permits.counts["stranger", HERE] == 3


def test_newcomers_of_a_full_address_wait_for_its_permits_in_the_order_in_which_they_came() -> None:
    """1,000 bots of ten addresses come back at once: as soon as one has logged in the next one gets its permit."""
    permits, admitted = small(strangers_per_address=2, connections_per_address=8), list[Permit]()
    first, second = opened(permits), opened(permits)
    waiting = [permits.wait(HERE, admitted.append) for _ in range(4)]
    assert permits.open(HERE, 0, nothing) is None
    first.mark_known()
    assert permits.counts["stranger", HERE] == 2, "the permit was given on at once"
    assert waiting[1] is not None
    assert permits.stop_waiting(waiting[1])
    assert not permits.stop_waiting(waiting[1])
    second.release()
    assert [permit.is_stranger for permit in admitted] == [True, True]
    assert [newcomer in permits.waiting[HERE] for newcomer in waiting] == [False, False, False, True]
    for permit in admitted[:2]:
        permit.mark_known()
    assert len(admitted) == 3
    assert permits.counts["known", HERE] == 3


def test_the_stranger_that_had_its_time_gives_way_to_the_longest_waiting() -> None:
    permits, admitted, ended = small(strangers_per_address=1), list[str](), list[str]()
    assert permits.open(HERE, 0, lambda: ended.append("oldest"))
    permits.wait(HERE, lambda _: admitted.append("first"))
    permits.wait(HERE, lambda _: admitted.append("second"))
    permits.make_room(HERE, PERMIT_WAIT_MS - 1)
    assert not ended
    assert permits.open(HERE, PERMIT_WAIT_MS, nothing) is None, "nobody overtakes who waits"
    assert (ended, admitted) == (["oldest"], ["first"])


def test_waiting_connections_of_an_address_are_bounded() -> None:
    permits = small()
    for _ in range(2):
        opened(permits)
    waiting = [permits.wait(HERE, lambda _: None) for _ in range(4 + 3)]
    assert None not in waiting
    assert permits.wait(HERE, lambda _: None) is None
    assert permits.wait(THERE, lambda _: None) is not None


def test_a_known_connection_is_a_stranger_no_more() -> None:
    permits = small()
    for _ in range(4):
        permit = known(permits)
        assert not permit.is_stranger
        permit.mark_known()
    beyond = opened(permits)
    assert beyond.is_stranger
    assert not beyond.has_room
    permit.release()
    assert beyond.has_room


def test_strangers_take_no_room_from_known_connections() -> None:
    permits = small()
    for _ in range(3):
        known(permits)
    one, other = opened(permits), opened(permits)
    assert one.has_room
    one.mark_known()
    assert not other.has_room


def test_an_invitation_has_room_of_its_own_beyond_the_others() -> None:
    permits = small()
    held = [known(permits) for _ in range(4)]
    guests = [opened(permits) for _ in range(2)]
    for guest in guests:
        before = guest.has_room
        guest.invite("friday")
        assert (before, guest.has_room) == (False, True)
        guest.mark_known()
    late = opened(permits)
    held[0].invite("friday")
    late.invite("friday")
    assert late.has_room, "the invited one gave its room to the others"
    opened(permits).invite("monday")
    late.mark_known()
    beyond = opened(permits)
    beyond.invite("friday")
    assert not beyond.has_room
    beyond.invite("monday")
    assert beyond.has_room


def test_an_invited_connection_stays_where_it_was_counted_first() -> None:
    permits = small(invited_connections_per_address=1)
    guest, other = opened(permits), opened(permits)
    guest.invite("friday")
    guest.invite("monday")
    other.invite("monday")
    assert not other.is_stranger
    guest.release()
    third = opened(permits)
    third.invite("friday")
    assert not third.is_stranger


def test_streams_are_counted_for_themselves() -> None:
    permits = small()
    stream = permits.stream(HERE)
    assert stream is not None
    assert permits.stream(HERE) is None
    opened(permits)
    stream.release()
    assert permits.stream(HERE) is not None


def test_loopback_is_exempt_unless_the_operator_says_otherwise() -> None:
    free = small()
    held = [free.open("127.0.1.7", 0, nothing) for _ in range(100)]
    assert all(permit is not None and permit.has_room and not permit.is_stranger for permit in held)
    assert all(free.stream("::1") for _ in range(100))
    bound = small(limit_loopback=True)
    opened(bound, "127.0.1.7")
    opened(bound, "127.0.1.7")
    assert bound.open("127.0.1.7", 0, nothing) is None
    opened(bound, "127.0.1.8")


def test_closed_connections_take_no_memory() -> None:
    permits = small()
    for number in range(100):
        permit = opened(permits, f"192.0.2.{number}")
        permit.mark_known()
        permit.invite("friday")
        permit.release()
    assert not permits.counts
    newcomer = permits.wait(HERE, lambda _: None)
    assert newcomer is not None
    permits.stop_waiting(newcomer)
    assert not permits.strangers
    assert not permits.waiting
