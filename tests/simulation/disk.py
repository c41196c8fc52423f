"""A disk that may be slow, stuck or full, with a log that can be cut off between any two writes.

Tables, rows and recovery are the server's own (`store`); only the file, the thread and the time are simulated.
"""

import sqlite3
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from rumble_server.store.log.batch import Batch
from rumble_server.store.sqlite.rows import SqliteReader
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.writer import write
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

from tests.server.run_clock import RunClock
from tests.server.virtual_clock import Timer

GATHER_MS, HURRIED_MS, RETRY_MS = 5, 2, 1000
"""Times in ms as in `store.group_commit`: gathering of a batch, gathering of a hurried batch, wait after a failure."""


@dataclass(frozen=True, slots=True)
class DiskWeather:
    """Behaviour of the disk: a write takes up to `write_ms`, or with the chance `hang` up to `hang_ms`."""

    write_ms: int = 1
    hang: float = 0.0
    hang_ms: int = 3000
    kill_at_write: float = 0.0
    """Chance that the server is killed right after a write, before it hears of the success."""

    def calm(self) -> "DiskWeather":
        """Return the same disk with nothing wrong."""
        return replace(self, hang=0.0, kill_at_write=0.0)


@dataclass(slots=True, weakref_slot=True)
class Disk:
    """The storage that survives the server: a real database in memory."""

    weather: DiskWeather
    random: Random
    full: bool = False
    written: int = 0
    """Number of the newest fact on the disk."""
    database: sqlite3.Connection = field(default_factory=lambda: open_database(":memory:"))

    def __post_init__(self) -> None:
        weakref.finalize(self, self.database.close)

    @property
    def reader(self) -> SqliteReader:
        """Reader of the log on this disk."""
        return SqliteReader(self.database, "the simulated disk")

    def rows(self) -> list[str]:
        """Return the text of every row of the log."""
        return [str(row[0]) for row in self.database.execute("SELECT facts FROM log ORDER BY number")]

    def write(self, batch: Batch) -> None:
        """Commit a batch."""
        self.written = batch.facts[-1][0]
        write(self.database, [batch.content()], index=self.written % 3 == 0)

    def write_ms(self) -> int:
        """Draw the duration in ms of the next write."""
        longest = self.weather.hang_ms if self.random.random() < self.weather.hang else self.weather.write_ms
        return self.random.randint(0, longest)


class DiskLog:
    """The `Log` of one run of the server: group commit as in `store.group_commit`, on virtual time."""

    def __init__(self, disk: Disk, clock: RunClock, kill: Callable[[], None]) -> None:
        self._disk = disk
        self._clock = clock
        self._kill = kill
        self._batch = Batch()
        self._writing: Batch | None = None
        self._failed: Batch | None = None
        self._timer: Timer | None = None
        self._hurried = False
        self.last = self.durable = disk.written
        self.trouble: str | None = None
        self.on_durable: list[Callable[[], None]] = []
        self.on_trouble: list[Callable[[str | None], None]] = []

    # --- Log ---

    def append(self, fact: LogFact) -> int:
        self.last += 1
        self._batch.facts.append((self.last, fact))
        if self._timer is None and self._writing is None:
            self._write_in(GATHER_MS)
        return self.last

    def add_record(self, ended: EndedTournament) -> None:
        self._batch.add_record(ended)

    def flush_soon(self) -> None:
        if not self._hurried and self._writing is None and self._batch.facts:
            self._hurried = True
            self._write_in(HURRIED_MS)

    # --- writing ---

    def cut_off(self) -> None:
        """Cut the log off at a kill: a write in progress reaches the disk or is lost."""
        if self._writing is not None and not self._disk.full and self._disk.random.random() < 0.5:
            self._disk.write(self._writing)

    def _write_in(self, ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_at(self._clock.now_ms() + ms, self._write)

    def _write(self) -> None:
        self._timer = None
        self._hurried = False
        if self._failed is not None:
            self._writing, self._failed = self._failed, None
        elif self._batch.facts:
            self._writing, self._batch = self._batch, Batch()
        if self._writing is not None:
            self._clock.call_at(self._clock.now_ms() + self._disk.write_ms(), self._written)

    def _written(self) -> None:
        batch, self._writing = self._writing, None
        assert batch is not None
        if self._disk.full:
            self._fail(batch, "database or disk is full")
            return
        self._disk.write(batch)
        if self._disk.random.random() < self._disk.weather.kill_at_write:
            self._kill()
            return
        self._done(batch)

    def _fail(self, batch: Batch, trouble: str) -> None:
        self._failed, self._writing = batch, None
        self._report(trouble)
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

    def _report(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            for listener in self.on_trouble:
                listener(trouble)
