"""What a server refuses, counted by reason and written to the audit log."""

import logging
from collections import Counter

log = logging.getLogger("rumble_server.audit")
MOST_ABOUT = 80
"""Characters of what a refusal is about that are logged."""


class Refusals:
    """The refusals of a server since its start."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How many there were, by reason."""

    def note(self, reason: str, address: str, about: str = "") -> None:
        """Count a refusal of this address; `reason` is a word for programs, `about` a bot, a path or a tournament."""
        self.counts[reason] += 1
        about = about[:MOST_ABOUT]  # it may be what a stranger sent
        log.info("refused", extra={"reason": reason, "address": address, "about": about})
