"""Reading a club's log without blocking the event loop, for the web and for bots.

Answers about a tournament or a match are made from facts in a separate process (`store/log/rebuilt_tournaments.py`).
Lists and answers to bots are made from records (`EndedTournament`) on a thread. A tournament whose record is damaged
appears as damaged in lists. Its own pages still work, because they are made from facts.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from rumble_server.host.fair_queue import FairQueue
from rumble_server.host.last_used import LastUsed
from rumble_server.host.side_process import SideProcess
from rumble_server.limits.bounds import Bounds
from rumble_server.match.match_id import Neighbours
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log.reader import LogReader
from rumble_server.store.log.rebuilt_tournaments import make_of_match, make_of_tournament, open_rebuilt
from rumble_server.tournament.ended import DamagedTournament, EndedTournament, Outline
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.versions import StoredVersion

log = logging.getLogger(__name__)

MOST_UNLISTED = 500
"""Maximum number of unlisted tournaments, challenges included, that are read for a list."""
FIND_S = 1.0
"""Maximum time in s to read a tournament's record for a bot. After this time the reading counts as failed."""
LINE_BYTES = 200
"""Estimated memory in bytes of one line of standings in a record. The rest of the record counts as one more line."""

Args = TypeVarTuple("Args")
Read = TypeVar("Read")
T = TypeVar("T")


class ReadWorkers:
    """The thread and the process that read the logs of all clubs, and a cache of records."""

    def __init__(self, open_reader: Callable[[], LogReader], bounds: Bounds) -> None:
        """Open a reader for the thread, and prepare the thread and the process. Raises StoreError.

        `open_reader` must be picklable, because the process opens its own reader.
        """
        self.reader = open_reader()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="reader")
        self.process = SideProcess(open_rebuilt, open_reader, bounds.rebuilt_results)
        self.queue = FairQueue()
        """Queue of the callers that wait for the reading process."""
        self.records: LastUsed[tuple[str, str], EndedTournament] = LastUsed(bounds.kept_answer_bytes)
        """The records used last, by club and tournament id. Only the reading thread may use the records."""

    async def close(self) -> None:
        """Finish the current reads, cancel the waiting reads, and close the connections."""
        await self.process.close()
        self.thread.shutdown(cancel_futures=True)
        self.reader.close()


