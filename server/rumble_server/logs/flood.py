"""A filter against a flood of refusals or logins in the audit log."""

import logging
from collections import Counter

WINDOW_S = 60.0
"""Length in s of a window. In a window, the first event of each kind is logged, and the rest are counted."""
MOST_KINDS = 1_000
"""Maximum number of kinds of events with separate counts in a window.

Events of further kinds are not logged, but counted together by message and reason, without address and bot.
"""

EventKind = tuple[str, str, str]
"""A kind of events: the message, the reason of a refusal (or the bot of a login), and the address."""


class FloodFilter(logging.Filter):
    """A filter of log records: in a window, only the first event of each kind passes. Commands of hosts always pass.

    At the end of the window, the filter logs the number of further events of each kind.
    """

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__()
        self._logger = logger
        self._more: Counter[EventKind] = Counter()
        self._until_s = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        address = getattr(record, "address", None)
        if address is None or hasattr(record, "command") or hasattr(record, "more"):
            return True
        self.tick(record.created)
        subject = str(getattr(record, "reason", None) or getattr(record, "bot", ""))
        kind = record.getMessage(), subject, str(address)
        if kind not in self._more and len(self._more) >= MOST_KINDS:
            kind = record.getMessage(), str(getattr(record, "reason", "")), ""
        is_first = kind not in self._more and kind[2] != ""
        self._more[kind] += not is_first
        return is_first

    def tick(self, now_s: float) -> None:
        """If the window has ended, or the clock was set back, log its counts, and begin a new one."""
        if not self._until_s - WINDOW_S <= now_s < self._until_s:
            self._until_s = now_s + WINDOW_S
            self.flush()

    def flush(self) -> None:
        """Log the counts of events held back, and count from 0 again."""
        more, self._more = self._more, Counter()
        for (event, subject, address), count in more.items():
            if count:
                what = "bot" if event == "logged in" else "reason"
                self._logger.info(event, extra={what: subject, "address": address, "more": count})
