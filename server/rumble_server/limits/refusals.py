"""Refusals of a server: counts by reason for the metrics, and lines in the audit log."""

import logging
from collections import Counter

log = logging.getLogger("rumble_server.audit")
MOST_ABOUT = 80
"""Maximum number of characters of `about` (see `Refusals.count`) in the log. Longer texts are cut."""


class Refusals:
    """A counter and logger of the server's refusals since its start."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Number of refusals, by reason."""

    def count(self, reason: str, address: str, about: str = "") -> None:
        """Count and log a refusal. `reason` is a fixed word; `about` is a path, a tournament, or the name of a bot."""
        self.counts[reason] += 1
        about = about[:MOST_ABOUT]  # a stranger may have sent the text, at any length
        log.info("refused", extra={"reason": reason, "address": address, "about": about})
