"""The log of one club, which numbers new facts and gathers them until the group commit writes them.

A group commit writes the facts of all clubs together. Listeners get a club's facts only after they are on disk.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from rumble_server.store.errors import StoreError
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.codec import Numbered
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

Listener = Callable[[list[Numbered]], None]


class FactCounter:
    """A counter of facts. In PostgreSQL each club has its own counter; in SQLite the clubs share a counter."""

    __slots__ = ("last",)

    def __init__(self, last: int) -> None:
        self.last = last


class Group(Protocol):
    """The port through which a club's log uses the writer of all logs (`GroupCommit`)."""

    trouble: str | None
    """Reason why writing fails at present; None while writing works."""

    def enqueue(self, club_log: "ClubLog") -> None:
        """Add a log to the logs that have facts or records to write.

        Of two logs of a club, only the log of the newer epoch is written. The other log is fenced.
        """

    def flush_soon(self) -> None:
        """Begin the next commit sooner than usual, because a caller waits for the commit."""


class ClubLog:
    """The log of a club. The club's arena uses it through the port `Log`, and the web through the port `DurableLog`.

    `last` is the number of the club's newest fact, and `durable` the number of the newest fact that is on disk.
    """

    def __init__(
        self, group: Group, club: str, *, last: int, numbers: FactCounter, epoch: int = 0, size: int = 0
    ) -> None:
        """Make the log of a club. `last` is the number of the newest fact on disk.

        `size` is the size in bytes of all rows of the club. New facts get their numbers from `numbers`, and are written
        under `epoch`.
        """
        self.club = club
        self.epoch = epoch
        self.last = self.durable = last
        self.bytes = size
        """Approximate size in bytes of the club's rows on disk."""
        self.on_durable: list[Listener] = []
        self.on_sizes: list[Callable[[Counter[str]], None]] = []
        """Functions called when rows are on disk, after the functions in `on_durable`.

        Each function gets the size in bytes of the rows, by tournament.
        """
        self.on_trouble: list[Callable[[str | None], None]] = []
        self.on_fenced: list[Callable[[], None]] = []
        """Functions called once, when another server is found to lead the club. Facts not on disk by then are lost."""
        self.group = group
        """The writer, which the logs of all clubs share."""
        self._numbers = numbers
        self._fenced: str | None = None
        self.batch = Batch()
        """The facts and records that no commit has taken yet."""
        self._facts = self.batch.facts
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def trouble(self) -> str | None:
        """Reason why writing fails at present; None while writing works."""
        return self._fenced or self.group.trouble

    # --- Log ---

    def append(self, fact: LogFact) -> int:
        facts = self._facts
        if not facts:
            self.group.enqueue(self)
        numbers = self._numbers
        self.last = numbers.last = number = numbers.last + 1
        facts.append((number, fact))
        return number

    def add_record(self, ended: EndedTournament) -> None:
        """Add the record of an ended tournament to the current batch.

        Call the method just after the fact of the tournament's end was appended.
        """
        self.batch.add_record(ended)
        self.group.enqueue(self)

    def flush_soon(self) -> None:
        if self._facts:
            self.group.flush_soon()

    async def wait(self, number: int) -> None:
        """Wait until the fact with this number is on disk. Raises StoreError if another server leads the club."""
        if number > self.durable:
            if self._fenced is not None:
                raise StoreError(self._fenced)
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((number, future))
            self.flush_soon()
            await future

    # --- for the writer of this log ---

    def take_batch(self) -> Batch:
        """Return the current batch, and begin a new batch."""
        batch, self.batch = self.batch, Batch()
        self._facts = self.batch.facts
        return batch

    def on_written(self, batch: Batch, sizes: Counter[str]) -> None:
        """Tell listeners that a batch is on disk. `sizes` has the size in bytes of the batch's rows, by tournament."""
        self.bytes += sizes.total()
        if batch.facts:
            self.durable = batch.facts[-1][0]
            self._call_listeners(self.on_durable, f"the facts up to {self.durable}", batch.facts)
        self._call_listeners(self.on_sizes, "the sizes of rows", sizes)
        waiting, self._waiters = self._waiters, []
        for number, future in waiting:
            if number > self.durable:
                self._waiters.append((number, future))
            elif not future.done():
                future.set_result(None)
        if self._waiters:
            self.flush_soon()

    def report_trouble(self, trouble: str | None) -> None:
        """Tell listeners the reason why writing fails at present, or None once writing works again."""
        self._call_listeners(
            self.on_trouble, "the trouble" if trouble is not None else "the end of the trouble", trouble
        )

    def fence(self) -> None:
        """Note that another server leads the club now. Facts not on disk are lost; waiting calls raise StoreError."""
        if self._fenced is not None:
            return
        self._fenced = f"another node leads the club {self.club}"
        for _, future in self._waiters:
            if not future.done():
                future.set_exception(StoreError(self._fenced))
        self._waiters.clear()
        self._call_listeners(self.on_fenced, "the lead of another server")

    def _call_listeners(self, listeners: Sequence[Callable[..., None]], news: str, *args: object) -> None:
        """Call the listeners. An exception in a listener is logged, so that other listeners and clubs are not held up.

        `news` names the news in the line of the error.
        """
        for listener in listeners:
            try:
                listener(*args)
            except Exception:
                log.exception("club %s: what follows from %s failed", self.club, news)

    @property
    def is_fenced(self) -> bool:
        """True if another server was found to lead the club."""
        return self._fenced is not None
