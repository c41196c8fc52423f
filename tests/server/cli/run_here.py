"""Commands that run in this process, and what they print."""

import json
from typing import Any

import pytest
from rumble_server.cli.main import run

Captured = pytest.CaptureFixture[str]


def ran(capsys: Captured, *arguments: object) -> tuple[int, str, str]:
    """Run a command, and return its exit code, its output and its errors."""
    code = run([*map(str, arguments)])
    return code, *capsys.readouterr()


def printed(capsys: Captured, *arguments: object) -> str:
    """Return the output of a command that succeeds."""
    code, output, errors = ran(capsys, *arguments)
    assert code == 0, errors
    return output


def printed_json(capsys: Captured, *arguments: object) -> Any:
    """Return the JSON that a command prints."""
    return json.loads(printed(capsys, *arguments, "--json"))


def refused(capsys: Captured, code: int, *arguments: object) -> str:
    """Return the single line of a command that fails with this exit code, and prints nothing else."""
    found, output, line = ran(capsys, *arguments)
    assert (found, output, line.count("\n")) == (code, "", 1), line
    return line
