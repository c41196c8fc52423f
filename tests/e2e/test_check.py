"""The kit of `rumble check` names the rule that each faulty bot breaks. Some are programs, the others run here."""

import asyncio
from collections.abc import Mapping

import pytest
from rumble_bots.check.report import Report
from rumble_bots.check.run import NAME, Plan, check_bot
from rumble_bots.check.scripted_server import TOURNAMENT_ID
from rumble_bots.reference.faulty import FAULTS, FaultyBot
from rumble_bots.sdk.address import Address

from tests.bots.check.quirky import check_here
from tests.e2e.processes import RUMBLE

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PROGRAMS = ("crash", "absent", "flood")
"""Faults that end their program, or leave a socket that stays open until the program ends."""

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


async def check(fault: str) -> Report:
    """Check a bot with this fault: a program, or a bot in this process."""
    if fault in PROGRAMS:
        return await check_bot(Plan((*RUMBLE, "bot", "faulty", "--fault", fault)))
    return await check_here(Plan(), lambda at: FaultyBot(Address.parse(at), NAME, TOURNAMENT_ID, fault).run())


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    async def all_of_them() -> list[Report]:
        return await asyncio.gather(*map(check, FAULTS))

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("KEY", "SERVER", "JOIN", "NAME"):
            patch.delenv(f"RUMBLE_{variable}", raising=False)
        return dict(zip(FAULTS, asyncio.run(all_of_them()), strict=True))


@pytest.mark.parametrize("fault", FAULTS)
def test_each_bot_fails_the_rules_it_breaks_and_no_others(fault: str, reports: dict[str, Report]) -> None:
    report = reports[fault]
    failed = {result.label: result.why for result in report.of("fail")}
    assert {result.rule.id for result in report.of("fail")} == FAILS.get(fault, set()), failed
    warned = {result.rule.id for result in report.of("warning")}
    assert warned - {"retry", "key"} == WARNS.get(fault, set())
    assert report.bot == "checked-bot", "it takes its name from the environment"


def test_the_last_words_of_a_program_are_told(reports: dict[str, Report]) -> None:
    (result,) = reports["absent"].of("fail")
    assert result.why == "its program ended with exit code 0; it said last: joined and left"
