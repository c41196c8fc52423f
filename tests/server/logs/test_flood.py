import logging
from typing import Any

import pytest
from rumble_server.logs.flood import MOST_KINDS, WINDOW_S, FloodFilter


class Audit:
    """An audit log with a time set by the test."""

    def __init__(self) -> None:
        self.logger = logging.Logger("audit")
        self.flood = FloodFilter(self.logger)
        self.logger.addFilter(self.flood)
        self.lines: list[tuple[str, dict[str, Any]]] = []
        handler = logging.Handler()
        handler.emit = self._emit  # type: ignore[method-assign]
        self.logger.addHandler(handler)
        self.now_s = 1_000_000.0

    def _emit(self, record: logging.LogRecord) -> None:
        names = ("reason", "bot", "address", "command", "more")
        self.lines.append((record.getMessage(), {n: getattr(record, n) for n in names if hasattr(record, n)}))

    def tell(self, event: str, **extra: Any) -> None:
        record = self.logger.makeRecord("audit", logging.INFO, "x", 1, event, (), None, extra=extra)
        record.created = self.now_s
        self.logger.handle(record)


@pytest.fixture
def audit() -> Audit:
    return Audit()


def test_the_first_of_each_minute_and_then_a_count(audit: Audit) -> None:
    for _ in range(1000):
        audit.tell("refused", reason="wrong_key", address="10.0.0.1", about="ann")
        audit.tell("refused", reason="wrong_key", address="10.0.0.2", about="ann")
        audit.tell("logged in", bot="ann", address="10.0.0.1")
    assert len(audit.lines) == 3
    audit.now_s += WINDOW_S
    audit.tell("refused", reason="wrong_key", address="10.0.0.1")
    assert audit.lines[3:] == [
        ("refused", {"reason": "wrong_key", "address": "10.0.0.1", "more": 999}),
        ("refused", {"reason": "wrong_key", "address": "10.0.0.2", "more": 999}),
        ("logged in", {"bot": "ann", "address": "10.0.0.1", "more": 999}),
        ("refused", {"reason": "wrong_key", "address": "10.0.0.1"}),
    ]


def test_a_count_is_told_also_when_nothing_follows(audit: Audit) -> None:
    for _ in range(3):
        audit.tell("refused", reason="names", address="10.0.0.1")
    audit.flood.tick(audit.now_s + WINDOW_S - 1)
    assert len(audit.lines) == 1
    audit.flood.tick(audit.now_s + WINDOW_S)
    assert audit.lines[1][1]["more"] == 2
    audit.flood.flush()
    assert len(audit.lines) == 2


def test_a_clock_that_was_set_back_begins_a_new_window(audit: Audit) -> None:
    for _ in range(3):
        audit.tell("refused", reason="names", address="10.0.0.1")
    audit.now_s -= 3600
    audit.tell("refused", reason="names", address="10.0.0.1")
    assert [extra.get("more") for _, extra in audit.lines] == [None, 2, None]


def test_addresses_without_end_are_counted_together(audit: Audit) -> None:
    for number in range(10 * MOST_KINDS):
        audit.tell("refused", reason="names", address=f"2001:db8:0:{number:x}::/64")
    audit.flood.flush()
    assert len(audit.lines) == MOST_KINDS + 1
    assert audit.lines[-1] == ("refused", {"reason": "names", "address": "", "more": 9 * MOST_KINDS})


def test_commands_always_pass(audit: Audit) -> None:
    for _ in range(5):
        audit.tell("host command", command="POST /api/tournaments", address="10.0.0.1")
    assert len(audit.lines) == 5
