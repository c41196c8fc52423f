import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rumble_bots.reference import faulty
from rumble_server.cli.commands import bot
from rumble_server.cli.main import run

from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured, ran, refused

HEATON = """
def random_ai(board, player):
    for row in range(3):
        for column in range(3):
            if board[row][column] is None:
                return (row, column)

def wrong(board, player):
    return (7, 7)

def failing(board, player):
    return board[7]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(HEATON)
    return str(path)


def test_the_help_lists_every_fault() -> None:
    assert tuple(faulty.FAULTS) == bot.FAULTS


@pytest.mark.parametrize("command", [["bot", "random"], ["bridge", "stdio", "--", "cat"]])
def test_there_is_no_key_of_the_same_server(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("RUMBLE_STATE_DIR", str(tmp_path))
    options = ["--server", "127.0.0.1:1", "--same-server", "192.0.2.1:8765", "--join", "cup", "--name", "ann"]
    code, _, said = ran(capsys, *command[:2], *options, *command[2:])
    assert (code, said.splitlines()[-1]) == (1, "rumble: no key of ann is kept for http://192.0.2.1:8765")


@pytest.mark.e2e
def test_a_function_plays_a_tournament_unchanged(file: str, capsys: Captured) -> None:
    with FakeServer().in_a_thread() as server:
        code, out, said = ran(capsys, "bot", f"{file}:random_ai", "--server", server.address, "--join", "cup")
    assert (code, out) == (0, "cup is finished: rank 1 of 2, 1.5 points\n")
    assert "logged in as random_ai" in said
    assert [outcome.termination for outcome in server.outcomes] == ["normal", "normal"]


@pytest.mark.e2e
def test_defaults_come_from_the_environment(file: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    with FakeServer(matches=0).in_a_thread() as server:
        for name, value in (("SERVER", server.address), ("JOIN", "cup"), ("NAME", "ann"), ("KEY", "k" * 20)):
            monkeypatch.setenv(f"RUMBLE_{name}", value)
        code, _, said = ran(capsys, "bot", f"{file}:random_ai", "--quiet", "--matches-at-once", "8")
    (login,) = server.logins
    assert (login.name, login.key, login.join, login.max_matches) == ("ann", "k" * 20, "cup", 8)
    assert login.games == ["tictactoe", "connect4"]
    assert (code, said) == (0, "")


@pytest.mark.e2e
def test_faults_of_a_function_are_named(file: str, capsys: Captured) -> None:
    with FakeServer(matches=1).in_a_thread() as server:
        assert run(["bot", f"{file}:wrong", "--server", server.address, "--join", "cup"]) == 0
        assert run(["bot", f"{file}:failing", "--server", server.address, "--join", "cup"]) == 0
    assert [outcome.termination for outcome in server.outcomes] == ["illegal_move", "resignation"]
    said = capsys.readouterr().err
    assert "bad_move: '(7, 7)' is not a move" in said
    assert "the bot failed: IndexError: list index out of range (mine.py, line 12, in failing)" in said


@pytest.mark.e2e
def test_a_reference_bot() -> None:
    with FakeServer().in_a_thread() as server:
        args = ["bot", "minimax", "--search", "alphabeta", "--server", server.address, "--join", "cup"]
        assert run(args) == 0
    assert server.logins[0].name == "minimax"
    assert all(outcome.winner != 1 - seat for seat, outcome in enumerate(server.outcomes)), "minimax does not lose"


@pytest.mark.e2e
def test_ctrl_c_stops_even_a_bot_that_thinks_for_ever(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text("def ai(turn):\n    while True:\n        pass\n")
    with FakeServer().in_a_thread() as server:
        function = f"{tmp_path}/stuck.py:ai"
        command = [sys.executable, "-m", "rumble_server.cli", "bot", function, "--server", server.address]
        with subprocess.Popen([*command, "--join", "cup"], stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "logged in as ai\n"
            assert process.stderr.readline().startswith("in cup")
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(30) == 130
            finally:
                process.kill()
            assert process.stderr.read() == ""


@pytest.mark.e2e
def test_a_refusal_fails(file: str, capsys: Captured) -> None:
    with FakeServer().in_a_thread() as server:
        args = ["bot", f"{file}:wrong", "--server", server.address, "--join", "other", "--quiet"]
        line = refused(capsys, 1, *args)
    assert line == "rumble: the server refused: no such tournament (unknown_tournament)\n"


@pytest.mark.e2e
def test_an_unreachable_server_fails(file: str, capsys: Captured) -> None:
    with FakeServer().in_a_thread() as server:
        pass
    line = refused(capsys, 1, "bot", f"{file}:wrong", "--server", server.address, "--join", "cup")
    assert line == f"rumble: cannot reach http://{server.address}: nobody listens there\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["random"], "say what to play in: --join ID (or RUMBLE_JOIN), or --challenges"),
        (["nobody", "--join", "cup"], "nobody"),
        (["nowhere.py:ai", "--join", "cup"], "no such file: nowhere.py"),
        (["FILE:nothing", "--join", "cup"], "has no nothing"),
        (["FILE:wrong", "--join", "cup", "--depth", "3"], "--depth: only for reference bots, not for functions"),
        (["FILE:wrong", "--join", "cup", "--name", "no good"], "'no good' is not a name"),
        (["random", "--join", "cup", "--server", "ftp://x"], "'ftp://x' is not a server address"),
        (["random", "--join", "cup", "--depth", "3"], "depth"),
        (["minimax", "--join", "cup", "--search", "deep"], "deep"),
        (["minimax", "--join", "cup", "--depth", "0"], "--depth"),
        (["faulty", "--join", "cup", "--fault", "none"], f"--fault: {', '.join(faulty.FAULTS)}\n"),
    ],
)
def test_wrong_usage(args: list[str], message: str, file: str, capsys: Captured) -> None:
    server = [] if "--server" in args else ["--server", "localhost:1"]
    assert message in refused(capsys, 2, "bot", *(arg.replace("FILE", file) for arg in args), *server)


def test_a_faulty_bot_with_a_wrong_proxy_ends_in_a_line(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:abc")
    monkeypatch.setattr(faulty, "PATIENCE_S", 0.01)
    told = refused(capsys, 1, "bot", "faulty", "--join", "cup", "--fault", "silent", "--server", "rumble.invalid:80")
    assert told == "rumble: http://rumble.invalid:80 has not answered for 0.01 s\n"
