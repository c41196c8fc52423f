import json
import os
import subprocess
import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from rumble_bots.sdk.errors import BadFunction, BadServer
from rumble_engine import BadPosition
from rumble_server.cli import main
from rumble_server.cli.main import COMMANDS, run
from rumble_server.cli.output.errors import CliError, ExitCode

from tests.server.cli.run_here import Captured, printed, refused


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a function in the place of the module of `rumble games`."""

    def put(function: Any) -> None:
        monkeypatch.setattr(main, "import_module", lambda _: SimpleNamespace(games=function))

    return put


def test_help_lists_every_command_with_its_line(capsys: Captured) -> None:
    shown = " ".join(printed(capsys, "--help").split())
    for name, line in COMMANDS.items():
        assert f"{name} {line[:40]}" in shown


def test_no_command_shows_help_and_is_wrong_usage(capsys: Captured) -> None:
    assert run([]) == 2
    assert "Usage: rumble" in capsys.readouterr().err


def test_version(capsys: Captured) -> None:
    assert printed(capsys, "--version") == f"rumble {version('botrumble')}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["gmes"], "rumble: No such command 'gmes'. Did you mean 'games'? (see: rumble --help)"),
        (["games", "--no-such"], "rumble: No such option: --no-such (see: rumble games --help)"),
        (["games", "extra"], "rumble: Got unexpected extra argument(s) (extra) (see: rumble games --help)"),
    ],
)
def test_wrong_usage_is_one_line(args: list[str], message: str, capsys: Captured) -> None:
    assert refused(capsys, 2, *args) == message + "\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (CliError("it broke"), 1, "it broke"),
        (CliError("in\ntwo lines", 2), 2, "in two lines"),
        (BadFunction("no such file"), 2, "no such file"),
        (BadServer("nobody there"), 1, "nobody there"),
        (BadPosition("no such position"), 2, "no such position"),
        (FileNotFoundError(2, "No such file or directory", "x.db"), 1, "x.db: No such file or directory"),
        (KeyError("oops"), 1, "internal error: KeyError: 'oops' (RUMBLE_DEBUG=1 shows where)"),
    ],
)
def test_errors_are_one_line_and_a_code(
    error: Exception, code: int, message: str, command: Any, capsys: Captured
) -> None:
    def fail() -> None:
        raise error

    command(fail)
    assert run(["games"]) == code
    assert capsys.readouterr().err == f"rumble: {message}\n"


def test_debug_shows_where(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("oops")

    command(fail)
    monkeypatch.setenv("RUMBLE_DEBUG", "1")
    with pytest.raises(KeyError):
        run(["games"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_ctrl_c(error: BaseException, command: Any, capsys: Captured) -> None:
    def stop() -> None:
        raise error

    command(stop)
    assert run(["games"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("result", "code"), [(None, 0), (3, 3), (True, 0), ("text", 0)])
def test_a_command_may_give_its_exit_code(result: object, code: int, command: Any) -> None:
    command(lambda: result)
    assert run(["games"]) == code


@pytest.mark.e2e
def test_a_reader_that_leaves_gets_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "rumble_server.cli", "games"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def written_by(code: str) -> str:
    """Run code in a new process, and return its standard error."""
    unmeasured = {**os.environ, "COVERAGE_PROCESS_START": ""}  # coverage itself loads sqlite3
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=unmeasured, capture_output=True, text=True, timeout=60, check=True)
    return done.stderr


HEAVY = {"fastapi", "starlette", "uvicorn", "jinja2", "sqlite3", "rich", "httpx", "websockets", "numpy"}
HEAVY |= {"rumble_engine", "rumble_bots", "rumble_server.app"}
EVERY_HELP = f"""
import sys
from rumble_server.cli.main import COMMANDS, run
for args in [], *([name] for name in COMMANDS):
    assert run([*args, "--help"]) == 0
    assert f"rumble_server.cli.{{'.'.join(['commands', *args] if args else ['main'])}}" in sys.modules, args
    if loaded := set(sys.modules) & {HEAVY}:
        sys.stderr.write(f"rumble {{' '.join(args)}}: {{loaded}}")
        break
"""


@pytest.mark.e2e
def test_the_help_of_every_command_loads_little() -> None:
    """Show all help in a process that names the first command with too many modules."""
    assert written_by(EVERY_HELP) == ""


@pytest.mark.e2e
def test_the_first_request_for_house_bots_imports_nothing() -> None:
    code = "import sys; from rumble_server.cli.processes.house import HouseProcesses; before = set(sys.modules); "
    assert written_by(f"{code} HouseProcesses('').ladder(); sys.stderr.writelines(set(sys.modules) - before)") == ""


@pytest.mark.e2e
def test_a_bot_is_served_without_the_web_server() -> None:
    code = "from rumble_server.cli import main; main.load('bot'); import rumble_bots.sdk.serve"
    loaded = set(json.loads(written_by(f"import json, sys; {code}; json.dump(sorted(sys.modules), sys.stderr)")))
    assert "rumble_bots.sdk.serve" in loaded
    assert not loaded & {"fastapi", "starlette", "uvicorn", "jinja2", "sqlite3"}
