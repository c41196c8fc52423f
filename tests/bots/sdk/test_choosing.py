import asyncio
import logging
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.choosing import Chooser, in_a_line
from rumble_bots.sdk.errors import Crashed, Resign
from rumble_engine import MoveError, get_game
from rumble_protocol import server_messages as server

from tests.bots.sdk import says

TURN = Turn.of(says.read(server.Turn, says.turn()), None, lambda: 0.0)


class Answering(Bot):
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.thread: threading.Thread | None = None

    def choose(self, turn: Turn) -> Any:
        self.thread = threading.current_thread()
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


async def test_an_ordinary_choose_thinks_off_the_event_loop() -> None:
    bot = Answering("4")
    assert await Chooser(bot).choose(TURN) == "4"
    assert bot.thread is not None
    assert bot.thread is not threading.current_thread()
    assert bot.thread.daemon


async def test_the_time_lost_around_a_choice_is_measured() -> None:
    times = iter([0.0, 0.010, 0.500, 0.525])  # asked, begun, ended, heard of by the event loop
    chooser = Chooser(Answering("4"))
    await chooser.choose(replace(TURN, now=lambda: next(times)))
    assert chooser.lateness.ms == pytest.approx(10 + 2 * 25)


async def test_an_async_choose_runs_on_the_event_loop() -> None:
    class Async(Bot):
        async def choose(self, turn: Turn) -> str:
            assert threading.current_thread() is threading.main_thread()
            return "3"

    assert await Chooser(Async()).choose(TURN) == "3"


async def test_an_awaitable_answer_is_awaited() -> None:
    async def later() -> str:
        return "2"

    assert await Chooser(Answering(later())).choose(TURN) == "2"


async def test_an_answer_that_is_no_text_is_passed_on_as_text_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert await Chooser(Answering(None)).choose(TURN) == "None"
    assert "answered None at ply 0, which is no text" in caplog.text


async def test_an_error_is_a_crash_with_its_place_and_is_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Crashed, match=r"^KeyError: 'x' \(test_choosing.py, line \d+, in choose\)$"):
        await Chooser(Answering(KeyError("x"))).choose(TURN)
    assert caplog.records[0].levelno == logging.ERROR
    assert caplog.records[0].exc_info is not None


async def test_a_bot_that_exits_is_a_crash() -> None:
    class Exiting(Bot):
        async def choose(self, turn: Turn) -> str:
            sys.exit("gone")

    for bot in (Exiting(), Answering(SystemExit("gone"))):
        with pytest.raises(Crashed, match=r"^SystemExit: gone \(test_choosing.py, line \d+, in choose\)$"):
            await Chooser(bot).choose(TURN)


async def test_an_answer_without_a_text_is_a_crash() -> None:
    class Broken:
        def __str__(self) -> str:
            raise KeyError("x")

    with pytest.raises(Crashed, match=r"^KeyError: 'x'"):
        await Chooser(Answering(Broken())).choose(TURN)


async def test_a_search_without_a_find_is_a_crash() -> None:
    class Searching(Bot):
        def choose(self, turn: Turn) -> str:
            return next(move for move in turn.legal if move == "9")

    with pytest.raises(Crashed, match=r"^RuntimeError: StopIteration \(test_choosing.py, line \d+, in choose\)$"):
        async with asyncio.timeout(10):
            await Chooser(Searching()).choose(TURN)


async def test_a_task_that_the_bot_itself_cancelled_is_a_crash() -> None:
    class Cancelling(Bot):
        async def choose(self, turn: Turn) -> str:
            search = asyncio.create_task(asyncio.sleep(60, "4"))
            search.cancel()
            return await search

    for bot in (Cancelling(), Answering(asyncio.CancelledError())):
        with pytest.raises(Crashed, match=r"^CancelledError \(test_choosing.py, line \d+, in choose\)$"):
            await Chooser(bot).choose(TURN)


@pytest.mark.parametrize(("reason", "told"), [("", "the bot gives up"), ("tired", "tired")])
async def test_a_bot_may_resign(reason: str, told: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Resign, match=told):
        await Chooser(Answering(Resign(reason))).choose(TURN)
    assert not caplog.records


def test_the_place_of_an_error_is_in_the_author_s_own_file() -> None:
    def ai() -> None:
        get_game("tictactoe").initial().play("9")

    with pytest.raises(MoveError) as raised:
        ai()
    line = ai.__code__.co_firstlineno + 1
    assert in_a_line(raised.value).endswith(f"(test_choosing.py, line {line}, in ai)")


def test_an_error_in_a_line() -> None:
    assert in_a_line(ValueError("two\nlines")) == "ValueError: two lines"
    assert in_a_line(ValueError()) == "ValueError"


def test_an_error_that_has_no_text_is_told_by_its_type() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert in_a_line(Broken()) == "Broken"
