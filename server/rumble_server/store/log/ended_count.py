"""The count of ended tournaments by status: from earlier runs, counted once on disk, and from this run."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.rows import Counted
from rumble_server.tournament.facts import TournamentEnded


class EndedCount:
    """The count. `take` gets facts as they are on disk; `add` gets the count of the whole database, whenever ready."""

    def __init__(self) -> None:
        self._new: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        """Numbers and statuses of newly ended tournaments by club, which the count of the database may include, too."""
        self._counts: Counter[str] = Counter()
        self._counted: Mapping[str, Counted] | None = None

    def count(self, club: str, batch: Iterable[Numbered]) -> None:
        """Take the facts of a club that are on disk, with their numbers."""
        self._new[club] += [(number, fact.status) for number, fact in batch if type(fact) is TournamentEnded]
        if self._counted is not None:
            self._settle(self._counted)

    def add(self, counted: Mapping[str, Counted]) -> None:
        """Add the counts of `LogReader.ended_by_club`, and drop new ends that these counts include."""
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
        """Return the known number of ended tournaments, by status."""
        return self._counts + Counter(status for ended in self._new.values() for _, status in ended)
