"""How many tournaments of a club are over, by status: those that earlier runs left, and those that end now."""

from collections import Counter
from collections.abc import Iterable

from rumble_server.store.codec import Numbered
from rumble_server.tournament.facts import TournamentEnded


class EndedCount:
    """The count. `take` what gets on disk; `add` what was there, whenever that has been counted."""

    def __init__(self) -> None:
        self._new: list[tuple[int, str]] = []
        self._counts: Counter[str] = Counter()
        self._counted_to = 0

    def take(self, batch: Iterable[Numbered]) -> None:
        """Take facts that are on disk, with their numbers."""
        for number, fact in batch:
            if type(fact) is TournamentEnded:
                self._new.append((number, fact.status))
        if self._counted_to:
            self._settle()

    def add(self, counted_to: int, counts: Counter[str]) -> None:
        """Take what `LogReader.ended_by_status` found, and drop what it has counted, too."""
        self._counted_to = counted_to + 1
        self._counts += counts
        self._settle()

    def _settle(self) -> None:
        self._counts += Counter(status for number, status in self._new if number >= self._counted_to)
        self._new.clear()

    def by_status(self) -> Counter[str]:
        """Return how many are known to be over, by status."""
        return self._counts + Counter(status for _, status in self._new)
