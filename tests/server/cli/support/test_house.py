"""House bots as real processes of a real server."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_server.app import Server
from rumble_server.cli.support.errors import CliError
from rumble_server.cli.support.house import DEFAULT, HouseProcesses, house_players
from rumble_server.cli.support.house_process import make_house_bot
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig

TOKEN = "the-host-token"
PATIENCE_S = 60.0


def test_who_is_in_the_house() -> None:
    assert house_players(DEFAULT) == ("random", "heuristic", "minimax", "perfect", "mcts")
    assert house_players("none") == ()
    with pytest.raises(CliError, match="unknown bot 'chaos'"):
        house_players("random,chaos")


def test_a_house_bot_tells_which_games_it_plays() -> None:
    assert make_house_bot("random", "house-random").games is None
    played = make_house_bot("perfect", "house-perfect").games
    assert played is not None
    assert "tictactoe" in played
    assert "othello" not in played


def test_players_of_a_game() -> None:
    house = HouseProcesses("http://127.0.0.1:1")
    assert "perfect" in house.players("tictactoe", {})
    assert "perfect" not in house.players("hex", {})
    assert all(about.endswith(".") for about in house.players("tictactoe", {}).values())


async def until(what: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():  # noqa: ASYNC110  # what is waited for happens in other processes
            await asyncio.sleep(0.05)


@pytest.mark.e2e
async def test_they_take_challenges_fill_a_field_and_are_gone_with_the_server(tmp_path: Path) -> None:
    config = ServerConfig(port=0, db=str(tmp_path / "rumble.db"), host_token=TOKEN, house=("random", "perfect"))
    server = Server(config, HouseProcesses)
    await server.start()
    arena = server.arena

    def connected() -> set[str]:
        return {player.name for player in arena.players.values() if player.contact is not None}

    await until(lambda: connected() == {"house-random", "house-perfect"})
    assert all(player.contact is None or player.contact.challenges for player in arena.players.values())
    tournament, number = arena.create(TournamentConfig(name="Friday", game="tictactoe", start_at_bots=2))
    await server.log.wait(number)
    async with httpx.AsyncClient(base_url=server.url, headers={"Authorization": f"Bearer {TOKEN}"}) as browser:
        answer = await browser.post("/api/tournaments/friday/house", json={"bot": "random", "count": 2})
    assert answer.status_code == 200
    await until(lambda: tournament.status == "finished")
    assert {over.termination for over in tournament.results.values()} == {"normal"}
    await until(lambda: connected() == {"house-random", "house-perfect"})
    await server.stop()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "rumble_server.cli.support.house_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield process
        process.kill()


def tell(process: subprocess.Popen[bytes], *bots: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"server": "http://127.0.0.1:1", "bots": bots}).encode() + b"\n")
    process.stdin.flush()


def said(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stderr is not None
    return process.stderr.read()


@pytest.mark.e2e
def test_a_process_ends_when_its_server_is_gone(process: subprocess.Popen[bytes]) -> None:
    tell(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    assert said(process) == b""


@pytest.mark.e2e
def test_a_process_that_ends_by_itself_does_so_in_order_while_its_server_is_there(
    process: subprocess.Popen[bytes],
) -> None:
    tell(process, {"player": "random", "name": "house-random", "key": "k" * 16, "challenges": True})
    assert process.wait(PATIENCE_S) == 1
    assert said(process) == b"rumble: house bots: cannot reach http://127.0.0.1:1: nobody listens there\n"
