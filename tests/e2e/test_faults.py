"""Healthy bots among a bot of each fault: the healthy bots lose no result, no match and little time."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import pytest
from rumble_bots.reference.faulty import FAULTS

from tests.e2e.log_checks import assert_all_played
from tests.e2e.processes import RUMBLE, Server
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import ROOT, RestartableServer, restartable_server
from tests.needs import long_or
from tests.simulation.checks.case import Fact

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

HEALTHY = tuple(f"healthy-{number}" for number in range(1, 5))
FAULTY = tuple(f"faulty-{fault}" for fault in FAULTS)
CRASHES = "crash"
MOVE_MS, AWAY_MS, ABSENT_MS, BENCH_AFTER = 300, 400, 500, 3
MATCHES_EACH = 2 * (len(HEALTHY) + len(FAULTY) - 1)
BUDGET_S = MATCHES_EACH * (AWAY_MS + MOVE_MS) / 1000 + ABSENT_MS / 1000
"""Maximum time in s that one bot can cost: its clock and away budget in each match, and once its absent budget."""
THINK_S = 0.01
GRACE = {"grace_ms": 0}
MOST_GROWTH_MB = 24.0
FLOODS = long_or(40, 100)


@dataclass(frozen=True, slots=True)
class Played:
    """Results of two servers at the same time: a tournament without faulty bots, and one with a bot of each fault."""

    control: RestartableServer
    without: list[Fact]
    among: list[Fact]
    growth_mb: float
    """Growth in MB of the memory of the server with the faulty bots."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Play both tournaments at the same time, so that a busy machine slows both."""
    with (
        restartable_server(tmp_path_factory.mktemp("without"), constants=GRACE) as control,
        restartable_server(tmp_path_factory.mktemp("with"), constants=GRACE) as restartable,
    ):
        create(control, len(HEALTHY))
        create(restartable, len(HEALTHY) + len(FAULTY))
        first_mb = restartable.memory_mb()
        with running_faulty(restartable.server):
            asyncio.run(play_healthy(restartable, control))
            growth_mb = restartable.memory_mb() - first_mb
        yield Played(control, control.facts(), restartable.facts(), growth_mb)


def test_healthy_bots_notice_nothing(played: Played) -> None:
    """The field has 17 bots, which play 272 matches."""
    without, among = played.without, played.among
    assert_all_played(among, (*HEALTHY, *FAULTY))
    expected, found = healthy_results(without), healthy_results(among)
    assert len(expected) == 12
    assert {pair: result[:2] for pair, result in found.items()} == {
        pair: result[:2] for pair, result in expected.items()
    }
    spans = [median(result[2] for result in results.values()) for results in (expected, found)]
    assert spans[1] < 3 * spans[0] + 200, f"a healthy match took {spans[0]} ms without, and {spans[1]} ms with them"
    pace_s = lasted_s(without) / (2 * (len(HEALTHY) - 1))
    assert lasted_s(among) < MATCHES_EACH * pace_s + BUDGET_S
    assert played.growth_mb < MOST_GROWTH_MB
    check_faults(among)


def create(restartable: RestartableServer, bots: int) -> None:
    how = ("--game", "tictactoe", "--legs", "2", "--openings", "none", "--start-at-bots", str(bots))
    times = ("--move-ms", str(MOVE_MS), "--away-ms", str(AWAY_MS), "--absent-ms", str(ABSENT_MS))
    restartable.server.tournament("create", "cup", *how, *times, "--bench-after", str(BENCH_AFTER))


