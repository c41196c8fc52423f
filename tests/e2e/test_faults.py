"""One bot of each fault among healthy ones: the healthy ones lose no result, no match and little time."""

import asyncio
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_bots.faulty import FAULTS

from tests.e2e.log_checks import assert_all_played
from tests.e2e.processes import RUMBLE, TOKEN, Server
from tests.e2e.recording_bot import RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.simulation.checks.case import Fact

pytestmark = pytest.mark.e2e

HEALTHY = tuple(f"healthy-{number}" for number in range(1, 5))
FAULTY = tuple(f"faulty-{fault}" for fault in FAULTS)
MOVE_MS, AWAY_MS, ABSENT_MS, BENCH_AFTER = 300, 400, 500, 3
MATCHES_EACH = 2 * (len(HEALTHY) + len(FAULTY) - 1)
BUDGET_S = MATCHES_EACH * (AWAY_MS + MOVE_MS) / 1000 + ABSENT_MS / 1000
"""Time in s that one bot can cost: its clock and its away budget in each match, and its absent budget once."""
THINK_S = 0.01
MOST_GROWTH_MB = 24.0


def test_healthy_bots_notice_nothing(tmp_path: Path) -> None:
    """A tournament without the faulty bots, then one with one of each: 17 bots, 272 matches."""
    without, _ = play(tmp_path / "without", ())
    among, growth_mb = play(tmp_path / "with", FAULTY)
    assert_all_played(among, (*HEALTHY, *FAULTY))
    expected, found = healthy_results(without), healthy_results(among)
    assert len(expected) == 12
    assert {pair: result[:2] for pair, result in found.items()} == {
        pair: result[:2] for pair, result in expected.items()
    }
    spans = [sorted(result[2] for result in results.values())[6] for results in (expected, found)]
    assert spans[1] < 3 * spans[0] + 200, f"a healthy match took {spans[0]} ms without, and {spans[1]} ms with them"
    assert lasted_s(among) < lasted_s(without) + BUDGET_S
    assert growth_mb < MOST_GROWTH_MB
    check_faults(among)


def play(folder: Path, faulty: tuple[str, ...]) -> tuple[list[Fact], float]:
    """Play a tournament. Return its log, and how many MB the server's memory grew after its start."""
    folder.mkdir()
    with restartable_server(folder, grace_ms=0) as restartable:
        create(restartable, len(HEALTHY) + len(faulty))
        first_mb = restartable.memory_mb()
        with running_faulty(restartable.server, faulty):
            facts = asyncio.run(play_healthy(restartable))
            return facts, restartable.memory_mb() - first_mb


def create(restartable: RestartableServer, bots: int) -> None:
    config: dict[str, Any] = {
        "name": "cup",
        "game": "tictactoe",
        "legs": 2,
        "time_control": {"move_ms": MOVE_MS},
        "openings": "none",
        "start_at_bots": bots,
        "away_ms": AWAY_MS,
        "absent_ms": ABSENT_MS,
        "bench_after": BENCH_AFTER,
    }
    answer = httpx.post(
        f"http://127.0.0.1:{restartable.server.port}/api/tournaments",
        json=config,
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    assert answer.status_code == 201, answer.text


@contextmanager
def running_faulty(server: Server, names: tuple[str, ...]) -> Iterator[None]:
    """Run the faulty bots as processes."""
    processes = []
    for name in names:
        options = ["--server", server.bot_url, "--join", "cup", "--fault", name.removeprefix("faulty-")]
        command = [*RUMBLE, "bot", "faulty", *options, "--name", name]
        processes.append(
            subprocess.Popen(command, cwd=server.folder, env=server.environment, stdout=subprocess.DEVNULL)
        )
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def play_healthy(restartable: RestartableServer) -> list[Fact]:
    """Play the healthy bots to the end, and return the log."""
    async with asyncio.timeout(100), asyncio.TaskGroup() as playing:
        for name in HEALTHY:
            bot = RecordingBot(restartable.server.bot_url, "cup", name, think_s=lambda: THINK_S)
            playing.create_task(bot.play())
    return restartable.facts()


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
    """Assert that each fault ends as it should, and that only the bots with a fault are blamed."""
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


def test_memory_stays_flat(tmp_path: Path) -> None:
    """The server is flooded by bots that read nothing."""
    with restartable_server(tmp_path) as restartable:
        restartable.server.tournament("create", "cup", "--game", "tictactoe")
        asyncio.run(flood(restartable))
        first_mb = restartable.memory_mb()
        asyncio.run(flood(restartable))
        assert restartable.memory_mb() < first_mb + MOST_GROWTH_MB


async def flood(restartable: RestartableServer) -> None:
    """Open a hundred connections that send as fast as they can and read nothing."""
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

    for start in range(0, 100, 10):
        await asyncio.gather(*(one(number) for number in range(start, start + 10)))


def test_every_fault_is_a_program() -> None:
    """The command names its faults."""
    done = subprocess.run(
        [*RUMBLE, "bot", "faulty", "--server", "127.0.0.1:9", "--join", "cup", "--fault", "none"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert all(fault in done.stderr for fault in FAULTS)
