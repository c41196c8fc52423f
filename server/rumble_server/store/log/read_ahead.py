"""Reading ahead: before a hand-over, the next leader of a club reads the club while the old leader still plays.

After the hand-over, the new leader reads only the facts that are newer. The club therefore pauses only briefly.
"""

import logging
from collections.abc import Iterator

from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import Tournament

log = logging.getLogger(__name__)


class RebuiltAhead:
    """The open tournaments of a club, rebuilt from the facts that the log had when `read` was called."""

    def __init__(self) -> None:
        self.tournaments: dict[str, Tournament] = {}
        self._last: dict[str, int] = {}

    def read(self, reader: LogReader) -> None:
        """Rebuild the tournaments that are not over, and skip tournaments that cannot be read. Raises StoreError."""
        for tournament_id in reader.tournament_ids(over=False):
            try:
                numbered = list(reader.facts_after(tournament_id, 0))
                tournament = rebuild_tournament(fact for _, fact in numbered)
            except Exception as error:  # noqa: BLE001  # the takeover reads the tournament again, and reports the error
                log.debug("tournament %s cannot be read ahead: %s", tournament_id, error)
                continue
            if tournament is not None:
                self.tournaments[tournament_id] = tournament
                self._last[tournament_id] = numbered[-1][0]

    def facts(self, reader: LogReader, tournament_id: str) -> Iterator[LogFact]:
        """Yield the facts of a tournament that are newer than the facts read ahead. Raises StoreError."""
        for _, fact in reader.facts_after(tournament_id, self._last.get(tournament_id, 0)):
            yield fact
