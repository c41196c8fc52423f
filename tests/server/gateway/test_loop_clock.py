"""Server time on an asyncio loop: it starts at the wall's time and follows the loop's, and counts lateness."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any, cast

import pytest
from rumble_server.gateway.loop_clock import BEAT_MS, LATE_MS, REST_MS, LoopClock

from tests.server.gateway.hand_loop import HandLoop


@pytest.fixture
def loop() -> HandLoop:
    return HandLoop()


def test_server_time_begins_at_the_wall_clock_and_follows_the_loops_clock(loop: HandLoop) -> None:
    clock = LoopClock(cast(Any, loop), lambda: 1_700_000_000.25)
    assert clock.now_ms() == 1_700_000_000_250
    loop.pass_ms(1_500)
    assert clock.now_ms() == 1_700_000_001_750


async def test_a_timer_never_comes_before_its_time() -> None:
    clock = LoopClock(asyncio.get_running_loop(), lambda: 1_700_000_000.0)
    for ahead_ms in (-5, 0, 1, 2, 3, 10):
        due_ms = clock.now_ms() + ahead_ms
        came = asyncio.Event()
        clock.call_at(due_ms, came.set)
        await came.wait()
        assert clock.now_ms() >= due_ms


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


def watched(loop: HandLoop, is_wanted: Callable[[], bool] = lambda: True) -> LoopClock:
    clock = LoopClock(cast(Any, loop), lambda: 1000.0)
    clock.measure_lateness(is_wanted)
    return clock


@pytest.mark.parametrize("first", ["the beat", "a frame"])
def test_a_stall_is_known_to_whatever_runs_first_after_it(loop: HandLoop, first: str) -> None:
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


def test_busy_loop_is_late_after_the_bound_even_if_the_clock_is_read(loop: HandLoop) -> None:
    clock = watched(loop)
    for _ in range(50):
        loop.pass_ms(1)
        clock.now_ms()
    assert clock.late_ms == 50 - LATE_MS + 1


def test_a_short_iteration_of_the_loop_is_its_work(loop: HandLoop) -> None:
    clock = watched(loop)
    for _ in range(100):
        loop.pass_ms(LATE_MS - 1)
        loop.come_round()
    assert clock.late_ms == 0


def test_nothing_is_late_that_is_not_watched(loop: HandLoop) -> None:
    playing = True
    clock = LoopClock(cast(Any, loop), lambda: 1000.0)
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
    loop: HandLoop, caplog: pytest.LogCaptureFixture
) -> None:
    slept_s, told = 0.0, list[int]()
    clock = LoopClock(cast(Any, loop), lambda: loop.time() + slept_s)
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


def test_lateness_of_the_loop_is_measured_on_an_unwatched_clock(loop: HandLoop) -> None:
    clock = LoopClock(cast(Any, loop), lambda: 1000.0)
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


def test_the_loop_is_watched_while_anybody_watches(loop: HandLoop) -> None:
    playing = [True, True]
    clock = watched(loop, lambda: playing[0])
    clock.measure_lateness(lambda: playing[1])
    for number in (0, 1):
        playing[number] = False
        loop.run_ms(100)
        loop.pass_ms(300)
        loop.come_round()
        assert clock.late_ms == 300
