"""What would steer a terminal is shown as escapes."""

import pytest
from rumble_server.cli.support.terminal import plain, plain_lines


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
