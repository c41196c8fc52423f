"""The file descriptors of the process: raising their limit, and ending idle connections before descriptors run out.

A new socket gets the lowest free number as its descriptor. The number therefore shows roughly how many descriptors are
in use, without a system call.
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
"""Number of descriptors kept free for files, pipes and new connections, at most an eighth of the limit."""
LOG_EVERY_MS = 60_000
ENDLESS = 1 << 20
"""The limit of open descriptors that is assumed on a system without a limit."""


class Idleness(IntEnum):
    """Degrees of idleness of a connection. Connections with lower values are ended (shed) first."""

    STRANGER = 0
    """A connection on which no bot has logged in, and no HTTP request was completed."""
    BETWEEN_REQUESTS = 1
    """A connection whose last HTTP request was answered, and on which no new request has begun."""
    PLAYS_NOTHING = 2
    """A connection whose bot is in no match."""


class Sheddable(Protocol):
    """A connection that may be ended (shed) to free its descriptor."""

    @property
    def address(self) -> str:
        """The address of the peer. The number of connections of an address is limited."""

    @property
    def idleness(self) -> Idleness | None:
        """Degree of idleness; None if the connection must not be shed now."""

    opened_ms: int
    """Time at which the connection began, in ms of server time."""

    def abort(self) -> None:
        """End the connection at once."""


def raise_limit() -> int:
    """Raise the limit of open descriptors as far as the system allows, and return the new limit."""
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
    """A guard that sheds idle connections when few descriptors are left.

    `limit` is the maximum number of open descriptors.
    """

    def __init__(self, limit: int, refusals: Refusals, now_ms: Callable[[], int]) -> None:
        self._spare = min(SPARE, limit // 8)
        self.limit = limit
        self._refusals = refusals
        self._now_ms = now_ms
        self._logged_ms = float("-inf")

    def make_place(self, new: Sheddable, descriptor: int, connections: Collection[Sheddable]) -> bool:
        """Return true if the connection `new`, with the given descriptor, may stay.

        If few descriptors are left, shed the most idle of `connections`, or return false if none of them is idle.
        """
        if descriptor < self.limit - self._spare:
            return True
        ranked = [(each.idleness, each.opened_ms, each) for each in connections if each is not new]
        idle = [(idleness, opened_ms, each) for idleness, opened_ms, each in ranked if idleness is not None]
        chosen = [each for _, _, each in heapq.nsmallest(max(1, self._spare // 2), idle, key=lambda one: one[:2])]
        for each in chosen:
            self._refusals.count("descriptors", each.address)
            each.abort()
        now_ms = self._now_ms()
        if now_ms - self._logged_ms >= LOG_EVERY_MS:
            self._logged_ms = now_ms
            log.error("open files run out (limit %d): %d idle connections are closed", self.limit, len(chosen))
        return bool(chosen)
