import asyncio
import os
import signal

import pytest
from rumble_server.cli.support.loop import on_hangup, periodically, run, run_unless_stopped

from tests.server.failing import failing_once


async def answer() -> int:
    return 42


def test_a_coroutine_runs_to_its_result() -> None:
    assert run(answer()) == 42
    assert run_unless_stopped(answer()) == 42


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_coroutine(number: signal.Signals) -> None:
    cancelled = False

    async def wait() -> None:
        nonlocal cancelled
        os.kill(os.getpid(), number)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled = True
            raise

    assert run_unless_stopped(wait()) is None
    assert cancelled


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
def test_a_hangup_is_called_back() -> None:
    async def wait() -> bool:
        called = asyncio.Event()
        on_hangup(called.set)
        os.kill(os.getpid(), signal.SIGHUP)
        async with asyncio.timeout(60):
            return await called.wait()

    assert run(wait())


def test_an_error_passes() -> None:
    async def fail() -> None:
        raise KeyError("oops")

    with pytest.raises(KeyError):
        run_unless_stopped(fail())


async def test_work_is_done_from_time_to_time_after_an_error(caplog: pytest.LogCaptureFixture) -> None:
    done = asyncio.Event()
    async with asyncio.timeout(60), periodically(failing_once(done.set), 0.0):
        await done.wait()
    assert "a bug of the test" in caplog.text
