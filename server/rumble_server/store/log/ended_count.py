"""The count of ended tournaments by status.

Tournaments ended in earlier runs are counted once, by a query. Tournaments ended in this run are counted as they end.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.rows import Counted
from rumble_server.tournament.facts import TournamentEnded


class EndedCount:
    """The count of ended tournaments by status.

    Call `count` with facts of this run as soon as they are on disk, and `add` with the result of the query
    `LogReader.ended_by_club`. The order of these calls does not matter.
    """

    def __init__(self) -> None:
        self._new: list[tuple[str, int, str]] = []
        """Tournament ends of this run that are not in `_counts` yet: the club, the fact number and the status.

        The query `LogReader.ended_by_club` may have counted some of these tournaments, too.
        """
        self._counts: Counter[str] = Counter()
        self._counted: Mapping[str, Counted] | None = None

    def count(self, club: str, batch: Iterable[Numbered]) -> None:
        """Count the tournament ends among facts of a club that are on disk."""
        self._new += [(club, number, fact.status) for number, fact in batch if type(fact) is TournamentEnded]
        self._count_new()

    def add(self, counted: Mapping[str, Counted]) -> None:
        """Add the result of `LogReader.ended_by_club`. Tournament ends that are in the result are not counted twice."""
        self._counted = counted
        for _, counts in counted.values():
            self._counts += counts
        self._count_new()

    def _count_new(self) -> None:
        """Move `_new` to `_counts` once the query is done."""
        if self._counted is not None:
            for club, number, status in self._new:
                if club not in self._counted or number > self._counted[club][0]:
                    self._counts[status] += 1
            self._new.clear()

    def by_status(self) -> Counter[str]:
        """Return the number of ended tournaments known so far, by status."""
        return self._counts + Counter(status for _, _, status in self._new)
