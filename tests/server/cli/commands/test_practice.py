"""`rumble practice` with programs of all kinds: real processes, sockets, and a server."""

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rumble_engine import get_game
from rumble_server.cli.practice import practising

from tests.server.cli.run_here import Captured, ran, refused

pytestmark = pytest.mark.e2e
RUMBLE = [sys.executable, "-m", "rumble_server.cli"]
BARE, STARTER = (str(Path(__file__).parents[4] / "bots" / "python" / name) for name in ("bare_bot.py", "bot.py"))
BOT = """
import json, os, sys
from websockets.sync.client import connect
what = sys.argv[1]
def say(**fields): socket.send(json.dumps(fields))
with connect(f"ws://{os.environ['RUMBLE_SERVER']}/bot", subprotocols=["rumble.v1"]) as socket:
    for frame in socket:
        told = json.loads(frame)
        if told["type"] == "welcome":
            if what == "binary": socket.send(b"x")
            join = "else" if what == "join" else os.environ["RUMBLE_JOIN"]
            say(type="login", name=os.environ["RUMBLE_NAME"], join=join)
        elif told["type"] == "turn":
            if what == "crash": raise ValueError("boom")
            if what == "json": socket.send("{nope"); continue
            move = "z" if what == "illegal" else told["legal"][0]
            say(type="move", match=told["match"], turn_id=told["turn_id"], move=move)
        elif told["type"] == "tournament_over": break
        elif told["type"] == "error" and what == "join": break
"""


Practice = Callable[..., tuple[int, str, str]]


@pytest.fixture
def practise(capfd: Captured) -> Practice:
    """Return a function that runs the command in this process, and returns its exit code, trace and standard error."""
    return partial(ran, capfd, "practice")


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("bots") / "bot.py"
    path.write_text(BOT)
    return ["--", sys.executable, str(path)]


@pytest.mark.slow
def test_the_bare_bot_plays_to_the_end(practise: Practice) -> None:
    code, out, err = practise("--matches", "2", "--", sys.executable, BARE, "{address}", "{join}", "{name}")
    assert code == 0, out + err
    lines = out.splitlines()
    assert lines[-2:] == ["note   your bot closed the connection: 1000", "note   2 of 2 played to the end"]
    assert [line.split()[1] for line in lines if line.startswith("bot ")][:2] == ["login", "move"]
    assert sum(line.startswith("server match_over") for line in lines) == 2
    assert "---+---+---" in out
    assert '"rank":' in err, "what the program writes is kept apart from the trace"


@pytest.mark.slow
def test_the_starter_in_python_tells_who_won_and_closes_its_connection(practise: Practice) -> None:
    code, out, err = practise("--", sys.executable, STARTER)
    assert code == 0, out + err
    assert out.splitlines()[-2:] == ["note   your bot closed the connection: 1000", "note   1 of 1 played to the end"]
    assert re.search(r"^practice\.1\.1\.1\.1: \S+ wins: ", err, re.MULTILINE)
    assert re.search(r"^practice: rank [12] of 2, [\d.]+ points$", err, re.MULTILINE)


@pytest.mark.slow
def test_functions_play_as_they_do_in_the_other_commands(
    practise: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def ai(turn): return turn.legal[0]\n")
    Path("other.py").write_text("import os\nos.chdir('/')\ndef ai(turn): return turn.legal[0]\n")
    code, out, err = practise("--against", "other.py:ai", "mine.py:ai")
    assert code == 0, err
    assert out.splitlines()[-1] == "note   1 of 1 played to the end"


@pytest.mark.slow
def test_the_same_seed_is_the_same_match(practise: Practice, bot: list[str]) -> None:
    args = ["--game", "connect4", "--against", "heuristic", "--seed", "7", "--json", *bot, "plays"]
    runs = [practise(*args) for _ in range(2)]
    assert [code for code, _, _ in runs] == [0, 0], runs[0][2]
    played = [[entry["frame"]["moves"] for entry in frames(out) if _type(entry) == "match_over"] for _, out, _ in runs]
    assert played[0] == played[1]
    assert len(played[0][0]) >= 7


def frames(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def _type(entry: dict[str, Any]) -> object:
    return entry["frame"]["type"] if "frame" in entry else None


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("illegal", ["next   Send one of the moves in turn.legal", "lost 1 of 1 by its own fault"]),
        ("crash", ["your program ended with exit code 1 before the practice was over", "next   Fix its error"]),
        ("join", ["next   Join the tournament that RUMBLE_JOIN names", "your program ended with exit code 0"]),
        ("binary", ["the server closed the connection: 1003", "next   Send text frames"]),
        ("json", ["next   Compare what you send with PROTOCOL.md", "your bot has sent nothing since that error"]),
    ],
)
def test_a_bot_that_fails_is_told_what_to_do_next(
    what: str, expected: list[str], practise: Practice, bot: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "json":
        monkeypatch.setattr(practising, "STUCK_S", 0.1)
    code, out, err = practise(*bot, what)
    assert code == 1, out + err
    for text in expected:
        assert text in out
    assert ("boom" in err) == (what == "crash")


ELSEWHERE = """
import os, socket
host, port = os.environ["RUMBLE_SERVER"].split(":")
asked = "GET /socket HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"
with socket.create_connection((host, int(port))) as connection:
    connection.send("\\r\\n".join([*asked, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""]).encode())
    connection.recv(1000)
"""


@pytest.mark.parametrize(
    ("command", "exit_code", "expected"),
    [
        ([sys.executable, "-S", "-c", "raise SystemExit(3)"], 1, "next   It never connected: open a WebSocket"),
        ([sys.executable, "-S", "-c", ELSEWHERE], 1, "next   Your bot asked for /socket; bots connect at /bot."),
        (["/no/such/bot"], 2, "rumble: cannot run '/no/such/bot': No such file or directory"),
    ],
)
def test_a_program_that_never_connects(command: list[str], exit_code: int, expected: str, practise: Practice) -> None:
    code, out, err = practise("--", *command)
    assert code == exit_code
    assert expected in out + err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--no-such", "--", "true"], "No such option"),
        (["--game", "go", "--", "true"], "unknown game 'go'"),
        (["--against", "nobody", "--", "true"], "unknown bot 'nobody'"),
        (["--set", "size", "--", "true"], "'size' is not a setting: write NAME=VALUE"),
        (["--set", "size=9", "--", "true"], "tictactoe has no setting 'size'"),
        (["--game", "snakes", "--", "true"], "snakes has 3 to 8 seats, not 2"),
        (["--seed", "-1", "--", "true"], "seed: Input should be greater than or equal to 0"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(get_game("snakes")), "least_seats", 3)
    assert message in refused(capsys, 2, "practice", *args)


@pytest.mark.slow
def test_a_bot_of_the_sdk_that_raises_tells_its_error_and_plays_on(practise: Practice, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def ai(turn):\n    return turn.legal[99]\n")
    server, join = ("--server", "{address}"), ("--join", "{join}", "--name", "{name}")
    bot = [*RUMBLE, "bot", f"{tmp_path / 'mine.py'}:ai", *server, *join]
    code, out, err = practise("--matches", "2", "--", *bot)
    assert code == 1
    error = "IndexError: list index out of range (mine.py, line 2, in ai)"
    assert out.count(f'"reason": "{error}", "failed": true') == 2
    assert out.count('"termination": "crashed", "reason": "my-bot crashed"') == 2
    assert "your bot lost 2 of 2 by its own fault" in out
    assert err.count("    return turn.legal[99]") == 2, "the traceback is in the author's terminal"
