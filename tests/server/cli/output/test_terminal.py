"""Characters that would steer a terminal are escaped."""

import io

import pytest
from rich.console import Console
from rumble_server.cli.output.terminal import PIPE_WIDTH, coloured, is_screen, plain, plain_lines, plain_or_rich


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, True, False),
    ],
)
def test_where_there_are_colours(
    environment: dict[str, str], terminal: bool, pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert coloured(Terminal()) is terminal
    assert coloured(io.StringIO()) is pipe
    assert is_screen(Console(file=Terminal())) is (environment.get("TERM") != "dumb")
    assert not is_screen(Console(file=io.StringIO()))


def test_a_pipe_with_colours_is_as_wide_as_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    console = plain_or_rich()
    assert (console.width, console.no_color) == (PIPE_WIDTH, False)
    monkeypatch.delenv("FORCE_COLOR")
    assert plain_or_rich().no_color


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Friday [1], Zoë 🎲", "Friday [1], Zoë 🎲"),
        ("\x1b[2Jgone\x07", "\\u001b[2Jgone\\u0007"),
        ("\x9b2J\x7f", "\\u009b2J\\u007f"),
        ("one\ntwo\r\tthree", "one\\u000atwo\\u000d\\u0009three"),
        ("left\u202eright\u2066\u2028", "left\\u202eright\\u2066\\u2028"),
        ({"na\x1bme": ["a\x00b", 1, None, True]}, {"na\\u001bme": ["a\\u0000b", 1, None, True]}),
    ],
)
def test_control_characters_and_turned_directions_are_shown(given: object, shown: object) -> None:
    assert plain(given) == shown


def test_a_text_of_several_lines_keeps_them() -> None:
    assert plain_lines("X . .\n\x1b[31m. . .") == "X . .\n\\u001b[31m. . ."
