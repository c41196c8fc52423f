"""Readers are woken a portion at a time, in order, and once each."""

from functools import partial

from rumble_server.web.feed.waker import READERS_AT_ONCE, Waker

from tests.server.virtual_clock import VirtualClock


def test_a_portion_is_woken_at_once_and_the_others_in_later_turns() -> None:
    clock, woken = VirtualClock(), list[int]()
    waker = Waker(clock)
    for number in range(2 * READERS_AT_ONCE + 5):
        waker.wake(partial(woken.append, number))
    for expected in (READERS_AT_ONCE, 2 * READERS_AT_ONCE, 2 * READERS_AT_ONCE + 5):
        assert woken == list(range(expected))
        clock.step()
    assert woken == list(range(2 * READERS_AT_ONCE + 5))


def test_a_waiting_reader_is_woken_once() -> None:
    clock, woken = VirtualClock(), list[int]()
    waker = Waker(clock)
    for number in range(READERS_AT_ONCE):
        waker.wake(partial(woken.append, number))
    last = partial(woken.append, READERS_AT_ONCE)
    for _ in range(2):
        waker.wake(last)
    while clock.step():
        pass
    assert woken.count(READERS_AT_ONCE) == 1
