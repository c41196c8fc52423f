"""Each starter, as `rumble new` writes it, is checked by every rule of the protocol."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from rumble_bots.check.report import Report
from rumble_bots.check.run import Plan, check_bot
from rumble_bots.sdk.starters import STARTERS

from tests.bots.starters.building import Built, tool_path

pytestmark = pytest.mark.e2e

KEY = "a-key-of-sixteen-characters-or-more"
AT_ONCE = 3
"""Checks at the same time; with more of them the bots start too slowly."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("SERVER", "JOIN", "NAME"):
            patch.delenv(f"RUMBLE_{variable}", raising=False)
        patch.setenv("RUMBLE_KEY", KEY)
        patch.setenv("RUMBLE_STATE_DIR", str(folder))
        patch.setenv("PATH", tool_path())
        yield folder


@pytest.fixture(scope="module")
def reports(built: Mapping[str, Built], environment: Path) -> dict[str, Report]:
    async def all_of_them() -> dict[str, Report]:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(bot: Built) -> Report:
            async with room:
                return await check_bot(
                    Plan(bot.command("winblock"), ["tictactoe", "connect4"], club="fun", wait_s=60, move_ms=1000)
                )

        there = [language for language, bot in built.items() if bot.missing is None]
        return dict(zip(there, await asyncio.gather(*(one(built[language]) for language in there)), strict=True))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("language", STARTERS)
def test_it_keeps_every_rule(language: str, built: Mapping[str, Built], reports: Mapping[str, Report]) -> None:
    built[language].command()
    left = {
        result.label: (result.status, result.why) for result in reports[language].results if result.status != "pass"
    }
    may = {"two-matches": "skip"} if language == "shell" else {}
    assert {label: status for label, (status, _) in left.items()} == may, left
    assert reports[language].bot == "checked-bot", "it takes its name from the environment"
    (place,) = [result.why for result in reports[language].results if result.label == "connect"]
    assert place == "at /c/fun/bot"
