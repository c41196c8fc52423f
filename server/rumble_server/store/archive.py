"""The tournaments that are over, read from the log on a thread of its own: nothing of this runs on the event loop.

Bots and lists are answered from records (`EndedTournament`). A database of an earlier version has none: the record is
then made from a rebuilt tournament when it is asked for first, and filed in the log.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.reader import LogReader
from rumble_server.tournament.ended import DamagedTournament, EndedTournament, Outline
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import OVER, Tournament

log = logging.getLogger(__name__)

MOST_LINES = 200_000
"""Maximum number of lines of records kept in memory, some 40 MB; beyond it the record that was read first goes."""

Given = TypeVarTuple("Given")
Read = TypeVar("Read")


class Archive:
    """The web's `Archive`. `file` is called on the archive's thread with each record that was missing."""

    def __init__(self, path: str, file: Callable[[EndedTournament], object]) -> None:
        self._reader = LogReader(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._file = file
        self._damaged: dict[str, str] = {}
        self._set_aside: list[str] = []
        self._kept: dict[str, EndedTournament] = {}
        self._kept_lines = 0

    def close(self) -> None:
        """Close the connection after the read that goes on now; reads that wait are cancelled."""
        self._thread.shutdown(cancel_futures=True)
        self._reader.close()

    def set_aside(self, problems: Mapping[str, Exception]) -> None:
        """List tournaments, not over, that could not be rebuilt at the start, for these reasons by their ids."""
        for tournament_id, error in problems.items():
            self._damage(tournament_id, error)
        self._set_aside = list(problems)

    # --- on the event loop ---

    async def tournament(self, tournament_id: str) -> Tournament | None:
        return await self._on_thread(self._rebuild, tournament_id)

    async def tournament_facts(self, tournament_id: str) -> Sequence[LogFact]:
        return await self._on_thread(self._reader.tournament_facts, tournament_id)

    async def match_facts(self, match_id: str) -> Sequence[LogFact]:
        return await self._on_thread(self._reader.match_facts, match_id)

    async def ended(self, tournament_id: str) -> EndedTournament | None:
        return await self._on_thread(self._ended, tournament_id)

    async def listed(self, limit: int) -> Sequence[Outline]:
        return await self._on_thread(self._listed, limit)

    def find_ended(self, tournament_id: str, done: Callable[[EndedTournament | None], None]) -> None:
        """Call back on the running loop with what `ended` gives."""
        found = self._on_thread(self._ended, tournament_id)
        found.add_done_callback(lambda found: done(None if found.cancelled() else found.result()))

    def _on_thread(self, read: Callable[[*Given], Read], *given: *Given) -> "asyncio.Future[Read]":
        return asyncio.get_running_loop().run_in_executor(self._thread, read, *given)

    # --- on the archive's thread ---

    def _rebuild(self, tournament_id: str) -> Tournament | None:
        return self._once(tournament_id, lambda: rebuild_tournament(self._reader.tournament_facts(tournament_id)))

    def _once(self, tournament_id: str, make: Callable[[], Read]) -> Read:
        """Make something of a tournament. Raises StoreError; where it is damaged, without trying again."""
        if tournament_id in self._damaged:
            raise DamagedLog(self._damaged[tournament_id])
        try:
            return make()
        except Exception as error:  # facts that contradict each other raise anything
            if isinstance(error, StoreError) and not isinstance(error, DamagedLog):
                raise
            raise DamagedLog(self._damage(tournament_id, error)) from error

    def _damage(self, tournament_id: str, error: Exception) -> str:
        self._damaged[tournament_id] = str(error) if isinstance(error, DamagedLog) else f"bad facts: {error!r}"
        log.error("tournament %s cannot be read: %s", tournament_id, self._damaged[tournament_id])
        return self._damaged[tournament_id]

    def _ended(self, tournament_id: str) -> EndedTournament | None:
        try:
            found = self._kept.get(tournament_id) or self._reader.ended([tournament_id]).get(tournament_id)
            if found is None:
                tournament = self._rebuild(tournament_id)
                if tournament is None or tournament.status not in OVER:
                    return None
                ended = tournament
                found = self._once(tournament_id, lambda: EndedTournament.of(ended))
                self._file(found)
        except StoreError as error:
            if tournament_id not in self._damaged:
                log.error("tournament %s cannot be read now: %s", tournament_id, error)
            return None
        self._keep(found)
        return found

    def _listed(self, limit: int) -> list[Outline]:
        ids = self._reader.listed_ids(limit)
        found = {each: self._kept[each] for each in ids if each in self._kept}
        found |= self._reader.ended([each for each in ids if each not in found])
        for ended in found.values():
            self._keep(ended)
        aside = [self._unreadable(each, over=False) for each in self._reader.only_listed(self._set_aside)]
        return aside + [found.get(each) or self._outline(each) for each in ids]

    def _outline(self, tournament_id: str) -> Outline:
        try:
            return Outline.from_facts(self._reader.outline(tournament_id))
        except (DamagedLog, ValueError):  # logged when its record is asked for
            return self._unreadable(tournament_id, over=True)

    def _unreadable(self, tournament_id: str, *, over: bool) -> Outline:
        try:
            return DamagedTournament.of(tournament_id, self._reader.outline(tournament_id), over=over)
        except DamagedLog:
            return DamagedTournament.of(tournament_id, over=over)

    def _keep(self, ended: EndedTournament) -> None:
        if ended.id in self._kept:
            return
        self._kept[ended.id] = ended
        self._kept_lines += len(ended.lines) + 1
        while self._kept_lines > MOST_LINES:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._kept_lines -= len(oldest.lines) + 1