@contextmanager
def running_faulty(server: Server) -> Iterator[None]:
    """Run a crashing bot as a program, and the other faulty bots in one process."""
    options = ("--server", server.bot_url, "--join", "cup", "--fault", CRASHES, "--name", f"faulty-{CRASHES}")
    programs = (
        [*RUMBLE, "bot", "faulty", *options],
        [sys.executable, "-m", "tests.e2e.faulty_bots", server.bot_url, "cup", *(set(FAULTS) - {CRASHES})],
    )
    processes = [subprocess.Popen(each, cwd=ROOT, env=server.environment) for each in programs]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def play_healthy(restartable: RestartableServer, control: RestartableServer) -> None:
    """Play the healthy bots of both servers to the end. The control's bots begin with the first match of the others."""
    began = asyncio.Event()

    def heard(frame: Frame) -> None:
        if frame["type"] == "match_start":
            began.set()

    async with asyncio.timeout(300), asyncio.TaskGroup() as playing:
        for at in (restartable, control):
            for name in HEALTHY:
                bot = RecordingBot(at.server.bot_url, "cup", name, think_s=lambda: THINK_S, heard=heard)
                playing.create_task(bot.play())
            await began.wait()


def healthy_results(facts: list[Fact]) -> dict[tuple[str, ...], tuple[Any, Any, int]]:
    """Return the scores, the moves and the duration in ms of each match, by its seats."""
    started = {fact["match"]: fact["at_ms"] for fact in facts if fact["fact"] == "match_started"}
    return {
        tuple(fact["seats"]): (fact["scores"], fact["moves"], fact["at_ms"] - started[fact["match"]])
        for fact in facts
        if fact["fact"] == "match_over" and set(fact["seats"]) <= set(HEALTHY)
    }


def lasted_s(facts: list[Fact]) -> float:
    """Return the time in s from the start of the tournament to its end."""
    at_ms = {fact["fact"]: fact["at_ms"] for fact in facts if fact["fact"].startswith("tournament_")}
    return float(at_ms["tournament_ended"] - at_ms["tournament_started"]) / 1000


def check_faults(facts: list[Fact]) -> None:
    """Assert that each fault ends in its verdict, and that only faulty bots are blamed."""
    blamed: dict[str, Counter[str]] = {name: Counter() for name in (*HEALTHY, *FAULTY)}
    for fact in facts:
        if fact["fact"] == "match_over":
            for seat in fact["at_fault"]:
                blamed[fact["seats"][seat]][fact["termination"]] += 1
    for name in HEALTHY:
        assert not blamed[name], f"{name} was blamed: {blamed[name]}"
    for fault in ("garbage", "stale", "duplicate", "wrong-match"):
        assert not blamed[f"faulty-{fault}"], f"{fault} was blamed: {blamed[f'faulty-{fault}']}"
    for fault, termination in (
        *(("timeout", "timeout"), ("silent", "timeout"), ("slow-reader", "timeout"), ("illegal", "illegal_move")),
        *(("flood", "flood"), ("crash", "disconnect"), ("absent", "no_show")),
    ):
        assert blamed[f"faulty-{fault}"][termination], f"{fault}: {blamed[f'faulty-{fault}']}"
    benched = {fact["bot"] for fact in facts if fact["fact"] == "bot_benched"}
    assert benched >= {"faulty-timeout", "faulty-silent", "faulty-illegal"}


def test_memory_stays_flat(played: Played) -> None:
    """The server is flooded twice by bots that never read."""
    control = played.control
    asyncio.run(flood(control))
    first_mb = control.memory_mb()
    asyncio.run(flood(control))
    assert control.memory_mb() < first_mb + MOST_GROWTH_MB


async def flood(restartable: RestartableServer) -> None:
    """Open connections that send at full speed and never read."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    async def one(number: int) -> None:
        async with connect(restartable.server.bot_url, compression=None, proxy=None, max_queue=1) as socket:
            try:
                await socket.send(f'{{"type": "login", "name": "flood-{number}", "join": "cup"}}')
                for _ in range(300):
                    await socket.send('{"type": "join", "tournament": "cup"}')
            except ConnectionClosed:
                pass
            socket.transport.abort()

    for start in range(0, FLOODS, 10):
        await asyncio.gather(*(one(number) for number in range(start, start + 10)))
