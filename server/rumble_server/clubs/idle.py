"""Idle clubs, which have long been empty and without a request. `ClubRegistry` unloads idle clubs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MOST_IDLE = 256
"""Maximum number of empty clubs in memory. Beyond the maximum, the clubs that have been empty longest are unloaded."""


class EmptyClubs:
    """The empty clubs, each with the time at which the club was first seen empty."""

    def __init__(self, idle_ms: int) -> None:
        """Make the record without clubs. A club is idle after it was empty for `idle_ms`."""
        self._idle_ms = idle_ms
        self.since_ms: dict[str, int] = {}
        """Time in ms at which each empty club was first seen empty. Clubs in use are left out."""
        self.visits: Counter[str] = Counter()
        """Number of `keep_loaded` blocks that are running now, by club."""

    def touch(self, club: str) -> None:
        """Record that a club is being used."""
        self.since_ms.pop(club, None)

    @contextmanager
    def keep_loaded(self, club: str) -> Iterator[None]:
        """Keep a club in use during a `with` block, for example while a request is answered."""
        self.visits[club] += 1
        self.touch(club)
        try:
            yield
        finally:
            self.touch(club)
            self.visits[club] -= 1
            if not self.visits[club]:
                del self.visits[club]

    def find_unloadable(self, empty: Iterable[str], now_ms: int) -> list[str]:
        """Return the clubs to unload: the idle clubs.

        If too many clubs are empty, the clubs that have been empty longest are returned, too. A club is returned only
        if the club was already empty at the previous call. So a caller that has just asked for an empty club has time
        to enter the club.
        """
        since_ms = {club: self.since_ms.get(club, now_ms) for club in empty if club not in self.visits}
        seen_twice = sorted((at_ms, club) for club, at_ms in since_ms.items() if club in self.since_ms)
        beyond = max(0, len(since_ms) - MOST_IDLE)
        self.since_ms = since_ms
        return [
            club for index, (at_ms, club) in enumerate(seen_twice) if index < beyond or now_ms - at_ms >= self._idle_ms
        ]
