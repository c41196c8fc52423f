import json
import logging
import sys
import time
from typing import Any

import pytest
from rumble_server.logs.lines import Blanker, JsonLines, TextLines, escape


def record(message: str, *args: object, level: int = logging.INFO, **extra: Any) -> logging.LogRecord:
    made = logging.getLogger().makeRecord("rumble_server.x", level, "x.py", 1, message, args, None, extra=extra)
    made.created = 1_790_000_000.1234
    return made


def failed() -> logging.LogRecord:
    try:
        raise ValueError('a frame: {"type": "login", "key": "sesame-1"}')
    except ValueError:
        made = record("it failed", level=logging.ERROR)
        made.exc_info = sys.exc_info()
        return made


def test_a_line_has_time_level_logger_message_and_extra_fields() -> None:
    made = record("refused %d", 3, reason="wrong_key", address="::1", about="")
    text = "2026-09-21T14:13:20.123Z INFO rumble_server.x: refused 3 reason=wrong_key address=::1"
    assert TextLines(Blanker()).format(made) == text
    assert json.loads(JsonLines(Blanker()).format(made)) == {
        "time": "2026-09-21T14:13:20.123Z",
        "level": "INFO",
        "logger": "rumble_server.x",
        "message": "refused 3",
        "reason": "wrong_key",
        "address": "::1",
    }


def test_an_event_is_one_line_also_with_a_traceback_and_with_text_of_strangers() -> None:
    bad = record("from %s", "a\nb\x1b[31m\u202e\x85\u2028", about="two\nlines = \x07")
    for lines in (TextLines(Blanker()), JsonLines(Blanker())):
        for made in (bad, failed()):
            assert lines.format(made).isprintable()
    assert r"a\nb\x1b[31m\u202e\x85\u2028" in TextLines(Blanker()).format(bad)
    assert r"Traceback (most recent call last):\n" in TextLines(Blanker()).format(failed())
    assert json.loads(JsonLines(Blanker()).format(failed()))["exception"].startswith("Traceback")
    assert escape("plain ärger") == "plain ärger"


@pytest.mark.parametrize(
    "text",
    [
        'got {"type":"login","name":"ann","key":"sesame-1","invite": "sesame-1"}',
        "got {'key': 'sesame-1'}",
        r'got "{\"key\": \"sesame-1\"}"',
        "GET /t/friday?invite=sesame-1&x=1 failed",
        "GET /t/friday?x=1&host_token=sesame-1",
        "Authorization: Bearer sesame-1",
        "(b'authorization', b'Bearer sesame-1')",
        "Bot ann:sesame-1",
        "the token is my-sesame-token",
    ],
)
def test_no_secret_is_in_a_line(text: str) -> None:
    blank = Blanker(["my-sesame-token"])
    for made in (record("%s", text), record("x", about=text), failed()):
        for line in (TextLines(blank).format(made), JsonLines(blank).format(made)):
            assert "sesame" not in line
            assert "***" in line


def test_text_that_is_no_secret_stays() -> None:
    for text in ("no house bot key: x.pem"[:12], "Bot ann joined", "cannot read /etc/key.pem: No such file", "x=1&y=2"):
        assert Blanker()(text) == text
    assert Blanker()("invite=abc&round=2") == "invite=***&round=2"


def test_a_long_word_takes_no_long_time() -> None:
    began_s = time.process_time()
    for word in ("a" * 20_000, "key" * 7_000):
        assert Blanker()(f"{word} {word}_key=abc") == f"{word} {word}_key=***"
    assert time.process_time() - began_s < 1
