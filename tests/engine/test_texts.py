"""Foreign text inside error messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine.texts import shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "''"),
        ("e4", "'e4'"),
        ("a\nb", "'a\\nb'"),
        ("\ud800", "'\\ud800'"),
        ("x" * 25, f"'{'x' * 24}'... (25 characters)"),
    ],
)
def test_shown(text: str, written: str) -> None:
    assert shown(text) == written


@given(st.text())
def test_a_shown_text_is_always_one_short_printable_line(text: str) -> None:
    assert shown(text).isprintable()
    assert len(shown(text)) < 300
