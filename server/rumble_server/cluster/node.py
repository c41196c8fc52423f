"""One node: it keeps its lease in PostgreSQL, and has its clubs led, suspended, discarded and handed over."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import fields, replace
from hashlib import blake2b
from typing import Any, Protocol, get_args

from rumble_engine import game_names
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.clubs import MAIN
from rumble_protocol.limits import Limits

from rumble_server.cluster import link, records
from rumble_server.cluster.lease import RENEWALS, Lease
from rumble_server.store.errors import StoreError
from rumble_server.store.lease_statements import Seen, Statement
from rumble_server.store.postgres.leases import Leader, Leases
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

SETUP_BYTES = 16
"""Bytes of the digest of a setup."""
ID_BYTES = 8
"""Bytes of randomness in the id of a node."""
AGAIN_S = 0.2
"""How long after a failure a club is loaded, or the news are listened to, again."""
SOON_S = 0.02
"""How often it is looked, in s, whether all clubs are handed over."""
GOES_MS = 15_000
"""How long, in ms, a node that stops waits for the next club to go: longer than another one may take to read it."""
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock that goes on while the machine sleeps, where there is one."""


def now_ms() -> int:
    """Return the time of the node's own monotonic clock, in ms."""
    return int(time.clock_gettime(CLOCK) * 1000)


def setup_of(limits: Limits) -> str:
    """Return a digest of what all nodes have in common: games, limits, the facts of the log, what links carry."""
    facts = {kind.__name__: [field.name for field in fields(kind)] for kind in get_args(LogFact)}
    said = {kind.__name__: list(kind.model_fields) for kind in BOT_MESSAGES}  # the leader reads bots' frames again
    links = [link.FORMATS, records.FORMATS, said]
    text = json.dumps([game_names(), limits.model_dump(), facts, links], sort_keys=True)
    return blake2b(text.encode(), digest_size=SETUP_BYTES).hexdigest()


class Led(Protocol):
    """The clubs of this process, as its lease wants them."""

    async def lead(self, club: str, epoch: int) -> None:
        """Load a club that this node leads under an epoch. Raises StoreError; then it is tried again."""

    def suspend(self) -> None:
        """The lease is over."""

    def go_on(self) -> None:
        """The lease is valid again, and holds for all clubs that were not discarded."""

    def discard(self, club: str) -> None:
        """Another node leads a club, which may be loaded, or may not be yet."""

    def lose(self) -> None:
        """This node cannot lead any more: the process is to end."""

    async def hand_over(self, club: str, to: str, /) -> str | None:
        """Stop a club that the node of this id is to lead, return when all of it is on disk, and forget it.

        Return another node's id if that is to lead it.
        """

    def leader_changed(self, club: str, /) -> None:
        """A club has another leader, or none any more."""


