"""The log of one club: facts are numbered and taken here, and written together with those of all other clubs.

Listeners are told of a club's facts only when they are on disk.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from rumble_server.store.batch import Batch
from rumble_server.store.codec import Numbered
from rumble_server.store.errors import StoreError
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

Listener = Callable[[list[Numbered]], None]


class Numbers:
    """The numbers that facts are given, one after the other: those of one log, or of several."""

    __slots__ = ("last",)

    def __init__(self, last: int) -> None:
        self.last = last


class Group(Protocol):
    """What has the logs of all clubs written."""

    trouble: str | None
    """Why the last write failed; None while writing works."""

    def gather(self, club_log: "ClubLog") -> None:
        """Take note that a log has something to write."""

    def hurry(self) -> None:
        """Begin the next commit soon: somebody waits for it."""


class ClubLog:
    """The `Log` of a club's arena, and `DurableLog` of its web. `last` and `durable` are numbers of its own facts."""

    def __init__(
        self,
        group: Group,
        club: str,
        *,
        last: int,
        numbers: Numbers,
        epoch: int = 0,
        size: int = 0,
    ) -> None:
        """Make the log of a club whose facts up to `last` are on disk and take `size` bytes.

        Its next facts are counted by `numbers`, and written under `epoch`.
        """
        self.club = club
        self.epoch = epoch
        self.last = self.durable = last
        self.bytes = size
        """About how many bytes its rows on disk take."""
        self.on_durable: list[Listener] = []
        self.on_sizes: list[Callable[[Counter[str]], None]] = []
        """Told how many bytes a batch takes on disk of each tournament, after the facts."""
        self.on_trouble: list[Callable[[str | None], None]] = []
        self.on_fenced: list[Callable[[], None]] = []
        """Told once, when somebody else was found to lead the club: nothing that was not durable is or will be."""
        self.group = group
        """The writer of this log and of other clubs' logs."""
        self._numbers = numbers
        self._fenced: str | None = None
        self._batch = Batch()
        self._facts = self._batch.facts
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def trouble(self) -> str | None:
        """Why facts cannot be written at the moment; None while they can."""
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
        """Take the record of a tournament that is over for the batch that has the fact appended last."""
        self._batch.file(ended)
        self.group.gather(self)

    def hurry(self) -> None:
        if self._batch:
            self.group.hurry()

    async def wait(self, number: int) -> None:
        """Return once the fact of that number is on disk. Raises StoreError if it never will be."""
        if number > self.durable:
            if self._fenced is not None:
                raise StoreError(self._fenced)
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((number, future))
            self.hurry()
            await future

    # --- for what writes it ---

    def take(self) -> Batch:
        """Return what has gathered; from now on the next batch does."""
        batch, self._batch = self._batch, Batch()
        self._facts = self._batch.facts
        return batch

    def written(self, batch: Batch, sizes: Counter[str]) -> None:
        """Tell of a batch that is on disk, and how many bytes it takes there of each tournament.

        A listener that fails keeps nobody else from being told, of this club or of another one in the commit.
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
        """Take note that somebody else leads the club: what is not on disk yet is lost."""
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
        """Whether somebody else was found to lead the club."""
        return self._fenced is not None
