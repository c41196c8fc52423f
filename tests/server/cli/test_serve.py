"""`rumble serve`: what it refuses. What it prints and serves is tested by every test with a server's process."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rumble_server.cli.main import run
from rumble_server.cli.serve import FIRST_OF_PANEL, PANEL_OF_PART
from rumble_server.cli.support.settings import settings


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--host-token", "short"], "--host-token: String should have at least 8 characters"),
        (
            ["--host", "0.0.0.0", "--host-token", "short-one"],
            "--host-token: beyond this machine a host token has at least",
        ),
        (["--port", "65536"], "--port"),
        (["--house", "random,chaos"], "unknown bot 'chaos'"),
        (["--house", "random,"], "--house: an empty name in 'random,'"),
        (["--tls-key", "key.pem"], "--tls-key: a key without a certificate; give --tls-cert"),
        (["--config", "nowhere.toml"], "nowhere.toml: No such file or directory"),
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


def test_the_help_lists_every_setting_once_in_panels(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--help"]) == 0
    shown = capsys.readouterr().out
    listed = re.findall(r"^  (--[a-z0-9-]+)", shown, re.MULTILINE)
    assert listed == ["--config", *(setting.option for setting in settings().values())]
    panels = re.findall(r"^(\S[^:\n]*):$", shown, re.MULTILINE)
    assert panels == ["Options", *FIRST_OF_PANEL.values(), *PANEL_OF_PART.values()]
    words = " ".join(shown.split())
    for setting in settings().values():
        assert setting.shown_default in words


def test_the_help_imports_no_web_framework() -> None:
    code = (
        "import sys; from rumble_server.cli.main import run; run(['serve', '--help']);"
        "print(sorted({'fastapi', 'starlette', 'uvicorn', 'rumble_server.app'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"
