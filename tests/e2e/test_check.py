"""`rumble check` with two good programs, some faulty programs, and bots of all other faults in this process."""

import asyncio
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rumble_bots.check.report import Report
from rumble_bots.check.run import NAME, Plan, check_bot
from rumble_bots.check.scripted_server import TOURNAMENT_ID
from rumble_bots.reference.faulty import FAULTS, FaultyBot
from rumble_bots.sdk.address import Address

from tests.bots.check.quirky import check_here
from tests.e2e.processes import RUMBLE

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
BARE = (
    f'exec {shlex.quote(sys.executable)} {ROOT}/bots/python/bare_bot.py "$RUMBLE_SERVER" "$RUMBLE_JOIN" "$RUMBLE_NAME"'
)
PROGRAMS = ("crash", "absent", "flood")
"""Faults that end their program, or leave a socket that stays open until the program ends."""
COMMANDS: dict[str, Sequence[str]] = {
    "random": (*RUMBLE, "bot", "random", "--matches-at-once", "2"),
    "bare": ("sh", "-c", BARE),
    **{fault: (*RUMBLE, "bot", "faulty", "--fault", fault) for fault in PROGRAMS},
}
CHECKED = (*COMMANDS, *(fault for fault in FAULTS if fault not in PROGRAMS))

FAILS: Mapping[str, set[str]] = {
    "timeout": {"deadlines"},
    "silent": {"deadlines"},
    "slow-reader": {"deadlines"},
    "illegal": {"legal-moves"},
    "garbage": {"valid-messages"},
    "drop": {"stays-connected"},
    "crash": {"stays-connected"},
    "absent": {"stays-connected"},
    "flood": {"limits"},
    "huge": {"limits"},
    "stale": {"answers"},
    "wrong-match": {"answers"},
}
WARNS: Mapping[str, set[str]] = {"duplicate": {"answers"}}
"""An answer sent twice does no harm, and PROTOCOL.md allows it where a bot is not sure."""


async def check(name: str) -> Report:
    """Check a program, or a bot with this fault in this process."""
    if name in COMMANDS:
        return await check_bot(Plan(COMMANDS[name], () if name in PROGRAMS else ("tictactoe", "snakes")))
    return await check_here(Plan(), lambda at: FaultyBot(Address.parse(at), NAME, TOURNAMENT_ID, name).run())


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    async def all_of_them() -> list[Report]:
        return await asyncio.gather(*map(check, CHECKED))

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("KEY", "SERVER", "JOIN", "NAME"):
            patch.delenv(f"RUMBLE_{variable}", raising=False)
        return dict(zip(CHECKED, asyncio.run(all_of_them()), strict=True))


@pytest.mark.parametrize("name", CHECKED)
def test_each_bot_fails_the_rules_it_breaks_and_no_others(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]
    failed = {result.label: result.why for result in report.of("fail")}
    assert {result.rule.id for result in report.of("fail")} == FAILS.get(name, set()), failed
    warned = {result.rule.id for result in report.of("warning")}
    assert warned - {"retry", "key"} == WARNS.get(name, set())
    assert report.bot == "checked-bot", "it takes its name from the environment"


def test_the_reference_bot_passes_every_rule(reports: dict[str, Report]) -> None:
    assert {result.rule.id for result in reports["random"].results if result.status != "pass"} == set()


def test_the_bare_bot_passes_every_rule_for_one_match_at_a_time(reports: dict[str, Report]) -> None:
    left = {result.rule.id: result.status for result in reports["bare"].results if result.status != "pass"}
    assert left == {"two-matches": "skip"}


def test_the_last_words_of_a_program_are_told(reports: dict[str, Report]) -> None:
    (result,) = reports["absent"].of("fail")
    assert result.why == "its program ended with exit code 0; it said last: joined and left"
