"""Ctrl-C on a real terminal, once or often, at any moment: no traceback, and the exit code for an interrupt."""

import os
import re
import sys
from pathlib import Path

import pytest
from rumble_server.cli.main import run

from tests.bots.bridges.scripts import command
from tests.server.cli.server_thread import TOKEN
from tests.server.cli.terminal_session import CTRL_C, on_a_terminal

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")]

FIELD = ("--bots", "random,mcts", "--game", "connect4", "--cycles", "100")


@pytest.mark.parametrize(("moment", "times", "house"), [("page: ", 5, "random"), ("running, ", 1, "none")])
@pytest.mark.slow
def test_a_demo_is_stopped_with_one_line(moment: str, times: int, house: str) -> None:
    with on_a_terminal("demo", *FIELD, "--house", house) as terminal:
        terminal.until(moment)
        terminal.press(CTRL_C * times)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.text
    assert "ended with" not in terminal.text
    assert [line for line in terminal.text.splitlines() if line.startswith("stopped; Connect four demo: ")]


@pytest.mark.slow
def test_a_demo_that_is_over_stays_until_ctrl_c() -> None:
    with on_a_terminal("demo", "--bots", "random,minimax", "--house", "none") as terminal:
        terminal.until("until Ctrl-C")
        terminal.press(CTRL_C * 3)
        assert terminal.ended() == 0
    assert "Traceback" not in terminal.text
    assert "stopped" not in terminal.text


@pytest.mark.parametrize(
    ("arguments", "moment"),
    [
        (["battle", "minimax", "minimax", "--game", "connect4", "--matches", "100000"], "100000 matches"),
        (["check"], "waiting 60 s"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_command_that_works_or_waits_ends(arguments: list[str], moment: str) -> None:
    with on_a_terminal(*arguments) as terminal:
        terminal.until(moment)
        terminal.press(CTRL_C * 2)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.text


@pytest.mark.slow
def test_a_practice_that_reads_the_keyboard_ends_with_a_program_behind_a_bridge(tmp_path: Path) -> None:
    answers_once = command(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "print(sys.stdin.readline().split()[0], flush=True)\n"
        "time.sleep(600)"
    )
    bridge = [sys.executable, "-m", "rumble_server.cli", "bridge", "stdio", "--bare", "--stderr", str(tmp_path / "err")]
    prompt = "Enter sends this turn to your bot: "
    with on_a_terminal("practice", "--step", "--", *bridge, "--", *answers_once) as terminal:
        terminal.until(prompt)
        before = len(terminal.text)
        terminal.press("\n")
        terminal.until(prompt, before)
        terminal.press(CTRL_C * 2)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.text
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.slow
def test_a_server_that_was_played_on_and_watched_ends(tmp_path: Path) -> None:
    serve = ("serve", "--port", "0", "--host-token", TOKEN, "--db", str(tmp_path / "rumble.db"), "--house", "random")
    with on_a_terminal(*serve) as server:
        server.until("Ctrl-C stops")
        (address,) = re.findall(r"^page +(http://[\d.:]+)/", server.text, re.MULTILINE)
        _play(address)
        friday = ["tournament", "create", "Friday", "--game", "tictactoe", "--host-token", TOKEN]
        assert run([*friday, "--server", address]) == 0
        _watch(address)
        server.press(CTRL_C * 2)
        assert server.ended() == 0
    assert "Traceback" not in server.text
    assert "ended with" not in server.text


def _play(address: str) -> None:
    at = "--server", address
    with on_a_terminal("bot", "random", "--challenges", "--name", "rose", *at) as bot:
        bot.until("rose")
        with on_a_terminal("play", "--against", "rose", "--name", "ann", "--seat", "0", *at) as person:
            person.until("Your move:")
            person.press(CTRL_C * 2)
            assert person.ended() == 130
        bot.press(CTRL_C * 2)
        assert bot.ended() == 130
    assert "Traceback" not in bot.text + person.text


def _watch(address: str) -> None:
    """Resize the terminal during `rumble watch`, and check the old content of the screen after Ctrl-C."""
    with on_a_terminal("watch", "friday", "--server", address) as terminal:
        terminal.until("Friday: lobby")
        drawn = len(terminal.text)
        terminal.resize(100, 30)
        terminal.until("Friday: lobby", drawn)
        terminal.press(CTRL_C)
        assert terminal.ended() == 130
    assert terminal.raw.index("\x1b[?1049h") < terminal.raw.index("Friday") < terminal.raw.index("\x1b[?1049l")
    assert "Traceback" not in terminal.text
