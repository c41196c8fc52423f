"""Limits of open connections of an address: strangers, known and invited connections, and streams."""

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.connections import WAIT_MS, Connections, Place

HERE, THERE = "192.0.2.1", "192.0.2.2"


def small(**bounds: int | bool) -> Connections:
    given = {"connections_per_address": 4, "strangers_per_address": 2, "invited_connections_per_address": 3}
    return Connections(Bounds.model_validate({**given, "streams_per_address": 1, **bounds}))


def nothing() -> None:
    """End no connection."""


def opened(connections: Connections, address: str = HERE) -> Place:
    place = connections.open(address, 0, nothing)
    assert place is not None
    return place


def known(connections: Connections) -> Place:
    place = opened(connections)
    assert place.has_room
    place.know()
    return place


def test_an_address_has_only_so_many_strangers_and_they_are_no_other_addresss_business() -> None:
    connections = small()
    first, _ = opened(connections), opened(connections)
    assert connections.open(HERE, 0, nothing) is None
    opened(connections, THERE)
    first.close()
    first.close()
    opened(connections)
    assert connections.open(HERE, 0, nothing) is None


def test_the_oldest_stranger_of_a_full_address_gives_way_when_it_had_its_time() -> None:
    connections, ended = small(strangers_per_address=3), list[str]()
    for now_ms, name in enumerate(("first", "second", "third")):
        assert connections.open(HERE, now_ms, lambda name=name: ended.append(name))  # type: ignore[misc]
    opened(connections, THERE)
    assert connections.open(HERE, WAIT_MS - 1, nothing) is None
    for now_ms in (WAIT_MS, WAIT_MS + 1):
        assert connections.open(HERE, now_ms, nothing) is not None
    assert connections.open(HERE, WAIT_MS + 1, nothing) is None
    assert ended == ["first", "second"]
    assert connections.counts["stranger", HERE] == 3


def test_newcomers_of_a_full_address_wait_for_its_places_in_the_order_in_which_they_came() -> None:
    """1,000 bots of ten addresses come back at once: as soon as one has logged in the next one gets its place."""
    connections, admitted = small(strangers_per_address=2, connections_per_address=8), list[Place]()
    first, second = opened(connections), opened(connections)
    waiting = [connections.wait(HERE, admitted.append) for _ in range(4)]
    assert connections.open(HERE, 0, nothing) is None
    first.know()
    assert connections.counts["stranger", HERE] == 2, "the place was given on at once"
    assert waiting[1] is not None
    assert connections.leave(waiting[1])
    assert not connections.leave(waiting[1])
    second.close()
    assert [place.is_stranger for place in admitted] == [True, True]
    assert [newcomer in connections.waiting[HERE] for newcomer in waiting] == [False, False, False, True]
    for place in admitted[:2]:
        place.know()
    assert len(admitted) == 3
    assert connections.counts["known", HERE] == 3


def test_who_had_its_time_gives_way_to_who_has_waited_longest() -> None:
    connections, admitted, ended = small(strangers_per_address=1), list[str](), list[str]()
    assert connections.open(HERE, 0, lambda: ended.append("oldest"))
    connections.wait(HERE, lambda _: admitted.append("first"))
    connections.wait(HERE, lambda _: admitted.append("second"))
    connections.make_room(HERE, WAIT_MS - 1)
    assert not ended
    assert connections.open(HERE, WAIT_MS, nothing) is None, "nobody overtakes who waits"
    assert (ended, admitted) == (["oldest"], ["first"])


def test_only_so_many_wait() -> None:
    connections = small()
    for _ in range(2):
        opened(connections)
    waiting = [connections.wait(HERE, lambda _: None) for _ in range(4 + 3)]
    assert None not in waiting
    assert connections.wait(HERE, lambda _: None) is None
    assert connections.wait(THERE, lambda _: None) is not None


def test_one_who_is_known_is_a_stranger_no_more() -> None:
    connections = small()
    for _ in range(4):
        place = known(connections)
        assert not place.is_stranger
        place.know()
    beyond = opened(connections)
    assert beyond.is_stranger
    assert not beyond.has_room
    place.close()
    assert beyond.has_room


def test_strangers_take_no_room_from_those_who_are_known() -> None:
    connections = small()
    for _ in range(3):
        known(connections)
    one, other = opened(connections), opened(connections)
    assert one.has_room
    one.know()
    assert not other.has_room


def test_an_invitation_has_room_of_its_own_beyond_the_others() -> None:
    connections = small()
    places = [known(connections) for _ in range(4)]
    guests = [opened(connections) for _ in range(2)]
    for guest in guests:
        before = guest.has_room
        guest.invite("friday")
        assert (before, guest.has_room) == (False, True)
        guest.know()
    late = opened(connections)
    places[0].invite("friday")
    late.invite("friday")
    assert late.has_room, "the invited one gave its room to the others"
    opened(connections).invite("monday")
    late.know()
    beyond = opened(connections)
    beyond.invite("friday")
    assert not beyond.has_room
    beyond.invite("monday")
    assert beyond.has_room


def test_who_is_invited_stays_where_it_was_counted_first() -> None:
    connections = small(invited_connections_per_address=1)
    guest, other = opened(connections), opened(connections)
    guest.invite("friday")
    guest.invite("monday")
    other.invite("monday")
    assert not other.is_stranger
    guest.close()
    third = opened(connections)
    third.invite("friday")
    assert not third.is_stranger


def test_streams_are_counted_for_themselves() -> None:
    connections = small()
    stream = connections.stream(HERE)
    assert stream is not None
    assert connections.stream(HERE) is None
    opened(connections)
    stream.close()
    assert connections.stream(HERE) is not None


def test_loopback_is_exempt_unless_the_operator_says_otherwise() -> None:
    free = small()
    places = [free.open("127.0.1.7", 0, nothing) for _ in range(100)]
    assert all(place is not None and place.has_room and not place.is_stranger for place in places)
    assert all(free.stream("::1") for _ in range(100))
    bound = small(limit_loopback=True)
    opened(bound, "127.0.1.7")
    opened(bound, "127.0.1.7")
    assert bound.open("127.0.1.7", 0, nothing) is None
    opened(bound, "127.0.1.8")


def test_what_has_closed_takes_no_memory() -> None:
    connections = small()
    for number in range(100):
        place = opened(connections, f"192.0.2.{number}")
        place.know()
        place.invite("friday")
        place.close()
    assert not connections.counts
    newcomer = connections.wait(HERE, lambda _: None)
    assert newcomer is not None
    connections.leave(newcomer)
    assert not connections.strangers
    assert not connections.waiting
