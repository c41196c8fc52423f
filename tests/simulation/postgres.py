"""The database of several nodes: one that delays, loses answers and is gone for a while, and a club's log on it.

What is on it is a real database, in memory (`Disk`). A commit is one statement: whenever it gets there, it writes if
the club's epoch is that of the log and its last fact the one before the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_server.store.batch import Batch

from tests.server.nodes.table import Table
from tests.server.world import VirtualClock
from tests.simulation.disk import GATHER_MS, RETRY_MS, Disk, DiskLog
from tests.simulation.timeline import RunClock

CLUB = "main"
PATIENCE_MS = 500
"""How long a node waits for an answer."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How statements and answers get through, while the world is not calm."""

    delay_ms: int = 2
    lost: float = 0.0
    """The chance that a statement, or an answer, is lost,"""
    late: float = 0.0
    """and that a statement gets there only when nobody waits for it any more."""


class Postgres:
    """The way to the database, and what is on it."""

    def __init__(self, timeline: VirtualClock, table: Table, disk: Disk, weather: Weather, random: Random) -> None:
        self.timeline, self.table, self.disk, self.weather, self.random = timeline, table, disk, weather, random
        self.is_down = False

    def ask(
        self,
        statement: Callable[[], Any],
        answered: Callable[[Any], None],
        failed: Callable[[], None],
        is_cut: Callable[[], bool],
    ) -> None:
        """Run a statement. One of `answered` and `failed` is called in the end, whether it was run or not."""
        waiting = [True]
        weather = self.weather
        there_ms, back_ms = self.random.randint(0, weather.delay_ms), self.random.randint(0, weather.delay_ms)
        if self._lot(weather.late):
            there_ms += self.random.randint(PATIENCE_MS, 8 * PATIENCE_MS)

        def execute() -> None:
            if self.is_down or (there_ms < PATIENCE_MS and is_cut()) or self._lot(weather.lost):
                return
            answer = statement()
            if not self._lot(weather.lost) and not is_cut():
                self._after(back_ms, lambda: end(lambda: answered(answer)))

        def end(call: Callable[[], None]) -> None:
            if waiting.pop() if waiting else False:
                call()

        self._after(there_ms, execute)
        self._after(PATIENCE_MS, lambda: end(failed))

    def commit(self, epoch: int, before: int, batch: Batch) -> bool:
        """Write a batch if nobody else leads the club, and it is not written already."""
        row = self.table.clubs[CLUB]
        if (row.epoch, row.last) != (epoch, before):
            return False
        self.disk.write(batch)
        row.last = self.disk.written
        return True

    def read(self) -> tuple[int, int]:
        """Return the epoch and the number of the last fact."""
        row = self.table.clubs[CLUB]
        return row.epoch, row.last

    def _lot(self, chance: float) -> bool:
        return chance > 0 and self.random.random() < chance

    def _after(self, ms: int, callback: Callable[[], None]) -> None:
        self.timeline.call_at(self.timeline.now_ms() + ms, callback)


class ClubLog(DiskLog):
    """The log of a club that is led under an epoch. The fate of a lost commit is read before the next one."""

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
        """What was sent may get there."""

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
            lambda: enter(lambda: self._lost(batch)),
            self._is_cut,
        )

    def _lost(self, batch: Batch) -> None:
        self._failed, self._writing = batch, None
        self._report("the database does not answer")
        self._write_in(RETRY_MS)
        self._hurried = True

    def _done(self, batch: Batch) -> None:
        self._writing = None
        self._report(None)
        self.durable = batch.facts[-1][0]
        for listener in self.on_durable:
            listener()
        if self._batch.facts and self._timer is None:
            self._write_in(0 if self._hurried else GATHER_MS)
