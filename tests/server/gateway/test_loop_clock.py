"""Server time on an asyncio loop: it starts at the wall's time and follows the loop's."""

import asyncio
import socket

from rumble_server.gateway.loop_clock import LoopClock


class HandLoop(asyncio.SelectorEventLoop):
    """A loop whose time is what the test says."""

    now_s = 100.0

    def time(self) -> float:
        return self.now_s


def test_time_begins_at_the_walls_and_goes_on_with_the_loops() -> None:
    loop = HandLoop()
    try:
        clock = LoopClock(loop, wall_s=1_700_000_000.25)
        assert clock.now_ms() == 1_700_000_000_250
        loop.now_s = 101.5
        assert clock.now_ms() == 1_700_000_001_750
    finally:
        loop.close()


async def test_a_timer_never_comes_before_its_time() -> None:
    clock = LoopClock(asyncio.get_running_loop(), 1_700_000_000.0)
    for ahead_ms in (-5, 0, 1, 2, 3, 10):
        due_ms = clock.now_ms() + ahead_ms
        came = asyncio.Event()
        clock.call_at(due_ms, came.set)
        await came.wait()
        assert clock.now_ms() >= due_ms


async def test_a_cancelled_timer_does_not_come() -> None:
    clock = LoopClock(asyncio.get_running_loop(), 0.0)
    called: list[str] = []
    clock.call_at(clock.now_ms() + 1, lambda: called.append("cancelled")).cancel()
    done = asyncio.Event()
    clock.call_at(clock.now_ms() + 5, done.set)
    await done.wait()
    assert called == []


async def test_after_input_comes_after_what_was_received() -> None:
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
        LoopClock(loop, 0.0).after_input(after_input)
        await done.wait()
        loop.remove_reader(ours)
    assert order == ["input", "after input"]
