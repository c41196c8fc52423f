"""House bots as real processes of a real server."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.cli.processes import house
from rumble_server.cli.processes.house import STEADY_S, HouseProcesses
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.tournament.config import TournamentConfig

from tests.server.whole_server import PATIENCE_S, running
from tests.waiting import until_true

TOKEN = "the-host-token"


def test_reference_bots_that_play_a_game() -> None:
    house = HouseProcesses("http://127.0.0.1:1")
    assert "perfect" in house.reference_bots("tictactoe", {})
    assert "perfect" not in house.reference_bots("hex", {})
    assert all(about.endswith(".") for about in house.reference_bots("tictactoe", {}).values())


async def test_pauses_between_starts_grow_until_a_run_was_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s, runs_s, pauses = 0.0, [0.0, 0.0, 0.0, 2 * STEADY_S, 0.0], list[float]()

    async def run() -> None:
        nonlocal now_s
        if not runs_s:
            raise asyncio.CancelledError
        now_s += runs_s.pop(0)

    async def sleep(pause_s: float) -> None:
        pauses.append(pause_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now_s)
    with pytest.raises(asyncio.CancelledError):
        await house.run_again_and_again(run)
    assert pauses == [0.5, 1.0, 2.0, 0.5, 1.0]


@pytest.mark.slow
@pytest.mark.e2e
async def test_house_bots_take_challenges_fill_a_field_and_end_with_the_server(tmp_path: Path) -> None:
    residents = {"house-random", "house-perfect"}
    settings = {"host_token": TOKEN, "house": ("random", "perfect")}
    async with running(tmp_path / "rumble.db", HouseProcesses, **settings) as server:

        def connected() -> set[str]:
            return {player.name for player in server.arena.players if player.is_connected}

        await until_true(lambda: connected() == residents)
        assert all(player.accepts_challenges or not player.is_connected for player in server.arena.players)
        friday = TournamentConfig(name="Friday", game="tictactoe", start_at_bots=2)
        tournament = Organiser(server.arena).create(friday)
        await server.log.wait(server.log.last)
        host = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=server.url, headers=host, timeout=PATIENCE_S) as browser:
            answer = await browser.post("/api/tournaments/friday/house", json={"bot": "random", "count": 2})
        assert answer.status_code == 200
        await until_true(lambda: tournament.status == "finished")
        assert {over.termination for over in tournament.results.values()} == {"normal"}
        await until_true(lambda: connected() == residents)


@pytest.mark.e2e
@pytest.mark.slow
async def test_the_residents_of_all_clubs_are_one_process_that_stays_when_a_club_gets_some(tmp_path: Path) -> None:
    houses: list[HouseProcesses] = []

    def make_house(*given: Any) -> HouseProcesses:
        houses.append(HouseProcesses(*given))
        return houses[0]

    async with running(tmp_path / "rumble.db", make_house, house=("random",)) as server:
        administrator = Administrator(server.arena)
        administrator.create("chess", "", NO_QUOTAS)
        chess = await server.clubs.load("chess")
        assert chess is not None

        def connected() -> list[list[str]]:
            return [[player.name for player in club.arena.players if player.is_connected] for club in server.clubs]

        await until_true(lambda: connected() == [["house-random"], []])
        sessions = list(server.arena.players["house-random"].sessions.values())
        administrator.change("chess", house=True)
        await until_true(lambda: connected() == [["house-random"], ["house-random"]])
        administrator.change("chess", house=False)
        await until_true(lambda: connected() == [["house-random"], []])
        assert list(server.arena.players["house-random"].sessions.values()) == sessions
        children = [each.cmdline() for each in psutil.Process().children(recursive=True)]
        assert sum("rumble_server.cli.processes.house_process" in command for command in children) == 1
