"""`rumble serve`: what it refuses. What it prints and serves is tested by every test with a server's process."""

import socket
from pathlib import Path

import pytest
from rumble_server.cli.main import run


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--host-token", "short"], "--host-token: String should have at least 8 characters"),
        (["--port", "65536"], "--port"),
        (["--house", "random,chaos"], "unknown bot 'chaos'"),
        (["--house", "random,"], "an empty name in 'random,'"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", *args]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.err.count("\n"), captured.out) == (1, "")


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--port", port, "--db", str(tmp_path / "rumble.db"), "--house", "none"]) == 1
    captured = capsys.readouterr()
    assert port in captured.err
    assert (captured.err.count("\n"), captured.out) == (1, "")
