"""A timer for one matter at a time, on a loop of the test's."""

from collections.abc import Callable
from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway.deadline import Deadline


class Timer:
    """A timer of the loop, whose time has come when the test calls `run`."""

    def __init__(self, delay_s: float, callback: Callable[..., None], args: tuple[Any, ...]) -> None:
        self.delay_s = delay_s
        self._callback: Callable[..., None] | None = callback
        self._args = args

    def cancel(self) -> None:
        self._callback, self._args = None, ()

    def run(self) -> None:
        if self._callback is not None:
            self._callback(*self._args)


class Timers(list[Timer]):
    """The timers of a loop, in the order in which they were set."""

    def call_later(self, delay_s: float, callback: Callable[..., None], *args: Any) -> Timer:
        self.append(Timer(delay_s, callback, args))
        return self[-1]


@pytest.fixture
def timers() -> Timers:
    return Timers()


@pytest.fixture
def deadline(timers: Timers) -> Deadline:
    return Deadline(cast(Any, timers))


def test_the_timer_of_a_matter_runs_on_and_the_next_matter_replaces_it(timers: Timers, deadline: Deadline) -> None:
    late: list[str] = []
    for matter in ("head", "head", "body", "body", "head"):
        deadline.begin(1_500, lambda matter=matter: late.append(matter), matter)  # type: ignore[misc]
    assert [timer.delay_s for timer in timers] == [1.5] * 3
    for timer in timers:
        timer.run()
    assert late == ["head"]


def test_a_matter_may_begin_again_after_it_was_late_or_has_ended(timers: Timers, deadline: Deadline) -> None:
    late: list[int] = []
    deadline.begin(10, lambda: late.append(1))
    timers[0].run()
    deadline.begin(20, lambda: late.append(2))
    deadline.end()
    deadline.end()
    deadline.begin(30, lambda: late.append(3))
    assert len(timers) == 3
    for timer in timers[1:]:
        timer.run()
    assert late == [1, 3]


def test_a_late_callback_may_begin_the_same_matter_at_once(timers: Timers, deadline: Deadline) -> None:
    def late() -> None:
        deadline.begin(10, late)

    late()
    timers[0].run()
    assert len(timers) == 2


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("is_late", [True, False])
def test_the_function_is_freed_once_the_timer_has_ended(timers: Timers, deadline: Deadline, is_late: bool) -> None:
    class Owner:
        def late(self) -> None:
            pass

    owner = Owner()
    gone = ref(owner)
    deadline.begin(10, owner.late)
    del owner
    assert gone() is not None
    timers[0].run() if is_late else deadline.end()
    timers.clear()
    assert gone() is None
