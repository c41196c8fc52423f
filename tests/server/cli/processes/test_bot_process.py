import json
import sys
from pathlib import Path

import pytest
from rumble_server.cli.processes.bot_process import BotSpec, main, make_bot, process_command, search_ms

from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured


def test_only_bots_that_would_think_long_are_limited() -> None:
    assert [search_ms(name, "connect4") for name in ("minimax", "random")] == [50, None]
    assert search_ms("minimax", "tictactoe") is None


@pytest.mark.e2e
def test_several_bots_play_in_one_process() -> None:
    specs = [BotSpec("random", "ann", 1), BotSpec("minimax", "ben", 2, 50)]
    with FakeServer(matches=1).in_a_thread() as server:
        command = process_command(specs, server.address, "cup")
        assert command[:3] == [sys.executable, "-m", "rumble_server.cli.processes.bot_process"]
        assert main(command[3:]) == 0
    assert {login.name for login in server.logins} == {"ann", "ben"}


def test_a_bot_that_there_is_not_is_a_line(capsys: Captured) -> None:
    assert main(["127.0.0.1:1", "cup", json.dumps([{"bot": "nobody", "name": "x", "seed": 0}])]) == 2
    assert capsys.readouterr().err.startswith("rumble: ")
    assert make_bot(BotSpec("random", "x", 0), Path()) is not None


def test_a_bot_that_changes_the_working_directory_hides_no_other_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "mine.py").write_text("import os\nos.chdir('/')\ndef ai(turn): pass\n")
    monkeypatch.chdir(tmp_path)
    bots = [{"bot": "mine.py:ai", "name": name, "seed": 0} for name in ("ann", "ben")]
    assert main(["127.0.0.1:1", "cup", json.dumps(bots)]) == 1
    assert capsys.readouterr().err == "rumble: cannot reach http://127.0.0.1:1: nobody listens there\n"
