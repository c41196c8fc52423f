import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.server.cli.run_here import Captured, printed, ran, refused
from tests.waiting import until

pytestmark = pytest.mark.e2e

PATIENCE_S = 50.0  # less than the 60 s after which the programs would end by themselves
RANDOM = [sys.executable, "-m", "rumble_server.cli", "bot", "random"]
GAMES = ["--game", "tictactoe", "--game", "snakes"]
NOTHING = "there is nothing to check"
ENDED = "the program ended with exit code"


@pytest.mark.slow
def test_a_bot_that_passes(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "check.xml"
    bot = [*RANDOM, "--name", "ann", "--matches-at-once", "2"]
    report = json.loads(printed(capsys, "check", "--json", "--junit", file, *GAMES, "--", *bot))
    assert (report["bot"], report["passed"]) == ("ann", True)
    assert {rule["status"] for rule in report["rules"]} == {"pass"}
    assert [rule["game"] for rule in report["rules"] if rule["id"] == "whole-match"] == ["tictactoe", "snakes"]
    (suite,) = ElementTree.parse(file).getroot()
    assert suite.get("failures") == "0"
    assert len(suite) == len(report["rules"])
    assert list((tmp_path / "config").glob("**/*.json")) == [], "the keys of a check are thrown away"


@pytest.mark.slow
def test_places_in_the_command_are_filled_and_the_kit_is_the_server_of_a_club(capsys: Captured) -> None:
    bare = str(Path(__file__).parents[4] / "bots" / "python" / "bare_bot.py")
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = f"http://127.0.0.1:{free.getsockname()[1]}/c/fun/"
    bot = [sys.executable, bare, "{address}", "{join}", "{name}"]
    report = json.loads(printed(capsys, "check", "--json", *GAMES, "--server", server, "--", *bot))
    left = {rule["id"]: rule["status"] for rule in report["rules"] if rule["status"] != "pass"}
    assert (report["bot"], report["passed"], left) == ("checked-bot", True, {"two-matches": "skip"})
    assert [rule["why"] for rule in report["rules"] if rule["id"] == "connect"] == ["at /c/fun/bot"]
    assert "/c/fun/bot (tournament: check)" in ran(capsys, "check", "--wait", "0.1", "--server", server)[2]


def test_a_bot_that_fails(capsys: Captured) -> None:
    code, out, err = ran(capsys, "check", "--", *RANDOM[:-1], "faulty", "--fault", "illegal")
    assert (code, err) == (1, "")
    assert "  FAIL  legal-moves" in out
    assert "        next: Send one of the moves in turn.legal" in out
    assert out.splitlines()[-1] == "5 passed, 1 failed, 21 skipped"


@pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        (["no-such-program"], 2, "cannot run 'no-such-program': No such file or directory"),
        (["/"], 2, "cannot run '/': Permission denied"),
        (["true"], 1, f"{NOTHING}: {ENDED} 0"),
        (["sh", "-c", "echo one; echo two >&2; exit 3"], 1, f"{NOTHING}: {ENDED} 3; it said last: two"),
        (["sh", "-c", "echo Error: no; echo; echo v20; exit 1"], 1, f"{NOTHING}: {ENDED} 1; it said last: Error: no"),
        (["sh", "-c", "kill -9 $$"], 1, f"{NOTHING}: the program was ended by signal 9"),
    ],
)
def test_a_program_that_is_no_bot(command: list[str], code: int, line: str, capsys: Captured) -> None:
    assert refused(capsys, code, "check", "--wait", "60", "--", *command) == f"rumble: {line}\n"


def test_a_program_that_never_connects(capsys: Captured) -> None:
    line = refused(capsys, 1, "check", "--wait", "0.2", "--", "sh", "-c", "sleep 60 & sleep 60")
    assert line == f"rumble: {NOTHING}: no bot connected within 0.2 s\n"


def test_check_without_a_command_waits_for_a_bot_for_a_while(capsys: Captured) -> None:
    code, _, said = ran(capsys, "check", "--wait", "0.1")
    first, second = said.splitlines()
    assert re.fullmatch(r"waiting 0\.1 s for a bot at ws://127\.0\.0\.1:\d+/bot \(tournament: check\)", first)
    assert (code, second) == (1, f"rumble: {NOTHING}: no bot connected within 0.1 s")


def test_a_report_is_written_even_if_no_bot_comes(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "check.xml"
    code, out, _ = ran(capsys, "check", "--wait", "0.1", "--junit", file, "--json")
    assert (code, json.loads(out)["rules"][0]["status"]) == (1, "fail")
    assert ElementTree.parse(file).getroot().get("failures") == "1"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--game", "nope", "--", "true"], "unknown game 'nope'"),
        (["--server", "https://localhost:1"], "brings no TLS"),
        (["--server", "nowhere"], "is not a server address"),
        (["--server", "203.0.113.1:8765"], "cannot listen on 203.0.113.1 port 8765"),
        (["--move-ms", "0"], "--move-ms"),
        (["--junit", "no/such/folder/file.xml"], "there is no folder no/such/folder"),
        (["--jnuit", "file.xml"], "No such option"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 2, "check", *args)


@pytest.mark.slow
def test_a_signal_ends_the_bot_too(tmp_path: Path) -> None:
    bot = f'echo $$ > "{tmp_path}/starting"; mv "{tmp_path}/starting" "{tmp_path}/pid"; sleep 60 & wait'
    command = [*RANDOM[:3], "check", "--", "sh", "-c", bot]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as kit:
        until(lambda: (tmp_path / "pid").exists())
        kit.send_signal(signal.SIGTERM)
        assert kit.wait(PATIENCE_S) == 130
        assert kit.stderr is not None
        assert kit.stderr.read() == ""
    group = int((tmp_path / "pid").read_text())
    until(lambda: not is_running(group))


def is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
