"""A bot of several processes: `--workers`, the death of a worker, and the end of all workers."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rumble_server.cli.main import run
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.processes import workers
from rumble_server.cli.support.api_client import ApiClient

from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured, refused
from tests.server.cli.server_thread import TOKEN, play, server_on_thread

PATIENCE_S = 60
DIES_ONCE = """
import os, pathlib, signal

def ai(turn):
    mark = pathlib.Path({mark!r})
    if turn.ply > 1:
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return turn.legal[-1]
"""


def test_the_names_of_workers_differ_from_those_of_another_command() -> None:
    made = workers.names(3, None)
    assert len(set(made)) == 3
    assert all(re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9_.-]*-{os.getpid()}-[123]", name) for name in made)
    assert workers.names(2, "desk") == ["desk-1", "desk-2"]
    with pytest.raises(CliError, match="has more than 32 characters"):
        workers.names(2, "d" * 31)


@pytest.mark.parametrize("command", [["bot", "random"], ["bridge", "stdio", "--", "cat"]])
def test_a_server_of_before_workers_is_told(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("RUMBLE_STATE_DIR", str(tmp_path))
    with FakeServer(features=[]).in_a_thread() as server:
        options = ["--server", server.address, "--join", "cup", "--worker", "desk"]
        assert run([*command[:2], *options, *command[2:]]) == 1
        assert server.logins == [], "no key was shown"
    message = "rumble: the server is too old for a bot of several workers: play without a worker"
    assert capsys.readouterr().err.splitlines()[-1] == message


@pytest.mark.e2e
def test_a_worker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUMBLE_WORKER", "attic")
    with FakeServer(matches=0).in_a_thread() as server:
        for given in ([], ["--worker", "desk"]):
            assert run(["bot", "random", "--server", server.address, "--join", "cup", *given]) == 0
    assert [login.worker for login in server.logins] == ["attic", "desk"]


@pytest.mark.e2e
def test_a_faulty_bot_is_one_program(capsys: Captured) -> None:
    args = ["bot", "faulty", "--fault", "drop", "--server", "127.0.0.1:1", "--join", "cup", "--worker", "one"]
    assert "a faulty bot has no workers" in refused(capsys, 2, *args)


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="a process kills itself by a signal")
@pytest.mark.slow
def test_the_processes_of_one_bot_play_on_when_one_is_killed(tmp_path: Path, capfd: Captured) -> None:
    file = tmp_path / "dies.py"
    file.write_text(DIES_ONCE.format(mark=str(tmp_path / "died")))
    with server_on_thread(tmp_path / "rumble.db") as server:
        create = ["tournament", "create", "cup", "--game", "tictactoe", "--server", server, "--host-token", TOKEN]
        assert run([*create, "--start-at-bots", "5", "--cycles", "2"]) == 0
        others = threading.Thread(target=play, args=(server, "cup", *"bcde"))
        others.start()
        code = run(["bot", f"{file}:ai", "--name", "ann", "--server", server, "--join", "cup", "--workers", "2"])
        others.join(PATIENCE_S)
        client = ApiClient(server)
        matches = client.get("tournaments/cup/matches", bot="ann")["matches"]
        entrants = [line["name"] for line in client.get("tournaments/cup/standings")["standings"]]
    assert sorted(entrants) == ["ann", "b", "c", "d", "e"]
    assert len(matches) == 16
    assert {match["termination"] for match in matches} == {"normal"}, "what the dead one played went on"
    output = capfd.readouterr()
    (dead,) = re.findall(r"rumble: worker (\S+) has ended with signal 9\. The others go on\.", output.err)
    assert output.err.count("logged in as ann") == 2
    assert f"{dead}: logged in as ann" in output.err
    assert re.fullmatch(r"cup is finished: rank \d of 5, [\d.]+ points", output.out.splitlines()[-1])
    assert output.out.count("cup is finished") == 1
    assert code == 1


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.slow
def test_the_end_of_the_command_ends_all_its_processes(number: signal.Signals) -> None:
    with FakeServer(matches=0, stays=True).in_a_thread() as server:
        options = ["--server", server.address, "--join", "cup", "--workers", "2"]
        command = [sys.executable, "-m", "rumble_server.cli", "bot", "random", *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(4)]
            assert sorted(line.partition(" ")[2].split()[0] for line in lines) == ["in", "in", "logged", "logged"]
            process.send_signal(number)
            code = process.wait(PATIENCE_S)
            rest = process.stderr.read()  # ends when the last process has
    assert (code, rest) == (-number if number is signal.SIGKILL else 130, "")


OUTLIVES = """
import os, pathlib, sys
pid_file = pathlib.Path({file!r})
while not (pid_file.exists() and pid_file.read_text()):
    pass
while True:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        sys.exit(3)
"""


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="it asks for a process by its number")
def test_workers_end_if_the_last_one_fails_after_the_others_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    file = str(tmp_path / "pid")
    scripts = {"w-1": f"import os; open({file!r}, 'w').write(str(os.getpid()))", "w-2": OUTLIVES.format(file=file)}
    monkeypatch.setattr(workers, "process_command", lambda worker, _: [sys.executable, "-c", scripts[worker]])
    assert workers.run_workers([], 2, "w") == 3
    assert capfd.readouterr().err == "rumble: worker w-2 has ended with exit code 3.\n"