class Node:
    """The lease of this process and what it leads. `await start()`, then `await stop()`.

    One that stands by leads nothing else before it leads main.
    """

    def __init__(self, url: str, lease_ms: int, address: str, setup: str, *, stands_by: bool = True) -> None:
        """`stands_by` says that it has no links to others: it can serve a club only where it leads main, too."""
        self.address = address
        self._stands_by = stands_by
        self.led: Led | None = None
        """What is given to `serve`."""
        self._lease_ms = lease_ms
        self.setup = setup
        self._leases, self._listening, self._asking = [Leases(url, lease_ms) for _ in range(3)]
        self._one_asks = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._work: dict[str, asyncio.Task[None]] = {}
        """By club: what loads it, or hands it over."""
        self._wake: asyncio.TimerHandle | None = None
        self._trouble: str | None = None
        self._stopped = False
        self._changed = asyncio.Event()
        self.id = ""
        self.lease: Lease

    def holds(self) -> bool:
        """Whether the lease is valid at this moment."""
        return time.clock_gettime(CLOCK) * 1000 < self.lease.until_ms  # asked for each move, so without other calls

    @property
    def leads(self) -> list[str]:
        """The clubs that it leads at this moment; none while it is suspended."""
        return sorted(self.lease.clubs) if self.holds() else []

    # --- life ---

    async def start(self) -> None:
        """Take a lease. Raises StoreError, OtherSetup if a node that is there does not fit."""
        self.id = secrets.token_hex(ID_BYTES)
        try:
            await self._leases.join(self.id, self.address, self.setup)
        except StoreError:
            await self._leases.close()
            raise
        self.lease = Lease(self.id, self._lease_ms, self, now_ms(), apart=not self._stands_by)
        self._act(lambda: self.lease.wake(now_ms()))
        self._begin(self._listen())

    def serve(self, led: Led) -> None:
        """Have these clubs led, those that this node leads already to begin with."""
        self.led = led
        for club, epoch in self.lease.clubs.items():
            self._begin_with(club, self._lead(led, club, epoch))

    async def acquire(self, club: str) -> int:
        """Return the epoch under which this node leads a club, as soon as it does."""
        while club not in self.lease.clubs:
            self._act(lambda: self.lease.want(club, now_ms()))
            self._changed.clear()
            await _within(self._changed.wait(), self._lease_ms / RENEWALS / 1000)
        return self.lease.clubs[club]

    def want(self, club: str) -> None:
        """Lead a club, if nobody does."""
        self._act(lambda: self.lease.want(club, now_ms()))

    async def leaders(self, clubs: Collection[str]) -> dict[str, Leader]:
        """Return who leads these clubs. Raises StoreError."""
        async with self._one_asks:
            return await self._asking.leaders(clubs)

    def release(self, club: str) -> None:
        """A club needs no leader."""
        self._act(lambda: self.lease.release(club, now_ms()))

    async def hand_all_over(self) -> None:
        """Hand all clubs over, while there are nodes for them, the lease holds, and one goes from time to time."""
        self._act(lambda: self.lease.drain(now_ms()))
        left, until_ms = self.lease.count_left, now_ms() + GOES_MS
        while left and self.lease.has_others and self.holds() and now_ms() < until_ms:
            await asyncio.sleep(SOON_S)  # it is at a stop
            if self.lease.count_left < left:
                until_ms = now_ms() + GOES_MS
            left = self.lease.count_left

    async def stop(self) -> None:
        """End the lease: what it leads is free at once. Its clubs have been stopped."""
        self._stopped = True
        if self._wake is not None:
            self._wake.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._leases.leave(self.id)
        except StoreError as error:
            log.warning("the lease ends by itself: %s", error)
        await self._leases.close()
        await self._listening.close()
        await self._asking.close()

    def _act(self, call: Callable[[], None]) -> None:
        """Call the lease, and see when it is to be woken."""
        if self._stopped:
            return
        call()
        if self._wake is not None:
            self._wake.cancel()
        wait_s = max(0, self.lease.wake_at_ms - now_ms()) / 1000
        self._wake = asyncio.get_running_loop().call_later(wait_s, self._act, lambda: self.lease.wake(now_ms()))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _begin_with(self, club: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin what is to be done with a club, and nothing else is."""
        self._end_work(club)
        self._work[club] = self._begin(work)

    def _end_work(self, club: str) -> None:
        work = self._work.pop(club, None)
        if work is not None:
            work.cancel()

    async def _listen(self) -> None:
        """Look whenever another node or a command says that something has changed."""
        while True:
            try:
                await self._listening.listen(self.id, lambda: self._act(lambda: self.lease.look(now_ms())), self._hear)
            except StoreError:
                await asyncio.sleep(AGAIN_S)  # statements fail, too, and tell of it

    def _hear(self, club: str) -> None:
        if self.led is not None:
            self.led.leader_changed(club)

    # --- Driver ---

    def run(self, statement: Statement) -> None:
        self._begin(self._run(statement))

    async def _run(self, statement: Statement) -> None:
        try:
            answer = await self._leases.run(self.id, statement)
        except StoreError as error:
            self._report(str(error))
            self._act(lambda: self.lease.failed(now_ms()))
            return
        self._report(None)
        if isinstance(answer, Seen) and self._stands_by and MAIN not in self.lease.clubs:
            answer = replace(answer, orphans=tuple([club for club in answer.orphans if club == MAIN]))
        self._act(lambda: self.lease.answered(answer, now_ms()))

    def _report(self, trouble: str | None) -> None:
        if (trouble is None) != (self._trouble is None):
            log.warning("the lease can be renewed again" if trouble is None else f"no lease: {trouble}")
        self._trouble = trouble

    def lead(self, club: str, epoch: int) -> None:
        log.info("leading %s under epoch %d", club, epoch)
        self._changed.set()
        if self.led is not None:
            self._begin_with(club, self._lead(self.led, club, epoch))

    async def _lead(self, led: Led, club: str, epoch: int) -> None:
        while self.lease.clubs.get(club) == epoch:
            try:
                await led.lead(club, epoch)
                return
            except StoreError as error:
                log.error("club %s cannot be loaded yet: %s", club, error)
                await asyncio.sleep(AGAIN_S)

    def discard(self, club: str) -> None:
        log.warning("another node leads %s", club)
        self._end_work(club)
        if self.led is not None:
            self.led.discard(club)

    def hand_over(self, club: str, to: str) -> None:
        log.info("handing over %s to %s", club, to)
        self._begin_with(club, self._hand_over(club, to))

    async def _hand_over(self, club: str, to: str) -> None:
        taker = None if self.led is None else await self.led.hand_over(club, to)
        self._act(lambda: self.lease.stopped(club, now_ms(), taker))

    def suspend(self) -> None:
        if self.led is not None:
            self.led.suspend()

    def go_on(self) -> None:
        if self.led is not None:
            self.led.go_on()

    def expelled(self) -> None:
        log.error(
            "the node's row is gone from the database, as where a copy without the last commits took its place:"
            " this server ends, and is to be started again"
        )
        if self.led is not None:
            self.led.lose()

    def fenced(self, club: str, epoch: int) -> None:
        """The database refused to write for a club under this epoch, which may be an older one of this node's own."""
        if self.lease.clubs.get(club) == epoch:
            self._act(lambda: self.lease.fenced(club))


async def _within(waiting: Awaitable[object], s: float) -> None:
    """Wait, and give up after that time."""
    try:
        await asyncio.wait_for(waiting, s)
    except TimeoutError:
        return
