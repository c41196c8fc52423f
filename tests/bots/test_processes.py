import asyncio
import os
import select
import sys

import pytest
from rumble_bots.processes import start_group

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")]
PATIENCE_S = 20.0


async def test_whoever_is_cancelled_while_a_program_starts_leaves_nothing_of_it() -> None:
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
async def test_what_cannot_be_started_is_an_error(command: list[str]) -> None:
    with pytest.raises((OSError, ValueError)):
        await start_group(command)
