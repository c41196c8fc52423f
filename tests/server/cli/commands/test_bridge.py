import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rumble_server.cli.commands.bridge import Protocol, dialogue_maker, read_options
from rumble_server.cli.output.errors import CliError

from tests.bots.bridges.scripts import CRASHES, FIRST, HANGS, command
from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured, ran, refused
from tests.waiting import until


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUMBLE_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.mark.e2e
def test_a_program_plays_a_tournament_unchanged(state_folder: Path, capsys: Captured) -> None:
    with FakeServer(features=["follow"]).in_a_thread() as server:
        args = ["bridge", "stdio", "--bare", "--server", server.address, "--join", "cup", "--name", "Ann", "--follow"]
        program = command(f"print('hello', file=sys.stderr, flush=True)\n{FIRST}")
        code, out, said = ran(capsys, *args, "--", *program)
    assert server.logins[0].follow
    assert (code, out) == (0, "cup is finished: rank 1 of 2, 1.5 points\n")
    kept = state_folder / "bridges" / "ann.log"
    assert said.startswith(f"its standard error is kept in {kept}\n")
    assert kept.read_text() == "hello\n"
    assert [outcome.termination for outcome in server.outcomes] == ["normal", "normal"]


@pytest.mark.e2e
def test_a_program_that_crashes_resigns_and_then_gives_up(tmp_path: Path, capsys: Captured) -> None:
    kept = tmp_path / "its.log"
    with FakeServer().in_a_thread() as server:
        args = ["bridge", "stdio", "--server", server.address, "--join", "cup", "--stderr", str(kept)]
        code, _, written = ran(capsys, *args, "--", *command(CRASHES))
    said = written.splitlines()
    failure = "python ended by itself (exit code 3); its last words: 'boom'"
    assert (code, f"{failure} (failed 3 times in a row; see {kept})" in said[-1]) == (1, True)
    assert said[-1].startswith("rumble: ")
    assert [line.partition(": ")[2].partition(": ")[0] for line in said[3:-1]].count("the bot failed") == 2
    assert [outcome.termination for outcome in server.outcomes] == ["resignation", "resignation"]


@pytest.mark.e2e
def test_a_signal_leaves_no_process_behind(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    hanging = command(f"open({str(pid_file)!r}, 'w').write(str(os.getpid()))\nprint(end='')\n{HANGS}")
    with FakeServer().in_a_thread() as server:
        bridge = [sys.executable, "-m", "rumble_server.cli", "bridge", "stdio", "--server", server.address]
        with subprocess.Popen([*bridge, "--join", "cup", "--", *hanging], stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            while not process.stderr.readline().startswith("in cup"):
                pass
            until(lambda: pid_file.exists() and pid_file.read_text())
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 130
            assert process.stderr.read() == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["stdio", "--", "cat"], "say what to play in: --join ID"),
        (["telnet", "--join", "cup", "--", "cat"], "telnet"),
        (["uci", "--join", "cup"], "Missing argument"),
        (["gtp", "--depth", "3", "--join", "cup", "--", "cat"], "--depth: only for uci, not for gtp"),
        (["uci", "--bare", "--join", "cup", "--", "cat"], "--bare: only for stdio, not for uci"),
        (["uci", "--no-clock", "--join", "cup", "--", "cat"], "--no-clock: only for gtp, not for uci"),
        (["stdio", "--bare", "--all", "--join", "cup", "--", "cat"], "--all is for turns as JSON"),
        (["uci", "--option", "Hash", "--join", "cup", "--", "cat"], "'Hash' is not an option: write NAME=VALUE"),
        (["battlesnake", "--join", "cup", "localhost:1", "more"], "battlesnake needs one URL: rumble bridge"),
        (["battlesnake", "--join", "cup", "ftp://snake"], "'ftp://snake' is not the address of a Battlesnake"),
        (["battlesnake", "--join", "cup", "--stderr", "f", "localhost:1"], "has no standard error to keep"),
        (["battlesnake", "--bare", "--join", "cup", "localhost:1"], "--bare: only for stdio, not for battlesnake"),
        (["stdio", "--name", "no good", "--join", "cup", "--", "cat"], "'no good' is not a name"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 2, "bridge", args[0], "--server", "localhost:1", "--quiet", *args[1:])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--", "/no/such/engine"], "cannot start /no/such/engine: No such file or directory"),
        (["--stderr", "/proc/no/file", "--", "cat"], "cannot keep standard error in /proc/no/file: "),
        (["--", "true"], "true ended by itself (exit code 0) when it was started; is it a program for this kind"),
    ],
)
def test_a_program_that_is_of_no_use(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 1, "bridge", "uci", "--server", "localhost:1", "--quiet", "--join", "cup", *args)


def test_a_battlesnake_that_does_not_answer(capsys: Captured) -> None:
    args = ["battlesnake", "--server", "localhost:1", "--quiet", "--join", "cup", "127.0.0.1:1"]
    line = refused(capsys, 1, "bridge", *args)
    cause = "it cannot be reached (All connection attempts failed)"
    assert line == f"rumble: no Battlesnake at http://127.0.0.1:1: {cause}\n"


def test_the_options_of_an_engine() -> None:
    assert read_options(["Hash=32", "Skill Level = 3", "Path=a=b"]) == {"Hash": "32", "Skill Level": "3", "Path": "a=b"}
    with pytest.raises(CliError, match="NAME=VALUE"):
        read_options(["=3"])


@pytest.mark.parametrize(
    ("protocol", "games"), [("stdio", None), ("uci", ("chess",)), ("gtp", None), ("gomocup", ("gomoku",))]
)
def test_each_process_has_a_dialogue_of_its_own(protocol: Protocol, games: tuple[str, ...] | None) -> None:
    make = dialogue_maker(protocol, {})
    assert make is not None
    assert make() is not make()
    assert make().games == games
