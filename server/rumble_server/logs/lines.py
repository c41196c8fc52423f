"""Log records as lines of text or JSON: a line for each event, foreign text escaped, and secrets replaced by `***`."""

import json
import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

BLANK = "***"
_NAMED = re.compile(
    r"""((?<![\w-])[\w-]*(?:key|token|invite|secret|password|authorization)\\*["']?\s*[=:]\s*)  # the name of a secret
        (?:(\\*["']).*?\2|(?!["'\\])[^\s"'\\&,;)}\]]+)  # and its value, quoted or bare""",
    re.IGNORECASE | re.VERBOSE,
)
"""Pattern of a secret after the secret's name.

Only the beginning of a word is tried. To try each character of a long word would take seconds.
"""
_HEADER = re.compile(r"\b(Bearer\s+|Bot\s+[^\s:]+:)[^\s\"',;)}\]]+", re.IGNORECASE)
"""Pattern of a secret in an `Authorization` header."""
_PLAIN = re.compile(r"[^\s\"'=\\]+")
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every log record. Further attributes are fields given with `extra`."""


class Blanker:
    """A function that writes `***` in a text for each given secret, and for each value after the name of a secret."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, BLANK)
        text = _HEADER.sub(rf"\1{BLANK}", text)
        return _NAMED.sub(lambda found: f"{found[1]}{found[2] or ''}{BLANK}{found[2] or ''}", text)


def escape(text: str) -> str:
    """Escape unprintable characters: an event must stay on one line, and must not control a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


class _Lines(logging.Formatter):
    def __init__(self, blank: Blanker) -> None:
        super().__init__()
        self._blank = blank

    def _failure(self, record: logging.LogRecord) -> str:
        return self._blank(self.formatException(record.exc_info)) if record.exc_info and record.exc_info[0] else ""


class TextLines(_Lines):
    """A formatter of log records: `TIME LEVEL LOGGER: MESSAGE NAME=VALUE...`."""

    def format(self, record: logging.LogRecord) -> str:
        found = " ".join(f"{name}={_word(value)}" for name, value in extras(record).items())
        parts = filter(None, (self._blank(record.getMessage()), self._blank(found), self._failure(record)))
        return escape(f"{_time(record)} {record.levelname} {record.name}: {' '.join(parts)}")


class JsonLines(_Lines):
    """A formatter of log records as JSON objects.

    The fields of an object are `time`, `level`, `logger`, `message`, the fields of `extra`, and `exception`.
    """

    def format(self, record: logging.LogRecord) -> str:
        fields = {"time": _time(record), "level": record.levelname, "logger": record.name}
        fields["message"] = self._blank(record.getMessage())
        for name, value in extras(record).items():
            fields[name] = self._blank(value) if isinstance(value, str) else value
        failure = self._failure(record)
        if failure:
            fields["exception"] = failure
        return json.dumps(fields, default=str)


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields given to a record with `extra`, without empty texts and None."""
    return {name: value for name, value in vars(record).items() if name not in _OWN and value not in ("", None)}


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _word(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
