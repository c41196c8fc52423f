"""Foreign text cannot steer a terminal."""

import io
import sys

import pytest
from rumble_bots.sdk.serve import to_stderr
from rumble_protocol.plain import plain_text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("ann is 1st, at 50 %", "ann is 1st, at 50 %"),
        ("\x1b]0;owned\x07", "\\u001b]0;owned\\u0007"),
        ("\x9b2J\r\n", "\\u009b2J\\u000d\\u000a"),
        ("a\u202eb", "a\\u202eb"),
    ],
)
def test_characters_that_would_steer_a_terminal_are_escaped(given: str, shown: str) -> None:
    assert plain_text(given) == shown


def test_a_bot_shows_words_of_a_server_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", written := io.StringIO())
    to_stderr("notice: \x1b[2J")
    assert written.getvalue() == "notice: \\u001b[2J\n"
