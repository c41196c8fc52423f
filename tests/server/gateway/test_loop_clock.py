"""Server time on an asyncio loop: it starts at the wall's time and follows the loop's, and counts lateness."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rumble_server.gateway.loop_clock import BEAT_MS, LATE_MS, REST_MS, LoopClock


class HandLoop(asyncio.SelectorEventLoop):
    """A loop with a time set by the test."""

    now_s = 100.0

    def time(self) -> float:
        return self.now_s


def test_server_time_begins_at_the_wall_clock_and_follows_the_loops_clock() -> None:
    loop = HandLoop()
    try:
        clock = LoopClock(loop, lambda: 1_700_000_000.25)
        assert clock.now_ms() == 1_700_000_000_250
        loop.now_s = 101.5
        assert clock.now_ms() == 1_700_000_001_750
    finally:
        loop.close()


async def test_a_timer_never_comes_before_its_time() -> None:
    clock = LoopClock(asyncio.get_running_loop(), lambda: 1_700_000_000.0)
    for ahead_ms in (-5, 0, 1, 2, 3, 10):
        due_ms = clock.now_ms() + ahead_ms
        came = asyncio.Event()
        clock.call_at(due_ms, came.set)
        await came.wait()
        assert clock.now_ms() >= due_ms


async def test_a_cancelled_timer_does_not_come() -> None:
    clock = LoopClock(asyncio.get_running_loop(), lambda: 0.0)
    called: list[str] = []
    clock.call_at(clock.now_ms() + 1, lambda: called.append("cancelled")).cancel()
    done = asyncio.Event()
    clock.call_at(clock.now_ms() + 5, done.set)
    await done.wait()
    assert called == []


async def test_after_input_calls_back_after_received_data() -> None:
    loop = asyncio.get_running_loop()
    order: list[str] = []
    done = asyncio.Event()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"x")

        def read() -> None:
            ours.recv(1)
            order.append("input")

        def after_input() -> None:
            order.append("after input")
            done.set()

        loop.add_reader(ours, read)
        LoopClock(loop, lambda: 0.0).after_input(after_input)
        await done.wait()
        loop.remove_reader(ours)
    assert order == ["input", "after input"]


class Timer:
    """A timer that is cancelled by a function."""

    def __init__(self, cancel: Callable[[], object]) -> None:
        self.cancel = cancel


class BeatingLoop(HandLoop):
    """A loop whose timers run on the test's word."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[tuple[float, Callable[..., object], tuple[Any, ...]]] = []

    def call_later(  # type: ignore[override]  # it keeps no context
        self, delay: float, callback: Callable[..., object], *given: Any, context: Any = None
    ) -> Any:
        timer = self.now_s + delay, callback, given
        self.timers.append(timer)

        def cancel() -> None:
            if timer in self.timers:
                self.timers.remove(timer)

        return Timer(cancel)

    def pass_ms(self, ms: float) -> None:
        """Pass some ms in which the loop is busy, or stopped, and runs no timer."""
        self.now_s += ms / 1000

    def come_round(self) -> None:
        """Run the due timers."""
        due = [timer for timer in self.timers if timer[0] <= self.now_s]
        self.timers = [timer for timer in self.timers if timer not in due]
        for _, callback, given in due:
            callback(*given)

    def run_ms(self, ms: int) -> None:
        """Let the loop come round each ms."""
        for _ in range(ms):
            self.pass_ms(1)
            self.come_round()


@pytest.fixture
def loop() -> Iterator[BeatingLoop]:
    made = BeatingLoop()
    yield made
    made.close()


def watched(loop: BeatingLoop, is_wanted: Callable[[], bool] = lambda: True) -> LoopClock:
    clock = LoopClock(loop, lambda: 1000.0)
    clock.measure_lateness(is_wanted)
    return clock


def test_a_loop_that_comes_round_is_not_late(loop: BeatingLoop) -> None:
    clock = watched(loop)
    loop.run_ms(1000)
    assert (clock.now_ms(), clock.late_ms) == (1_001_000, 0)


@pytest.mark.parametrize("first", ["the beat", "a frame"])
def test_a_stall_is_known_to_whatever_runs_first_after_it(loop: BeatingLoop, first: str) -> None:
    clock = watched(loop)
    loop.run_ms(52)
    assert clock.now_ms() == 1_000_052
    loop.pass_ms(4000)
    if first == "the beat":
        loop.come_round()
    else:
        assert clock.now_ms() == 1_004_052
    assert clock.late_ms == 4000
    loop.come_round()
    loop.run_ms(1000)
    assert clock.late_ms == 4000


