"""A server process that is stopped for a while: no bot pays for the stall or gains by it."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.e2e.log_checks import assert_all_played
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.simulation.checks.case import Fact

pytestmark = [pytest.mark.e2e, pytest.mark.long]

MOVE_MS = 300
STALL_S = 4.0
NAMES = tuple(f"bot{number}" for number in range(1, 7))
STALLS_AT_TURNS = (40, 120, 200)
BOUND_S = 90


async def stall(restartable: RestartableServer) -> None:
    """Stop the process for a while; frames of bots wait in the kernel."""
    restartable.process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(STALL_S)
    finally:
        restartable.process.send_signal(signal.SIGCONT)


def beyond_ms(facts: Iterable[Fact]) -> list[int]:
    """Return, for each move, the ms taken beyond its clock, the network and the excused time."""
    asked: dict[str, Fact] = {}
    beyond = []
    for fact in facts:
        if fact["fact"] == "turn_asked":
            asked[fact["turn_id"]] = fact
        elif fact["fact"] == "move_made":
            turn = asked[fact["turn_id"]]
            allowed_ms = turn["remaining_ms"] + turn["lag_ms"] + fact["excused_ms"]
            beyond.append(fact["at_ms"] - turn["at_ms"] - allowed_ms)
    return beyond


async def test_nobody_loses_on_time_because_the_server_was_stopped(tmp_path: Path) -> None:
    lot = random.Random(5)
    turns = 0
    reached = {number: asyncio.Event() for number in STALLS_AT_TURNS}

    def heard(frame: Frame) -> None:
        nonlocal turns
        if frame["type"] == "turn":
            turns += 1
            if turns in reached:
                reached[turns].set()

    with restartable_server(tmp_path) as restartable:
        create = ("--game", "tictactoe", "--move-ms", str(MOVE_MS), "--start-at-bots", str(len(NAMES)))
        restartable.server.tournament("create", "cup", *create)
        bots = [
            RecordingBot(restartable.server.bot_url, "cup", name, 3, lambda: lot.uniform(0, 0.15), heard)
            for name in NAMES
        ]
        async with asyncio.timeout(BOUND_S), asyncio.TaskGroup() as playing:
            for bot in bots:
                playing.create_task(bot.play())
            for event in reached.values():
                await event.wait()
                await stall(restartable)
        facts = restartable.facts()
    assert_all_played(facts, NAMES, max_matches=3)
    ends = Counter(fact["termination"] for fact in facts if fact["fact"] == "match_over")
    assert ends.keys() == {"normal"}, ends
    assert max(beyond_ms(facts)) <= 0
    stalled_ms = int(STALL_S * 1000)
    excused = [fact["excused_ms"] for fact in facts if fact["fact"] == "move_made"]
    assert sum(ms > stalled_ms - MOVE_MS for ms in excused) >= len(STALLS_AT_TURNS)


async def test_who_has_the_server_stopped_to_think_on_gains_nothing(tmp_path: Path) -> None:
    """The cheat thinks on while an accomplice stalls the server, yet its own clock pays."""
    thinking, stall_over = asyncio.Event(), asyncio.Event()

    class Cheat(RecordingBot):
        async def think(self) -> None:
            thinking.set()
            await stall_over.wait()

    with restartable_server(tmp_path) as restartable:
        create = ("--game", "tictactoe", "--legs", "1", "--move-ms", str(MOVE_MS), "--start-at-bots", "2")
        restartable.server.tournament("create", "cup", *create)
        url = restartable.server.bot_url
        async with asyncio.timeout(BOUND_S), asyncio.TaskGroup() as playing:
            for bot in (Cheat(url, "cup", "cheat"), RecordingBot(url, "cup", "honest")):
                playing.create_task(bot.play())
            await thinking.wait()
            await stall(restartable)
            stall_over.set()
        facts = restartable.facts()
    (over,) = (fact for fact in facts if fact["fact"] == "match_over")
    cheat = over["seats"].index("cheat")
    assert (over["termination"], over["at_fault"]) == ("timeout", [cheat])
    assert max(beyond_ms(facts), default=0) <= 0
