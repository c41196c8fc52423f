import asyncio
import os
import select
import signal
import sys

import pytest
from rumble_bots.sdk.processes import end_process, start_group

from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")]


async def test_a_start_that_is_cancelled_leaves_nothing_of_the_program() -> None:
    reading, writing = os.pipe()
    script = "sleep 60 & echo started; wait"
    starting = asyncio.create_task(start_group(["sh", "-c", script], stdout=writing))
    for _ in range(2):
        await asyncio.sleep(0)
    assert select.select([reading], [], [], PATIENCE_S)[0], "it did not start"
    assert os.read(reading, 100) == b"started\n"
    assert not starting.done()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    os.close(writing)
    assert select.select([reading], [], [], PATIENCE_S)[0], "something still holds the pipe"
    assert os.read(reading, 100) == b""
    os.close(reading)


@pytest.mark.parametrize("command", [["no-such-program"], ["a\0b"]])
async def test_a_command_that_cannot_be_started_is_an_error(command: list[str]) -> None:
    with pytest.raises((OSError, ValueError)):
        await start_group(command)


async def test_a_process_that_does_not_end_when_asked_is_killed_with_all_that_it_started() -> None:
    reading, writing = os.pipe()
    script = "trap '' TERM; sh -c 'trap \"\" TERM; echo started; sleep 60' & wait"
    process = await start_group(["sh", "-c", script], stdout=writing)
    os.close(writing)
    assert os.read(reading, 100) == b"started\n"
    await end_process(process, group=True, patience_s=0.1)
    assert process.returncode == -signal.SIGKILL
    assert os.read(reading, 100) == b"", "something still holds the pipe"
    os.close(reading)


async def test_a_process_is_asked_before_it_is_killed() -> None:
    process = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
    assert process.stdin is not None
    asked = process.stdin

    async def ask() -> None:
        asked.close()

    await end_process(process, ask=ask, patience_s=PATIENCE_S)
    assert process.returncode == 0
    await end_process(process)  # the process has ended already
    process = await asyncio.create_subprocess_exec("sleep", "60")
    await end_process(process)
    assert process.returncode == -signal.SIGTERM


async def test_a_process_is_killed_also_if_its_end_is_cancelled() -> None:
    process = await start_group(["sh", "-c", "trap '' TERM; echo started; sleep 60"], stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"started\n"
    ending = asyncio.create_task(end_process(process, group=True, patience_s=PATIENCE_S))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    async with asyncio.timeout(PATIENCE_S / 2):
        assert await process.wait() == -signal.SIGKILL
