"""Programs started by the kit."""

import asyncio
from pathlib import Path

import pytest
from rumble_bots.check.child import Child
from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Event, Exited
from rumble_bots.sdk.address import Address

from tests.waiting import PATIENCE_S, has_ended, until_true

pytestmark = pytest.mark.e2e


def make(tmp_path: Path, *command: str) -> tuple[Child, "asyncio.Queue[Event]"]:
    inbox: asyncio.Queue[Event] = asyncio.Queue()
    return Child(command, Address("127.0.0.1", 1), "cup", "ann", tmp_path, inbox.put_nowait), inbox


async def test_the_end_of_a_child_is_reported_with_its_last_output(tmp_path: Path) -> None:
    child, inbox = make(tmp_path, "sh", "-c", 'echo "{name}@$RUMBLE_JOIN at $RUMBLE_SERVER"; exit 4')
    await child.start()
    event = await asyncio.wait_for(inbox.get(), PATIENCE_S)
    assert isinstance(event, Exited)
    assert event.how == "ended with exit code 4; it said last: ann@cup at 127.0.0.1:1"
    assert not child.running
    await child.stop()


async def test_an_end_that_nobody_has_noticed_is_stale_once_it_is_stopped(tmp_path: Path) -> None:
    child, inbox = make(tmp_path, "true")
    await child.start()
    await until_true(lambda: not inbox.empty())
    await child.stop()
    assert inbox.get_nowait() == Exited(0, "", stale=True)
    await child.start()
    event = await asyncio.wait_for(inbox.get(), PATIENCE_S)
    assert event == Exited(0, "")
    await child.stop()


async def test_processes_that_a_child_started_are_killed_with_the_child(tmp_path: Path) -> None:
    stubborn = f'''
        trap "" TERM
        sh -c 'trap "" TERM; sleep 60' & echo $! > "{tmp_path}/new"
        mv "{tmp_path}/new" "{tmp_path}/pid"
        wait
    '''
    child, inbox = make(tmp_path, "sh", "-c", stubborn)
    await child.start()
    await until_true((tmp_path / "pid").exists)
    await child.stop()
    assert inbox.empty()
    pid = int((tmp_path / "pid").read_text())
    await until_true(lambda: has_ended(pid))


async def test_a_command_with_a_null_character_is_refused(tmp_path: Path) -> None:
    child, _ = make(tmp_path, "tr\0ue")
    with pytest.raises(BadCommand, match="cannot run"):
        await child.start()
