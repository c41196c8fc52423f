"""The database of several nodes, which delays, loses answers and is down at times, and a club's log on it.

The content is a real database in memory (`Disk`). A commit is one statement. Whenever the statement arrives, it writes
if the club's epoch is the log's, and if the club's last fact is the fact before the batch.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from rumble_server.store.log.batch import Batch

from tests.server.nodes.table import Table
from tests.server.nodes.virtual_node import Way, Weather
from tests.server.run_clock import RunClock
from tests.server.virtual_clock import VirtualClock
from tests.simulation.disk import Disk, DiskLog

CLUB = "main"


class Postgres(Way):
    """The way to the database, and its content."""

    def __init__(self, timeline: VirtualClock, table: Table, disk: Disk, weather: Weather, random: Random) -> None:
        super().__init__(timeline, weather, random)
        self.table, self.disk = table, disk

    def commit(self, epoch: int, before: int, batch: Batch) -> bool:
        """Write a batch, unless another epoch leads the club or the batch is already written."""
        row = self.table.clubs[CLUB]
        if (row.epoch, row.last) != (epoch, before):
            return False
        self.disk.write(batch)
        row.last = self.disk.written
        return True

    def read(self) -> tuple[int, int]:
        """Return the club's epoch and the number of its last fact."""
        row = self.table.clubs[CLUB]
        return row.epoch, row.last


class ClubLog(DiskLog):
    """The log of a club led under one epoch. After a lost commit, it reads the database before the next commit."""

    def __init__(
        self,
        postgres: Postgres,
        clock: RunClock,
        epoch: int,
        fenced: Callable[[], None],
        is_cut: Callable[[], bool],
    ) -> None:
        super().__init__(postgres.disk, clock, lambda: None)
        self._postgres = postgres
        self._epoch = epoch
        self._fenced = fenced
        self._is_cut = is_cut

    def cut_off(self) -> None:
        """Do nothing: statements on their way may still arrive."""

    def _write(self) -> None:
        self._timer = None
        self._hurried = False
        if self._failed is not None:
            self._writing, self._failed = self._failed, None
            self._ask_for_fate(self._writing)
        elif self._batch.facts:
            self._writing, self._batch = self._batch, Batch()
            self._commit(self._writing, self.durable)

    def _ask_for_fate(self, batch: Batch) -> None:
        self._ask(self._postgres.read, lambda known: self._look_up(batch, known), batch)

    def _commit(self, batch: Batch, before: int) -> None:
        def answered(written: bool) -> None:
            if written:
                self._done(batch)
            else:
                self._ask_for_fate(batch)

        self._ask(lambda: self._postgres.commit(self._epoch, before, batch), answered, batch)

    def _look_up(self, batch: Batch, known: tuple[int, int]) -> None:
        epoch, last = known
        if epoch != self._epoch:
            self._fenced()
        elif last == batch.facts[-1][0]:
            self._done(batch)
        else:
            self._commit(batch, self.durable)

    def _ask(self, statement: Callable[[], Any], answered: Callable[[Any], None], batch: Batch) -> None:
        enter = self._clock.enter
        self._postgres.ask(
            statement,
            lambda answer: enter(lambda: answered(answer)),
            lambda: enter(lambda: self._fail(batch, "the database does not answer")),
            self._is_cut,
        )
