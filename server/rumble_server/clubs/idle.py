"""Idle clubs, which are empty and have had no request for long. `ClubRegistry` takes idle clubs out of memory."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MOST_IDLE = 256
"""Maximum number of empty clubs in memory. Beyond the maximum, the longest empty club is unloaded."""


class Idle:
    """The empty clubs, each with the time of its first look without use since. After `idle_ms` the club is idle."""

    def __init__(self, idle_ms: int, most: int = MOST_IDLE) -> None:
        """Keep at most `most` empty clubs."""
        self._idle_ms = idle_ms
        self._most = most
        self.since_ms: dict[str, int] = {}
        """Times in ms at which clubs were first seen empty, by club. A club that is used again is left out."""
        self.visits: Counter[str] = Counter()
        """Numbers of current visits, by club."""

    def use(self, club: str) -> None:
        """Note that a club is used."""
        self.since_ms.pop(club, None)

    @contextmanager
    def visit(self, club: str) -> Iterator[None]:
        """Keep a club in use during the context, such as while a request is answered."""
        self.visits[club] += 1
        self.use(club)
        try:
            yield
        finally:
            self.use(club)
            self.visits[club] -= 1
            if not self.visits[club]:
                del self.visits[club]

    def is_used(self, club: str) -> bool:
        """Return whether a club has not been seen empty since its last use."""
        return club not in self.since_ms

    def look(self, empty: Iterable[str], now_ms: int) -> list[str]:
        """Return the clubs to take out of memory: idle clubs, and beyond the maximum the clubs empty for longest.

        A club is returned only if it is empty at two looks in a row, however late the looks are. So a caller that has
        just asked for the club can enter between the looks.
        """
        since_ms = {club: self.since_ms.get(club, now_ms) for club in empty if club not in self.visits}
        seen_twice = sorted((at_ms, club) for club, at_ms in since_ms.items() if club in self.since_ms)
        beyond = max(0, len(since_ms) - self._most)
        self.since_ms = since_ms
        return [
            club for place, (at_ms, club) in enumerate(seen_twice) if place < beyond or now_ms - at_ms >= self._idle_ms
        ]