class AsyncReader:
    """An asynchronous reader of one club's facts and records on disk.

    After an error, methods raise StoreError. Only `ended` and `find_ended` give None instead.

    Functions passed as `make` run in another process. Therefore they must be functions of a module, not closures or
    methods, and their arguments and results must be picklable.
    """

    def __init__(self, workers: ReadWorkers, club: str) -> None:
        self._workers = workers
        self._club = club
        self._reader = workers.reader.of(club)
        self._damaged: dict[str, str] = {}
        self._damaged_at_start: list[str] = []

    def register_damaged(self, problems: Mapping[str, Exception]) -> None:
        """Register open tournaments that could not be rebuilt at the start; lists show these tournaments as damaged.

        `problems` has the error of each tournament, by tournament id.
        """
        for tournament_id, error in problems.items():
            self._damage(tournament_id, error)
        self._damaged_at_start = list(problems)

    def _damage(self, tournament_id: str, error: Exception) -> None:
        self._damaged[tournament_id] = str(error) if isinstance(error, DamagedLog) else f"bad facts: {error!r}"
        log.error("tournament %s cannot be read: %s", tournament_id, self._damaged[tournament_id])

    # --- in the process ---

    async def of_tournament(self, tournament_id: str, make: Callable[[Rebuilt, *Args], T], *args: *Args) -> T | None:
        """Rebuild a tournament from the log, and return the result of `make` for it; None for an unknown tournament.

        Raises DamagedLog for a damaged tournament. Later calls raise the error again, and do not read the log.
        """
        if tournament_id in self._damaged:
            raise DamagedLog(self._damaged[tournament_id])
        try:
            return await self.run(make_of_tournament, self._club, tournament_id, make, args)
        except DamagedLog as error:
            if tournament_id not in self._damaged:
                self._damage(tournament_id, error)
            raise

    async def of_match(self, match_id: str, make: Callable[[Sequence[LogFact], *Args], T], *args: *Args) -> T:
        """Read the facts of all attempts of a match, in order, and return the result of `make` for them.

        For a match that has not begun, `make` gets an empty list.
        """
        return await self.run(make_of_match, self._club, match_id, make, args)

    async def run(self, make: Callable[[*Args], T], *args: *Args) -> T:
        """Run `make` with the arguments `args` in the reading process, and return the result."""
        # A request may have to wait for the event loop's time. With a task of its own, the work does not wait with the
        # request, while the process stands idle and other requests wait for the process.
        began = asyncio.Event()
        task = asyncio.create_task(self._in_process(began, make, *args))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # asyncio logs no error as forgotten
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not began.is_set():  # otherwise the process works on: the asker is charged, and nobody else is served
                task.cancel()
            raise

    async def _in_process(self, began: asyncio.Event, make: Callable[[*Args], T], *args: *Args) -> T:
        try:
            async with self._workers.queue.service():
                began.set()
                return await self._workers.process.run(make, *args)
        except BrokenExecutor as error:
            raise StoreError(f"the process that reads it died: {error}") from None

    # --- records ---

    async def ended(self, tournament_id: str) -> EndedTournament | None:
        """Return the record of a tournament; None if the tournament is unknown, unreadable or not over."""
        try:
            return (await self._on_thread(self._records, [tournament_id])).get(tournament_id)
        except StoreError as error:
            log.error("tournament %s cannot be read now: %s", tournament_id, error)
            return None

    async def listed(self, limit: int) -> Sequence[Outline]:
        """Return outlines of listed tournaments: first damaged tournaments, then the newest ended tournaments.

        The damaged tournaments are the open tournaments that could not be rebuilt at the start. Of the ended
        tournaments, the `limit` newest are returned, newest first.
        """
        return await self._on_thread(self._listed, limit)

    async def ended_with(self, bot: str, limit: int) -> list[EndedTournament]:
        """Return the records of tournaments with a bot, newest first.

        Only the `limit` newest ended tournaments are looked at.
        """
        return await self._on_thread(self._ended_with, bot, limit)

    async def versions(self, bot: str) -> list[StoredVersion]:
        """Return the stored versions of a bot, oldest first. Damaged versions are left out."""
        return await self._on_thread(self._reader.versions, bot)

    async def neighbours(self, match_id: str) -> Neighbours:
        """Return the previous match, the next match and the other leg of a match, as far as they have begun."""
        return await self._on_thread(self._reader.neighbours, match_id)

    def find_ended(self, tournament_id: str, done: Callable[[EndedTournament | None], None]) -> None:
        """Begin to read the record of a tournament, and return at once. `done` is called later, on the event loop.

        `done` gets the record. If the tournament has no readable record, an error happens, or the record is not read
        within `FIND_S`, `done` gets None.
        """

        async def find() -> None:
            found = None
            try:
                async with asyncio.timeout(FIND_S):
                    found = await self.ended(tournament_id)
            except TimeoutError:
                log.warning("tournament %s was not read within %g s", tournament_id, FIND_S)
            except Exception:
                log.exception("tournament %s cannot be read", tournament_id)
            done(found)

        asyncio.get_running_loop().create_task(find())

    async def unlisted(self) -> Sequence[EndedTournament]:
        """Return the records of unlisted tournaments that are over, newest first, without challenges.

        Only the `MOST_UNLISTED` newest unlisted tournaments, challenges included, are looked at.
        """
        return await self._on_thread(self._unlisted)

    def _on_thread(self, read: Callable[[*Args], Read], *args: *Args) -> "asyncio.Future[Read]":
        return asyncio.get_running_loop().run_in_executor(self._workers.thread, read, *args)

    # --- on the thread ---

    def _listed(self, limit: int) -> list[Outline]:
        ids = self._reader.ended_ids(limit, listed=True)
        records = self._records(ids)
        aside = [self._unreadable(each, over=False) for each in self._reader.only_listed(self._damaged_at_start)]
        return aside + [records.get(each) or self._unreadable(each, over=True) for each in ids]

    def _ended_with(self, bot: str, limit: int) -> list[EndedTournament]:
        ids = self._reader.ended_ids(limit)
        records = self._records(ids)
        return [records[each] for each in ids if each in records and records[each].result_of(bot) is not None]

    def _unlisted(self) -> list[EndedTournament]:
        records = self._records(self._reader.ended_ids(MOST_UNLISTED, listed=False))
        return [each for each in records.values() if not each.is_challenge]

    def _unreadable(self, tournament_id: str, *, over: bool) -> Outline:
        try:
            return DamagedTournament.of(tournament_id, self._reader.first_facts(tournament_id), over=over)
        except DamagedLog:
            return DamagedTournament.of(tournament_id, over=over)

    def _records(self, tournament_ids: Sequence[str]) -> dict[str, EndedTournament]:
        """Return the records of these tournaments, by id. Missing and damaged records are left out."""
        cached = ((each, self._workers.records.get((self._club, each))) for each in tournament_ids)
        records = {each: ended for each, ended in cached if ended is not None}
        read = self._reader.ended([each for each in tournament_ids if each not in records])
        for each, ended in read.items():
            self._workers.records.put((self._club, each), ended, LINE_BYTES * (len(ended.lines) + 1))
        return records | read