def test_a_stall_counts_from_when_the_loop_was_last_seen_at_work(loop: BeatingLoop) -> None:
    clock = watched(loop)
    loop.pass_ms(4)
    clock.now_ms()
    loop.pass_ms(100)
    clock.now_ms()
    assert clock.late_ms == 100


def test_the_clock_goes_on_being_late_until_the_loop_comes_round(loop: BeatingLoop) -> None:
    clock = watched(loop)
    loop.pass_ms(100)
    late = []
    for _ in range(3):
        loop.pass_ms(1)
        clock.now_ms()
        late.append(clock.late_ms)
    assert late == [101, 102, 103]
    loop.come_round()
    loop.pass_ms(LATE_MS - 1)
    clock.now_ms()
    assert clock.late_ms == 103


def test_busy_loop_is_late_after_the_bound_even_if_the_clock_is_read(loop: BeatingLoop) -> None:
    clock = watched(loop)
    for _ in range(50):
        loop.pass_ms(1)
        clock.now_ms()
    assert clock.late_ms == 50 - LATE_MS + 1


def test_a_short_iteration_of_the_loop_is_its_work(loop: BeatingLoop) -> None:
    clock = watched(loop)
    for _ in range(100):
        loop.pass_ms(LATE_MS - 1)
        loop.come_round()
    assert clock.late_ms == 0


def test_nothing_is_late_that_is_not_watched(loop: BeatingLoop) -> None:
    playing = True
    clock = LoopClock(loop, lambda: 1000.0)
    loop.pass_ms(4000)
    clock.now_ms()
    clock.measure_lateness(lambda: playing)
    clock.measure_lateness(lambda: playing)
    assert len(loop.timers) == 1
    playing = False
    loop.run_ms(20)
    loop.pass_ms(4000)
    clock.now_ms()
    assert (clock.late_ms, loop.timers) == (0, [])
    playing = True
    clock.measure_lateness(lambda: playing)
    loop.pass_ms(4000)
    clock.now_ms()
    assert clock.late_ms == 4000


def test_server_time_jumps_after_a_sleep_of_the_machine_without_charging_bots(
    loop: BeatingLoop, caplog: pytest.LogCaptureFixture
) -> None:
    slept_s, told = 0.0, list[int]()
    clock = LoopClock(loop, lambda: loop.time() + slept_s)
    clock.on_sleep.append(told.append)
    clock.measure_lateness(lambda: True)
    slept_s = 4.0
    loop.run_ms(100)
    began_ms = clock.now_ms()
    assert (clock.late_ms, told) == (0, []), "so much may be drift"
    slept_s = 7_200.0
    loop.run_ms(100)
    assert (clock.now_ms() - began_ms, clock.late_ms, told) == (7_200_100, 7_200_000, [7_200_000])
    assert began_ms < clock.suspended_until_ms <= clock.now_ms()
    assert "the machine slept for 7200 s" in caplog.text


def test_lateness_of_the_loop_is_measured_on_an_unwatched_clock(loop: BeatingLoop) -> None:
    clock = LoopClock(loop, lambda: 1000.0)
    clock.measure_beat_delays()
    loop.run_ms(REST_MS)
    assert clock.beat_delay_s == pytest.approx(0, abs=0.002)
    assert sum(clock.beat_delays.counts) == 1
    loop.pass_ms(REST_MS + 300)
    loop.come_round()
    assert clock.beat_delay_s == pytest.approx(0.3)
    assert clock.beat_delays.sum_s == pytest.approx(0.3, abs=0.002)
    assert clock.late_ms == 0, "nobody plays"
    playing = True
    clock.measure_lateness(lambda: playing)
    assert len(loop.timers) == 1
    loop.run_ms(10 * BEAT_MS)
    assert sum(clock.beat_delays.counts) >= 9
    playing = False
    loop.run_ms(2 * REST_MS)
    assert len(loop.timers) == 1
    clock.stop()
    assert loop.timers == []


def test_the_loop_is_watched_while_anybody_watches(loop: BeatingLoop) -> None:
    playing = [True, True]
    clock = watched(loop, lambda: playing[0])
    clock.measure_lateness(lambda: playing[1])
    for number in (0, 1):
        playing[number] = False
        loop.run_ms(100)
        loop.pass_ms(300)
        loop.come_round()
        assert clock.late_ms == 300
