"""The file descriptors of the process: raises their limit, and ends idle connections when descriptors run out.

A new socket gets the lowest free number. So its number tells roughly how many descriptors are in use, without a
system call.
"""

import heapq
import logging
import sys
from collections.abc import Callable, Collection
from enum import IntEnum
from typing import Protocol

from rumble_server.limits.refusals import Refusals

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

SPARE = 64
"""Number of descriptors reserved for files, pipes and new connections; never more than an eighth of the limit."""
LOG_EVERY_MS = 60_000
ENDLESS = 1 << 20
"""The limit used if the system sets no limit."""


class Idleness(IntEnum):
    """The kinds of idle connections. Lower values are shed first."""

    STRANGER = 0
    """The connection has neither logged in nor completed an HTTP request."""
    BETWEEN_REQUESTS = 1
    """The last HTTP request of the connection is answered."""
    PLAYS_NOTHING = 2
    """The bot is in no match."""


class Sheddable(Protocol):
    """A connection that may be ended to make room."""

    @property
    def address(self) -> str:
        """The source of the connection."""

    @property
    def idleness(self) -> Idleness | None:
        """The idleness of the connection; None if the connection must not be shed now."""

    @property
    def opened_ms(self) -> int:
        """Time of the connection's start, in ms of server time."""

    def shed(self) -> None:
        """End the connection at once."""


def raise_limit() -> int:
    """Raise the limit of open descriptors as far as the system allows, and return the limit."""
    if sys.platform == "win32":
        return ENDLESS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENDLESS if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < most:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (ValueError, OSError) as error:
            log.warning("the limit of open files stays %d: %s", soft, error)
            return soft
    return most


class Descriptors:
    """Sheds idle connections before descriptors run out. `limit` is the maximum number of open descriptors."""

    def __init__(self, limit: int, refusals: Refusals, now_ms: Callable[[], int]) -> None:
        self._spare = min(SPARE, limit // 8)
        self.limit = limit
        self._refusals = refusals
        self._now_ms = now_ms
        self._logged_ms = float("-inf")

    def admit(self, new: Sheddable, descriptor: int, connections: Collection[Sheddable]) -> bool:
        """Return whether the connection `new` may stay. If descriptors run out, first shed idle `connections`."""
        if descriptor < self.limit - self._spare:
            return True
        ranked = [(each.idleness, each.opened_ms, each) for each in connections if each is not new]
        idle = [(idleness, opened_ms, each) for idleness, opened_ms, each in ranked if idleness is not None]
        chosen = [each for _, _, each in heapq.nsmallest(max(1, self._spare // 2), idle, key=lambda one: one[:2])]
        for each in chosen:
            self._refusals.note("descriptors", each.address)
            each.shed()
        now_ms = self._now_ms()
        if now_ms - self._logged_ms >= LOG_EVERY_MS:
            self._logged_ms = now_ms
            log.error("open files run out (limit %d): %d idle connections are closed", self.limit, len(chosen))
        return bool(chosen)
