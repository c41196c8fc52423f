"""The facts of `main` about clubs and bans, on a node that does not lead `main`.

Facts of `main` create, change and remove clubs, so each node has to read them. If `main` is loaded here,
`ClubRegistry` gets the facts from its log. Otherwise the node reads the facts from the database once a second.
"""

import logging
from collections import Counter

from rumble_protocol.clubs import MAIN

from rumble_server.arena.recorder import apply_ban
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.store.errors import StoreError
from rumble_server.tournament.club_facts import BanLifted, Banned, DirectoryFact

log = logging.getLogger(__name__)


class MainReader:
    """The reader of new facts of `main` while another node leads `main`."""

    def __init__(self, clubs: ClubRegistry) -> None:
        self._clubs = clubs
        self._applied = 0
        """Number of the newest fact of `main` that the loaded clubs have applied."""
        self.is_stale = True
        """True if all facts have to be applied again: at the start, and after `main` was loaded here."""
        self._logged_error = ""
        """The error of the newest reading, which is logged once; empty if the reading succeeded."""

    async def read_or_warn(self) -> None:
        """Read and apply new facts (see `read`). Log an error of the database as a warning."""
        try:
            await self.read()
            self._logged_error = ""
        except StoreError as error:
            if str(error) != self._logged_error:
                self._logged_error = str(error)
                log.warning("main cannot be followed: %s", error)

    async def read(self) -> None:
        """Read and apply new facts of `main` about clubs and bans. If `main` is loaded here, read nothing.

        After `main` was loaded here, apply all facts again: facts that were not on disk are lost. Raises StoreError.
        """
        clubs, main = self._clubs, self._clubs.get_loaded(MAIN)
        if main is not None:
            self._applied = main.log.durable
            return
        applied = self._applied
        first = 0 if self.is_stale else applied
        facts, _ = await clubs.reading.run(lambda: clubs.reading.reader().of(MAIN).club_facts_after(first))
        if clubs.get_loaded(MAIN) is not None or (self.is_stale and (first or applied != self._applied)):
            return  # main was loaded here during the reading
        news = [(number, fact) for number, fact in facts if number > self._applied]
        if self.is_stale:
            clubs.shared.forget_main()
        for _, fact in facts if self.is_stale else news:
            if isinstance(fact, Banned | BanLifted):
                apply_ban(clubs.shared.admission.bans, fact)
            elif isinstance(fact, DirectoryFact):
                clubs.directory.apply(fact)
        self.is_stale = False
        self._applied = max([self._applied, *(number for number, _ in news)])
        clubs.apply_main_facts(news, Counter([type(fact) for _, fact in news]))
