"""The log of a club numbers and gathers facts. The group commit writes the facts of all clubs together.

Listeners are told of a club's facts only when the facts are on disk.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from rumble_server.store.errors import StoreError
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.codec import Numbered
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

Listener = Callable[[list[Numbered]], None]


class Numbers:
    """The counter that numbers facts. In PostgreSQL each log has a counter; in SQLite all logs share a counter."""

    __slots__ = ("last",)

    def __init__(self, last: int) -> None:
        self.last = last


class Group(Protocol):
    """The writer of all clubs' logs, as a club's log sees it."""

    trouble: str | None
    """Reason why writing fails at present; None while writing works."""

    def gather(self, club_log: "ClubLog") -> None:
        """Note that a log has facts or records to write."""

    def hurry(self) -> None:
        """Begin the next commit soon, since a caller waits for it."""


class ClubLog:
    """The log of a club: the port `Log` for the club's arena, and the port `DurableLog` for the club's web.

    `last` is the number of the club's newest fact, and `durable` the number of the club's newest fact on disk.
    """

    def __init__(self, group: Group, club: str, *, last: int, numbers: Numbers, epoch: int = 0, size: int = 0) -> None:
        """Make the log of a club whose facts up to number `last` are on disk, and take up `size` bytes there.

        `numbers` gives numbers to the next facts. The facts are written under `epoch`.
        """
        self.club = club
        self.epoch = epoch
        self.last = self.durable = last
        self.bytes = size
        """Approximate size in bytes of the club's rows on disk."""
        self.on_durable: list[Listener] = []
        self.on_sizes: list[Callable[[Counter[str]], None]] = []
        """Functions called after `on_durable`, with the bytes that a batch takes up on disk, by tournament."""
        self.on_trouble: list[Callable[[str | None], None]] = []
        self.on_fenced: list[Callable[[], None]] = []
        """Functions called once, when another server was found to lead the club. Facts not durable by then are lost."""
        self.group = group
        """Writer of this log and of other clubs' logs."""
        self._numbers = numbers
        self._fenced: str | None = None
        self._batch = Batch()
        self._facts = self._batch.facts
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def trouble(self) -> str | None:
        """Reason why facts cannot be written at present; None while they can."""
        return self._fenced or self.group.trouble

    # --- Log ---

    def append(self, fact: LogFact) -> int:
        facts = self._facts
        if not facts:
            self.group.gather(self)
        numbers = self._numbers
        self.last = numbers.last = number = numbers.last + 1
        facts.append((number, fact))
        return number

    def file(self, ended: EndedTournament) -> None:
        """Add the record of an ended tournament to the batch that has the fact appended last."""
        self._batch.file(ended)
        self.group.gather(self)

    def hurry(self) -> None:
        if self._batch:
            self.group.hurry()

    async def wait(self, number: int) -> None:
        """Return when the fact with this number is on disk. Raises StoreError if it never will be."""
        if number > self.durable:
            if self._fenced is not None:
                raise StoreError(self._fenced)
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((number, future))
            self.hurry()
            await future

    # --- for the writer of this log ---

    def take(self) -> Batch:
        """Return the batch that has gathered, and begin the next batch."""
        batch, self._batch = self._batch, Batch()
        self._facts = self._batch.facts
        return batch

    def written(self, batch: Batch, sizes: Counter[str]) -> None:
        """Tell listeners that a batch is on disk; `sizes` has the bytes of the batch's rows, by tournament.

        If a listener in `on_durable` fails, later listeners are told nevertheless, also listeners of other clubs.
        """
        self.bytes += sizes.total()
        if batch.facts:
            self.durable = batch.facts[-1][0]
            for listener in self.on_durable:
                try:
                    listener(batch.facts)
                except Exception:
                    log.exception("club %s: what follows from the facts up to %d failed", self.club, self.durable)
        for on_sizes in self.on_sizes:
            on_sizes(sizes)
        waiting, self._waiters = self._waiters, []
        for number, future in waiting:
            if number > self.durable:
                self._waiters.append((number, future))
            elif not future.done():
                future.set_result(None)
        if self._waiters:
            self.hurry()

    def fence(self) -> None:
        """Note that the club has another leader: facts not yet on disk are lost, and waiting calls get StoreError."""
        if self._fenced is not None:
            return
        self._fenced = f"another node leads the club {self.club}"
        for _, future in self._waiters:
            if not future.done():
                future.set_exception(StoreError(self._fenced))
        self._waiters.clear()
        for listener in self.on_fenced:
            listener()

    @property
    def is_fenced(self) -> bool:
        """True if another server was found to lead the club."""
        return self._fenced is not None
