"""Tasks that repeat their work, and waits that repeat a question."""

import asyncio

import pytest
from rumble_server.host.repeating import repeat, until


async def test_work_that_fails_is_logged_and_repeated_until_the_end(caplog: pytest.LogCaptureFixture) -> None:
    stopping, calls = asyncio.Event(), 0

    async def work() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("a bug of the test")
        if calls == 3:
            stopping.set()

    async with asyncio.timeout(60):
        await repeat(work, 0.0, "the work failed", stopping)
    assert calls == 3
    (record,) = caplog.records
    assert record.message == "the work failed"
    assert "a bug of the test" in str(record.exc_text), "logged with the traceback"


async def test_the_end_comes_in_a_pause(caplog: pytest.LogCaptureFixture) -> None:
    stopping, called = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        called.set()

    async with asyncio.timeout(60):
        repeating = asyncio.create_task(repeat(work, 3600.0, "the work failed", stopping))
        await called.wait()
        stopping.set()
        await repeating
        cancelled = asyncio.create_task(repeat(work, 3600.0, "the work failed"))
        called.clear()
        await called.wait()
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
    assert caplog.records == []


async def test_a_wait_ends_with_its_condition_or_its_time() -> None:
    answers = iter([False, False, True])
    async with asyncio.timeout(60):
        await until(lambda: next(answers), 3600.0)
        assert next(answers, None) is None, "asked until the first true answer"
        await until(lambda: False, 0.01)
