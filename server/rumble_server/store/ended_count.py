"""How many tournaments are over, by status: those that earlier runs left, counted once, and those that end now."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rumble_server.store.codec import Numbered
from rumble_server.store.rows import Counted
from rumble_server.tournament.facts import TournamentEnded


class EndedCount:
    """The count. `take` what gets on disk; `add` what was there, whenever that has been counted."""

    def __init__(self) -> None:
        self._new: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        """By club: the number and the status of those that ended and may have been counted, too."""
        self._counts: Counter[str] = Counter()
        self._counted: Mapping[str, Counted] | None = None

    def take(self, club: str, batch: Iterable[Numbered]) -> None:
        """Take facts of a club that are on disk, with their numbers."""
        self._new[club] += [(number, fact.status) for number, fact in batch if type(fact) is TournamentEnded]
        if self._counted is not None:
            self._settle(self._counted)

    def add(self, counted: Mapping[str, Counted]) -> None:
        """Take what `LogReader.ended_by_club` found, and drop what it has counted, too."""
        self._counted = counted
        for _, counts in counted.values():
            self._counts += counts
        self._settle(counted)

    def _settle(self, counted: Mapping[str, Counted]) -> None:
        for club, ended in self._new.items():
            last = counted[club][0] if club in counted else 0
            self._counts += Counter(status for number, status in ended if number > last)
        self._new.clear()

    def by_status(self) -> Counter[str]:
        """Return how many are known to be over, by status."""
        return self._counts + Counter(status for ended in self._new.values() for _, status in ended)
