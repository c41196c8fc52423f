"""The use of resources (names of bots, and bytes) by clubs in which nothing runs. The database has the values."""

import time
from collections.abc import Iterable

from rumble_server.arena.state.names_and_keys import Names
from rumble_server.limits.quotas import Quotas
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.club_facts import NameFact
from rumble_server.web.site import ClubUse


class StoredUses:
    """The use of resources by each club when the club was last read. Only a single thread may use the object."""

    def __init__(self) -> None:
        self._last_read: dict[str, tuple[int, ClubUse]] = {}
        """For each club, the size of its facts in bytes and its use of resources, as last read.

        A new size shows that the club has new facts.
        """

    def read(self, reader: LogReader, clubs: Iterable[str], *, until_s: float) -> dict[str, ClubUse]:
        """Return the use of resources by these clubs, or by the clubs read before `until_s`. Raises StoreError.

        `until_s` is a time of `time.monotonic`. The next call reads the remaining clubs.
        """
        found = {}
        for club in clubs:
            if time.monotonic() > until_s:
                break
            found[club] = self._use_of(reader.of(club), club)
        return found

    def _use_of(self, reader: LogReader, club: str) -> ClubUse:
        size = reader.bytes()
        last_read = self._last_read.get(club)
        if last_read is None or last_read[0] != size:
            names = Names()
            for fact in reader.club_facts()[0]:
                if isinstance(fact, NameFact):
                    names.apply(fact)
            used = Quotas(bots=names.of_bots, tournaments=0, bytes=size, matches=0, house_bots=0)
            last_read = self._last_read[club] = size, ClubUse(used=used)
        return last_read[1]
