"""A timer for one matter at a time, on a loop of the test's."""

from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway.deadline import Deadline

from tests.server.gateway.hand_loop import HandLoop


@pytest.fixture
def loop() -> HandLoop:
    return HandLoop()


@pytest.fixture
def deadline(loop: HandLoop) -> Deadline:
    return Deadline(cast(Any, loop))


def test_the_timer_of_a_matter_runs_on_and_the_next_matter_replaces_it(loop: HandLoop, deadline: Deadline) -> None:
    late: list[str] = []
    for matter in ("head", "head", "body", "head", "head"):
        deadline.begin(1_500, lambda matter=matter: late.append(matter), matter)  # type: ignore[misc]
        loop.run_ms(500)
    assert late == []
    loop.run_ms(501)
    assert late == ["head"]


def test_a_matter_may_begin_again_after_it_was_late_or_has_ended(loop: HandLoop, deadline: Deadline) -> None:
    late: list[int] = []
    deadline.begin(10, lambda: late.append(1))
    loop.run_ms(15)
    deadline.begin(20, lambda: late.append(2))
    deadline.end()
    deadline.end()
    deadline.begin(30, lambda: late.append(3))
    loop.run_ms(100)
    assert late == [1, 3]


def test_a_late_callback_may_begin_the_same_matter_at_once(loop: HandLoop, deadline: Deadline) -> None:
    def late() -> None:
        deadline.begin(10, late)

    late()
    loop.run_ms(15)
    assert len(loop.timers) == 1


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("is_late", [True, False])
def test_the_function_is_freed_once_the_timer_has_ended(loop: HandLoop, deadline: Deadline, is_late: bool) -> None:
    class Owner:
        def late(self) -> None:
            pass

    owner = Owner()
    gone = ref(owner)
    deadline.begin(10, owner.late)
    del owner
    assert gone() is not None
    loop.run_ms(15) if is_late else deadline.end()
    assert gone() is None
