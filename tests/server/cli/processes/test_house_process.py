import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rumble_engine import Game
from rumble_engine.games import snakes, tictactoe
from rumble_server.cli.processes import house_process
from rumble_server.cli.processes.house_process import make_house_bot

from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured

PATIENCE_S = 60.0


def test_a_house_bot_tells_which_games_it_plays() -> None:
    assert make_house_bot("random", "house-random", Path()).games is None
    played = make_house_bot("perfect", "house-perfect", Path()).games
    assert played is not None
    assert "tictactoe" in played
    assert "othello" not in played


def test_a_bot_that_refuses_some_games_plays_those_of_families(monkeypatch: pytest.MonkeyPatch) -> None:
    games: dict[str, Game] = {"snakes": snakes.GAME, "tictactoe": tictactoe.GAME}
    family = SimpleNamespace(names=lambda: ["old:go", "old:nim"])
    monkeypatch.setattr(house_process, "game_names", lambda: list(games))
    monkeypatch.setattr(house_process, "get_game", games.__getitem__)
    monkeypatch.setattr(house_process, "game_families", lambda: {"old": family})
    assert make_house_bot("minimax", "house-minimax", Path()).games == ["tictactoe", "old:go", "old:nim"]
    assert make_house_bot("perfect", "house-perfect", Path()).games == ["tictactoe"]
    assert make_house_bot("mcts", "house-mcts", Path()).games is None


async def test_a_bot_that_changes_the_working_directory_hides_no_other_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("import os\nos.chdir('/')\ndef ai(turn): pass\n")
    monkeypatch.chdir(tmp_path)
    playing = []

    async def serve(*_: object, name: str, **__: object) -> None:
        playing.append(name)
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(house_process, "serve", serve)
    async with asyncio.TaskGroup() as group:
        house = house_process.House(group)
        bots = [bot_of("main") | {"reference_bot": "mine.py:ai", "name": name} for name in ("ann", "ben")]
        house.change({"server": "http://127.0.0.1:1", "bots": bots})
        await asyncio.sleep(0)
        house.change({"server": "http://127.0.0.1:1", "bots": []})
    assert sorted(playing) == ["ann", "ben"]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "rumble_server.cli.processes.house_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield process
        process.kill()


def tell(process: subprocess.Popen[bytes], *bots: dict[str, Any], port: int = 1) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"server": f"http://127.0.0.1:{port}", "bots": bots}).encode() + b"\n")
    process.stdin.flush()


def bot_of(club: str) -> dict[str, Any]:
    return {"reference_bot": "random", "name": "house-random", "key": "k" * 16, "is_resident": True, "club": club}


def end(process: subprocess.Popen[bytes]) -> bytes:
    """Close the process's standard input; return the rest of its standard error."""
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    return process.stderr.read()


@pytest.mark.e2e
def test_a_process_ends_when_its_server_is_gone(process: subprocess.Popen[bytes]) -> None:
    tell(process)
    assert end(process) == b""


async def test_the_error_of_a_bot_that_cannot_play_is_a_line(capsys: Captured) -> None:
    await house_process._play("http://127.0.0.1:1", bot_of("main"), None, Path())
    line = "rumble: house bot house-random: cannot reach http://127.0.0.1:1: nobody listens there\n"
    assert capsys.readouterr().err == line


@pytest.mark.e2e
@pytest.mark.slow
def test_a_bot_that_cannot_play_does_not_end_those_of_other_clubs(process: subprocess.Popen[bytes]) -> None:
    assert process.stderr is not None
    with FakeServer(club="fun").in_a_thread() as server:
        tell(process, bot_of("gone"), port=server.port)
        line = f"rumble: house bot c/gone/house-random: there is no club gone at http://127.0.0.1:{server.port}\n"
        assert process.stderr.readline() == line.encode()
        tell(process, bot_of("gone"), bot_of("fun"), port=server.port)
        until = time.monotonic() + PATIENCE_S
        while not server.logins and time.monotonic() < until:
            assert process.stderr.readline() == line.encode()
        tell(process, bot_of("fun"), port=server.port)
        assert set(end(process).splitlines()) <= {line.encode().strip()}
        assert [login.name for login in server.logins] == ["house-random"]
