"""Group commit: the facts of all clubs of a server are gathered, and written together in one commit.

A commit begins within `BATCH_S` after a fact, or within `HURRIED_S` if a caller waits for the fact. While a commit is
written, new facts gather for the next commit. If a commit fails, it may be on disk nevertheless. Therefore the same
commit is tried again before any other commit.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from rumble_server.host.histogram import Histogram
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.content import lead_id, sizes_of
from rumble_server.store.log.process import WriterProcess

log = logging.getLogger(__name__)

BATCH_S = 0.006
"""Time in s from the first fact of a commit to the beginning of the commit, if no caller waits for the fact."""
HURRIED_S = 0.003
"""Time in s from the start of a caller's wait to the start of the commit. Meanwhile, more facts gather."""
RETRY_S = 1.0
"""Time in s between a failed write and its repetition."""
CHECK_S = 0.5
"""Time in s between two checks of the database."""
STUCK_S = 5.0
"""Time in s after which an unfinished commit counts as stuck, and is reported as trouble of the database."""


class GroupCommit:
    """The writer of the logs of all clubs. `attach` it to the running event loop, and `close` it at the end."""

    def __init__(self, writer: WriterProcess, find_problem: Callable[[], str | None]) -> None:
        """`find_problem` is called every `CHECK_S`. It returns a line about a problem of the database, or None."""
        self.writer = writer
        self.logs: dict[str, ClubLog] = {}
        """Open logs by club."""
        self.commits = Histogram()
        """Histogram of the durations of successful commits, in s."""
        self.trouble: str | None = None
        """Reason why writing fails at present; None while writing works."""
        self._find_problem = find_problem
        self._found_problem: str | None = None
        """Problem found by the last check of the database; None without a problem."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting_logs: dict[str, ClubLog] = {}
        """Logs with facts for the next commit, by club."""
        self._taken: list[tuple[ClubLog, Batch]] = []
        """Logs and batches of the commit that is being written, or has failed and is to be repeated."""
        self._writing: asyncio.Task[list[Counter[str] | None]] | None = None
        self._timer: asyncio.Handle | None = None
        self._next_check: asyncio.Handle | None = None
        self._is_hurried = False
        """True if a caller waits for the next new commit."""
        self._began_s = 0.0

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write facts to the database. The writing runs on this event loop."""
        self._loop = loop
        self._check_database()
        if self._waiting_logs:
            self._timer = loop.call_soon(self.write)

    def enqueue(self, club_log: ClubLog) -> None:
        other = self._waiting_logs.get(club_log.club, club_log)
        if club_log.is_fenced or club_log.epoch < other.epoch:
            club_log.fence()
            return
        if other is not club_log:
            other.fence()
        self._waiting_logs[club_log.club] = club_log
        self._schedule_write()

    def flush_soon(self) -> None:
        if not self._is_hurried:
            self._is_hurried = True
            if not self._taken:  # a failed commit, which stays in `_taken`, is repeated no sooner
                self._write_in(HURRIED_S)

    @property
    def waiting_facts(self) -> int:
        """Number of facts that are not on disk yet."""
        batches = [*(batch for _, batch in self._taken), *(each.batch for each in self._waiting_logs.values())]
        return sum(len(batch.facts) for batch in batches)

    async def wait_all(self) -> None:
        """Wait until all facts are on disk, or until writing has failed. A commit that seems stuck is waited for."""
        while self._writing is not None or (self._waiting_logs and self.trouble is None):
            self.write()
            if self._writing is not None:
                await asyncio.wait([self._writing])
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Write all facts that still wait, and end the writer."""
        await self.wait_all()
        self._loop = None
        for timer in (self._timer, self._next_check):
            if timer is not None:
                timer.cancel()
        await self.writer.close()
        if self.waiting_facts:
            log.error("facts that could not be written are lost: %d", self.waiting_facts)

    def _write_in(self, delay_s: float) -> None:
        """Begin the next commit after `delay_s`. A commit planned by an earlier call is cancelled."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if self._loop is None else self._loop.call_later(delay_s, self.write)

    def write(self) -> None:
        """Begin the next commit now, unless a commit is being written."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._loop is None or self._writing is not None:
            return
        again = bool(self._taken)
        if not again:
            self._is_hurried = False
            self._taken = [(each, each.take_batch()) for each in self._waiting_logs.values() if not each.is_fenced]
            self._waiting_logs.clear()
        if self._taken:
            self._began_s = perf_counter()
            self._writing = self._loop.create_task(self._commit(again))
            self._writing.add_done_callback(self._written)

    async def _commit(self, again: bool) -> list[Counter[str] | None]:
        """Write a commit. Return the sizes of each batch's rows; None for a club that another server leads."""
        contents = [batch.content(each.club, each.durable, each.epoch) for each, batch in self._taken]
        fenced = await self.writer.write(contents, again=again)
        return [None if lead_id(each) in fenced else sizes_of(each) for each in contents]

    def _written(self, written: "asyncio.Task[list[Counter[str] | None]]") -> None:
        self._writing = None
        error = written.exception()
        if error is not None:
            self._write_in(RETRY_S)
            self._report(str(error) or type(error).__name__)
            return
        self.commits.observe(perf_counter() - self._began_s)
        taken, self._taken = self._taken, []
        for (each, batch), sizes in zip(taken, written.result(), strict=True):
            if sizes is None:
                each.fence()
            else:
                each.on_written(batch, sizes)
        self._report(self._found_problem)
        self._schedule_write()

    def _schedule_write(self) -> None:
        if self._waiting_logs and self._timer is None and self._writing is None:
            self._write_in(HURRIED_S if self._is_hurried else BATCH_S)

    def _check_database(self) -> None:
        """Check the database now and every `CHECK_S`, and report a commit that takes longer than `STUCK_S`.

        While no commit is written, only this check shows problems of the database.
        """
        if self._loop is None:
            return
        # first, so that an error ends no later check
        self._next_check = self._loop.call_later(CHECK_S, self._check_database)
        self._found_problem = self._find_problem()
        if self._writing is not None:
            if perf_counter() - self._began_s > STUCK_S:
                self._report(f"it has not answered for {STUCK_S:g} s")
        elif not self._taken:
            self._report(self._found_problem)

    def _report(self, trouble: str | None) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble is None:
            log.warning("the database can be written again")
        else:
            log.error("the database cannot be written: %s", trouble)
        for each in list(self.logs.values()):
            each.report_trouble(trouble)
