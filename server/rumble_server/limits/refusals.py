"""The refusals of a server, counted by reason for the metrics and written to the audit log."""

import logging
from collections import Counter

log = logging.getLogger("rumble_server.audit")
MOST_ABOUT = 80
"""Maximum number of characters logged of a refusal's subject; the rest is cut."""


class Refusals:
    """Counts and logs the refusals of a server since its start."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Number of refusals by reason."""

    def note(self, reason: str, address: str, about: str = "") -> None:
        """Count and log a refusal. `reason` is a word for programs; `about` names a bot, a path or a tournament."""
        self.counts[reason] += 1
        about = about[:MOST_ABOUT]  # a stranger may have sent the text, at any length
        log.info("refused", extra={"reason": reason, "address": address, "about": about})
