"""`rumble demo` of every format, with real processes; and who plays in it."""

import json
import sys

import pytest
from rumble_server.cli.demo import MOST_PROCESSES, entrant_names, multiplied, think_ms
from rumble_server.cli.errors import CliError
from rumble_server.cli.main import run
from rumble_server.cli.many import Entry, main, make_bot, many_command

from tests.bots.sdk.fake_server import FakeServer

Captured = pytest.CaptureFixture[str]


def test_many_of_a_kind() -> None:
    assert multiplied(["random:3", "minimax"]) == ["random", "random", "random", "minimax"]
    assert multiplied(["mine.py:ai", "mine.py:ai:2"]) == ["mine.py:ai"] * 3
    assert entrant_names(multiplied(["random:2", "minimax"])) == ["random-1", "random-2", "minimax"]
    with pytest.raises(CliError, match="room for 4096"):
        multiplied(["random:5000"])


def test_only_bots_that_would_think_long_are_limited() -> None:
    assert [think_ms(name, "connect4") for name in ("minimax", "random")] == [50, None]
    assert think_ms("minimax", "tictactoe") is None


@pytest.mark.e2e
def test_several_bots_play_in_one_process() -> None:
    entries = [Entry("random", "ann", 1), Entry("minimax", "ben", 2, 50)]
    with FakeServer(matches=1).in_a_thread() as server:
        command = many_command(entries, server.address, "cup", 2)
        assert command[:3] == [sys.executable, "-m", "rumble_server.cli.many"]
        assert main(command[3:]) == 0
    assert {login.name for login in server.logins} == {"ann", "ben"}


def test_a_bot_that_there_is_not_is_a_line(capsys: Captured) -> None:
    assert main(["127.0.0.1:1", "cup", "1", json.dumps([{"player": "nobody", "name": "x", "seed": 0}])]) == 2
    assert capsys.readouterr().err.startswith("rumble: ")
    assert make_bot(Entry("random", "x", 0)) is not None


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("format_", "bots", "matches"),
    [("swiss", "random:64", 6 * 32 * 2), ("knockout", "random:16", None), ("gauntlet", "random:3,minimax", 3 * 2)],
)
def test_a_demo_of_every_format_runs_to_its_end(capsys: Captured, format_: str, bots: str, matches: int | None) -> None:
    assert run(["demo", "--format", format_, "--bots", bots, "--exit", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tournament"]["status"] == "finished"
    assert document["tournament"]["format"] == format_
    assert len(document["standings"]) == len(document["tournament"]["names"])
    assert len(document["matches"]) == document["tournament"]["matches_total"]
    if matches is not None:
        assert len(document["matches"]) == matches
    assert {match["termination"] for match in document["matches"]} == {"normal"}
    assert MOST_PROCESSES < 64
