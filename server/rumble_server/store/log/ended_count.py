"""The count of ended tournaments by status. Ends of earlier runs are counted once on disk, ends of this run in play."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.rows import Counted
from rumble_server.tournament.facts import TournamentEnded


class EndedCount:
    """The count of ended tournaments. `count` gets the facts of this run, as soon as they are on disk.

    `add` gets the count of the whole database, whenever this count is ready.
    """

    def __init__(self) -> None:
        self._new: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        """Number and status of each end of this run, by club. The count of the database may include such ends."""
        self._counts: Counter[str] = Counter()
        self._counted: Mapping[str, Counted] | None = None

    def count(self, club: str, batch: Iterable[Numbered]) -> None:
        """Count the ends of tournaments among numbered facts of a club that are on disk."""
        self._new[club] += [(number, fact.status) for number, fact in batch if type(fact) is TournamentEnded]
        if self._counted is not None:
            self._settle(self._counted)

    def add(self, counted: Mapping[str, Counted]) -> None:
        """Add the counts of `LogReader.ended_by_club`, and drop the ends of this run that the counts include."""
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
