"""The README's commands and programs work, and CI runs its test command."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from rumble_bots import Turn
from rumble_protocol import server_messages as server

from tests.command_line import parse_all

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    """The fenced block that follows `<!-- marker -->`."""
    (found,) = re.findall(rf"<!-- {re.escape(marker)} -->\n+```\w*\n(.*?)```", README, re.DOTALL)
    return str(found)


def test_the_first_command_is_the_demo() -> None:
    assert block("demo") == "pip install . && rumble demo\n"


def test_the_second_command_is_what_the_check_runs() -> None:
    assert block("tests") == "pip install -e '.[test]' && python -m pytest\n"
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert commands.count(block("tests").strip()) == 1


def test_the_printed_bot_is_the_one_that_is_tested() -> None:
    bot = (ROOT / "bots" / "python" / "bare_bot.py").read_text(encoding="utf-8")
    assert block("bots/python/bare_bot.py") == bot
    assert len(bot.splitlines()) <= 40


def test_the_printed_function_plays(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(block("mine.py"), encoding="utf-8")
    board = "[['X', 'X', 'O'], [None, 'O', None], [None, None, None]]"
    asked = f"from mine import ai; print(ai({board}, 'X'))"
    told = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert told == "(1, 0)\n"


def test_the_printed_class_plays() -> None:
    module: dict[str, Any] = {"__name__": "my_bot"}
    exec(compile(block("my_bot.py"), "my_bot.py", "exec"), module)
    clock = server.TurnClock(remaining_ms=1000, seats_ms=[1000, 1000], lag_ms=0)
    fields: dict[str, Any] = {"match": "m", "attempt": 1, "turn_id": "t", "game": "tictactoe", "clock": clock}
    for board, ply, answer in (("XX.OO....", 4, "2"), (".XXOO....", 4, "0"), (".........", 0, "0")):
        legal = [str(square) for square in range(9) if board[square] == "."]
        message = server.Turn(ply=ply, seat=0, state={"board": board}, legal=legal, moves=[], **fields)
        assert module["Careful"]().choose(Turn.of(message, None, lambda: 0.0)) == answer


def test_every_command_is_one_of_the_command_lines() -> None:
    fenced = re.findall(r"^```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    lines = [line.partition("#")[0] for text in fenced for line in text.splitlines()]
    commands = [part.strip() for line in lines for part in line.split("&&")]
    ours = [command for command in commands if command.startswith("rumble ")]
    assert len(ours) == README.count("\nrumble ") + 1
    for page in ("PROTOCOL.md", "examples/README.md"):
        told = re.findall(
            r"^(?:    )?(rumble .*)$", (ROOT / "protocol" / page).read_text(encoding="utf-8"), re.MULTILINE
        )
        assert told
        ours += told
    parse_all([command if "--server" in command else with_server(command) for command in ours])


def with_server(command: str) -> str:
    """The command as it is where RUMBLE_SERVER and RUMBLE_HOST_TOKEN are set."""
    needs = command.startswith("rumble tournament ")
    return f"{command} --server 127.0.0.1:8765" if needs else command


def test_links_lead_somewhere() -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)]
    assert [link for link in links if "://" not in link and link and not (ROOT / link).exists()] == []
