import asyncio
import threading

import pytest
from rumble_bots.sdk.thinkers import Thinkers


async def test_a_thread_is_used_again() -> None:
    thinkers = Thinkers()
    threads = {await thinkers.run(threading.get_ident) for _ in range(20)}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_thought_that_never_ends_keeps_nobody_waiting() -> None:
    thinkers = Thinkers()
    forever = threading.Event()
    stuck = asyncio.create_task(thinkers.run(forever.wait))
    await asyncio.sleep(0)
    assert await thinkers.run(lambda: "done") == "done"
    stuck.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stuck
    forever.set()


async def test_errors_come_back_and_the_thread_lives_on() -> None:
    thinkers = Thinkers()

    def fail() -> None:
        raise KeyError("x")

    for _ in range(3):
        with pytest.raises(KeyError):
            await thinkers.run(fail)
    assert await thinkers.run(lambda: 1) == 1
