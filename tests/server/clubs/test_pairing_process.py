"""The pairing of rounds in another process."""

import asyncio
import threading
from concurrent.futures import BrokenExecutor
from functools import partial

import pytest
from rumble_server.clubs.pairing_process import PairingProcess
from rumble_server.host.side_process import SideProcess

from tests.server.failing import fail, raising


@pytest.mark.e2e
async def test_a_pairing_that_fails_in_its_process_is_logged_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    answers: asyncio.Queue[object] = asyncio.Queue()
    pairing = PairingProcess()
    pairing.run(partial(int, "no number"), answers.put_nowait)  # type: ignore[arg-type]
    assert await answers.get() is None
    pairing.run(partial(int, "1"), answers.put_nowait)  # type: ignore[arg-type]
    assert await answers.get() == 1
    await pairing.close()
    (error,) = [record.exc_text for record in caplog.records if record.message == "the pairing of a round failed"]
    assert "invalid literal for int()" in str(error), "logged with the traceback"


async def test_a_pairing_whose_process_dies_is_made_on_a_thread_and_may_fail_there_too(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: asyncio.Queue[object] = asyncio.Queue()
    monkeypatch.setattr(SideProcess, "run", raising(BrokenExecutor()))
    pairing = PairingProcess()
    pairing.run(threading.get_ident, answers.put_nowait)  # type: ignore[arg-type]
    assert await answers.get() != threading.get_ident(), "the loop goes on meanwhile"
    pairing.run(fail, answers.put_nowait)
    assert await answers.get() is None
    assert "pairing here instead" in caplog.text
    assert "the pairing of a round failed" in caplog.text
