"""Ctrl-C on a real terminal, once or often, at any moment: no traceback, and an exit code that says so."""

import sys
from pathlib import Path

import pytest
from rumble_server.cli.main import run

from tests.server.cli.server_thread import TOKEN, server_on_thread
from tests.server.cli.terminal_session import CTRL_C, on_a_terminal

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")]

FIELD = ("--bots", "random,mcts", "--game", "connect4", "--cycles", "100")


@pytest.mark.parametrize(("moment", "times"), [("page: ", 2), ("running, ", 1), ("running, ", 5)])
def test_a_demo_is_stopped_with_one_line(moment: str, times: int) -> None:
    with on_a_terminal("demo", *FIELD) as terminal:
        terminal.until(moment)
        terminal.press(CTRL_C * times)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.text
    assert "ended with" not in terminal.text
    assert [line for line in terminal.text.splitlines() if line.startswith("stopped; Connect four demo: ")]


def test_a_demo_that_is_over_stays_until_ctrl_c() -> None:
    with on_a_terminal("demo", "--bots", "random,minimax") as terminal:
        terminal.until("until Ctrl-C")
        terminal.press(CTRL_C * 3)
        assert terminal.ended() == 0
    assert "Traceback" not in terminal.text
    assert "stopped" not in terminal.text


def test_a_server_stops(tmp_path: Path) -> None:
    with on_a_terminal("serve", "--port", "0", "--db", str(tmp_path / "rumble.db")) as terminal:
        terminal.until("Ctrl-C stops")
        terminal.press(CTRL_C * 2)
        assert terminal.ended() == 0
    assert "Traceback" not in terminal.text
    assert "ended with" not in terminal.text


@pytest.mark.parametrize(
    ("arguments", "moment"),
    [
        (["battle", "minimax", "minimax", "--game", "connect4", "--matches", "100000"], "100000 matches"),
        (["check"], "waiting 60 s"),
        (
            ["practice", "--step", "--", sys.executable, "-c", "import time; print('started'); time.sleep(600)"],
            "started",
        ),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_command_that_works_or_waits_ends(arguments: list[str], moment: str) -> None:
    with on_a_terminal(*arguments) as terminal:
        terminal.until(moment)
        terminal.press(CTRL_C * 2)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.text


def test_a_person_at_play_and_those_who_watch(tmp_path: Path) -> None:
    with server_on_thread(tmp_path / "rumble.db") as address:
        here = ("--server", address)
        with on_a_terminal("bot", "random", "--challenges", "--name", "rose", *here) as bot:
            bot.until("rose")
            with on_a_terminal("play", "--against", "rose", "--name", "ann", "--seat", "0", *here) as person:
                person.until("Your move:")
                person.press(CTRL_C * 2)
                assert person.ended() == 130
            bot.press(CTRL_C * 2)
            assert bot.ended() == 130
        assert "Traceback" not in bot.text + person.text


def test_who_watches_gets_the_screen_back(tmp_path: Path) -> None:
    with server_on_thread(tmp_path / "rumble.db") as address:
        host = ("--server", address, "--host-token", TOKEN)
        assert run(["tournament", "create", "Friday", "--game", "tictactoe", *host]) == 0
        with on_a_terminal("watch", "friday", "--server", address) as terminal:
            terminal.until("Friday: lobby")
            drawn = len(terminal.text)
            terminal.resize(100, 30)
            terminal.until("Friday: lobby", drawn)
            terminal.press(CTRL_C)
            assert terminal.ended() == 130
    assert terminal.raw.index("\x1b[?1049h") < terminal.raw.index("Friday") < terminal.raw.index("\x1b[?1049l")
    assert "Traceback" not in terminal.text
