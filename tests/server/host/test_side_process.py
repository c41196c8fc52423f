"""A process beside the server: it starts again after its death, and never outlives the server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import BrokenExecutor

import pytest
from rumble_server.host.side_process import NICENESS, SideProcess

pytestmark = pytest.mark.e2e

SERVER = """
import asyncio, os
from rumble_server.host.side_process import SideProcess

async def main():
    process = SideProcess()
    print(await process.run(os.getpid), flush=True)
    await asyncio.Event().wait()

if __name__ == "__main__":
    asyncio.run(main())
"""
PATIENCE_S = 30

greeting = ""


def greet(text: str) -> None:
    global greeting
    greeting = text


def greeted() -> str:
    return greeting


def die() -> None:
    os._exit(1)


def refuse() -> None:
    raise ValueError("no")


@pytest.fixture
async def process() -> AsyncIterator[SideProcess]:
    made = SideProcess(greet, "hello")
    yield made
    await made.close()


async def test_tasks_and_their_errors_are_of_a_nicer_process_that_was_prepared(process: SideProcess) -> None:
    pids = {await process.run(os.getpid) for _ in range(3)}
    assert len(pids) == 1
    assert os.getpid() not in pids
    assert await process.run(os.nice, 0) == os.nice(0) + NICENESS
    assert await process.run(greeted) == "hello"
    with pytest.raises(ValueError, match="no"):
        await process.run(refuse)


async def test_a_process_that_died_is_started_again(process: SideProcess) -> None:
    before = await process.run(os.getpid)
    os.kill(before, signal.SIGKILL)
    found = await asyncio.gather(*(process.run(greeted) for _ in range(3)))
    assert found == ["hello"] * 3
    assert await process.run(os.getpid) != before


async def test_closing_waits_for_the_end_of_the_process(process: SideProcess) -> None:
    pid = await process.run(os.getpid)
    await process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_task_that_kills_every_process_is_an_error(process: SideProcess) -> None:
    with pytest.raises(BrokenExecutor):
        await process.run(die)
    assert await process.run(greeted) == "hello"


def test_the_side_process_ends_when_the_server_is_killed() -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert int(server.stdout.readline()) != server.pid
    server.kill()
    # Both processes share the pipe for output, which ends when both processes have ended.
    assert server.communicate(timeout=PATIENCE_S)[0] == ""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be blocked here")
async def test_a_ctrl_c_never_reaches_the_process_even_while_it_starts(process: SideProcess) -> None:
    assert signal.SIGINT in await process.run(signal.pthread_sigmask, signal.SIG_BLOCK, [])
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
