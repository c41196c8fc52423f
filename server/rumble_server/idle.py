"""Which clubs are idle: nobody is in them, and nobody has asked for them for long."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Idle:
    """Clubs by how long nobody has used them. A club is idle after `idle_ms`."""

    def __init__(self, idle_ms: int) -> None:
        self._idle_ms = idle_ms
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
        """Return those of the `empty` clubs that are idle.

        One has to be seen empty at two looks, however late these are: who asks for a club enters it between them.
        """
        since_ms = {club: self.since_ms.get(club, now_ms) for club in empty if club not in self.visits}
        idle = [club for club, at_ms in since_ms.items() if club in self.since_ms and now_ms - at_ms >= self._idle_ms]
        self.since_ms = since_ms
        return idle
