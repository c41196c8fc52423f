"""Readers are woken a portion at a time, in order, and once each."""

from rumble_server.web.feed.waker import READERS_AT_ONCE, Waker

from tests.server.virtual_clock import VirtualClock


class Sleeper:
    """A reader that notes its own number when woken."""

    def __init__(self, number: int, woken: list[int]) -> None:
        self._number = number
        self._woken = woken

    def resume(self) -> None:
        self._woken.append(self._number)


def test_a_portion_is_woken_at_once_and_the_others_in_later_turns() -> None:
    clock, woken = VirtualClock(), list[int]()
    waker = Waker(clock)
    for number in range(2 * READERS_AT_ONCE + 5):
        waker.wake(Sleeper(number, woken))
    for expected in (READERS_AT_ONCE, 2 * READERS_AT_ONCE, 2 * READERS_AT_ONCE + 5):
        assert woken == list(range(expected))
        clock.step()
    assert woken == list(range(2 * READERS_AT_ONCE + 5))


def test_the_next_turn_has_room_again() -> None:
    clock, woken = VirtualClock(), list[int]()
    waker = Waker(clock)
    for number in range(READERS_AT_ONCE):
        waker.wake(Sleeper(number, woken))
    clock.step()
    waker.wake(Sleeper(READERS_AT_ONCE, woken))
    assert woken[-1] == READERS_AT_ONCE


def test_a_waiting_sleeper_is_woken_once() -> None:
    clock, woken = VirtualClock(), list[int]()
    waker = Waker(clock)
    for number in range(READERS_AT_ONCE):
        waker.wake(Sleeper(number, woken))
    last = Sleeper(READERS_AT_ONCE, woken)
    waker.wake(last)
    waker.wake(last)
    while clock.step():
        pass
    assert woken.count(READERS_AT_ONCE) == 1
