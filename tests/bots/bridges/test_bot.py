"""Bridged programs as a bot: a process for each concurrent match."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from rumble_bots.bridges.bot import BridgeBot
from rumble_bots.bridges.dialogue import Talk, until
from rumble_bots.bridges.stdio import BareStdio, Stdio
from rumble_bots.sdk.errors import Resign
from rumble_protocol import server_messages as server

from tests.bots.bridges.scripts import HANGS, asked, launch
from tests.bots.sdk import says
from tests.waiting import PATIENCE_S, until_true

pytestmark = pytest.mark.e2e


@pytest.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Callable[[str], Awaitable[BridgeBot]]]:
    """Return a maker of bots that are closed after the test."""
    made: list[BridgeBot] = []

    async def make(code: str) -> BridgeBot:
        launched, _ = launch(tmp_path, code)
        launched.make_dialogue = lambda: Stdio(everything=True)
        made.append(BridgeBot(launched))
        await made[-1].start()
        return made[-1]

    yield make
    for bot in made:
        await bot.close()


TELLS_ITS_NUMBER = """
import json
for line in sys.stdin:
    if json.loads(line)["type"] == "turn": print(os.getpid(), flush=True)
"""


async def test_each_match_has_a_program_and_a_free_one_is_used_again(
    bridge: Callable[[str], Awaitable[BridgeBot]],
) -> None:
    bot = await bridge(TELLS_ITS_NUMBER)
    first, second = await asyncio.gather(*(bot.choose(asked(match=match)) for match in ("cup.1", "cup.2")))
    assert first != second
    assert await bot.choose(asked(match="cup.1")) == first
    bot.match_over(says.read(server.MatchOver, says.match_over(match="cup.1")))
    assert await bot.choose(asked(match="cup.3")) == first
    bot.session(says.read(server.Session, says.session("cup.3")))
    assert await bot.choose(asked(match="cup.4")) == second, "cup.2 ended while the bot was away"


async def test_a_program_that_thinks_about_a_match_that_is_over_is_ended(
    bridge: Callable[[str], Awaitable[BridgeBot]],
) -> None:
    bot = await bridge(HANGS)
    thinking = asyncio.create_task(bot.choose(asked(match="cup.1")))
    await asyncio.sleep(0)
    bot.match_over(says.read(server.MatchOver, says.match_over(match="cup.1")))
    with pytest.raises(Resign, match="the match is over"):
        await asyncio.wait_for(thinking, PATIENCE_S)


async def test_closing_after_a_cancelled_start_ends_the_first_program(tmp_path: Path) -> None:
    class Waits(BareStdio):
        def begin(self) -> Talk[None]:
            yield from until(["hello"], lambda answer: answer == "ready")

    told = tmp_path / "pid"
    hangs = (
        f"open({str(told)!r} + '.new', 'w').write(str(os.getpid())); os.rename({str(told)!r} + '.new', {str(told)!r})"
    )
    bot = BridgeBot(launch(tmp_path, f"{hangs}\ntime.sleep(60)", Waits)[0])
    starting = asyncio.create_task(bot.start())
    await until_true(told.exists)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await bot.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


async def test_all_messages_of_a_match_reach_its_program(
    tmp_path: Path, bridge: Callable[[str], Awaitable[BridgeBot]]
) -> None:
    seen = tmp_path / "seen"
    bot = await bridge(
        f"import json\nfor line in sys.stdin:\n    kind = json.loads(line)['type']\n"
        f"    open({str(seen)!r}, 'a').write(kind + ' ')\n    if kind == 'turn': print('0', flush=True)"
    )
    refused = says.read(server.Rejected, says.rejected())
    bot.match_start(says.read(server.MatchStart, says.match_start()))
    assert await bot.choose(asked(match="cup.1")) == "0"
    bot.rejected(refused)
    bot.match_over(says.read(server.MatchOver, says.match_over()))
    bot.rejected(refused)
    await until_true(lambda: seen.read_text() == "match_start turn rejected match_over ")
