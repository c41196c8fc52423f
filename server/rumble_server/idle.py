"""Which clubs are idle: nobody is in them, and nobody has asked for them for long."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MOST_IDLE = 256
"""Maximum number of clubs in memory in which nothing runs; beyond it the one that was used longest ago goes."""


class Idle:
    """Clubs by how long nobody has used them. A club is idle after `idle_ms`."""

    def __init__(self, idle_ms: int, most: int = MOST_IDLE) -> None:
        """`most` is the maximum number of empty clubs that are kept."""
        self._idle_ms = idle_ms
        self._most = most
        self.since_ms: dict[str, int] = {}
        """When each club was first seen empty, of those that nobody has used since."""
        self.visits: Counter[str] = Counter()
        """The number of visits that go on, by club."""

    def use(self, club: str) -> None:
        """Somebody asks for a club."""
        self.since_ms.pop(club, None)

    @contextmanager
    def visit(self, club: str) -> Iterator[None]:
        """Somebody uses a club for a while."""
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
        """Whether a club was not seen empty since somebody asked for it last."""
        return club not in self.since_ms

    def look(self, empty: Iterable[str], now_ms: int) -> list[str]:
        """Return those of the `empty` clubs that are idle, and those empty for longest beyond the number that is kept.

        One has to be seen empty at two looks, however late these are: who asks for a club enters it between them.
        """
        since_ms = {club: self.since_ms.get(club, now_ms) for club in empty if club not in self.visits}
        seen_twice = sorted((at_ms, club) for club, at_ms in since_ms.items() if club in self.since_ms)
        beyond = max(0, len(since_ms) - self._most)
        self.since_ms = since_ms
        return [
            club for place, (at_ms, club) in enumerate(seen_twice) if place < beyond or now_ms - at_ms >= self._idle_ms
        ]
