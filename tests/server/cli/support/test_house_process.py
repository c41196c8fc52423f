import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from rumble_server.cli.support.house_process import make_house_bot

PATIENCE_S = 60.0


def test_a_house_bot_tells_which_games_it_plays() -> None:
    assert make_house_bot("random", "house-random").games is None
    played = make_house_bot("perfect", "house-perfect").games
    assert played is not None
    assert "tictactoe" in played
    assert "othello" not in played


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
    tell(process, {"reference_bot": "random", "name": "house-random", "key": "k" * 16, "challenges": True})
    assert process.wait(PATIENCE_S) == 1
    assert said(process) == b"rumble: house bots: cannot reach http://127.0.0.1:1: nobody listens there\n"


@pytest.mark.e2e
def test_it_ends_for_a_bot_that_a_later_line_tells_of(process: subprocess.Popen[bytes]) -> None:
    tell(process)
    bot = {"reference_bot": "random", "name": "house-random", "key": "k" * 16, "challenges": True, "club": "chess"}
    tell(process, bot)
    assert process.wait(PATIENCE_S) == 1
    assert said(process) == b"rumble: house bots: cannot reach http://127.0.0.1:1: nobody listens there\n"
