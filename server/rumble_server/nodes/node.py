"""One node: it keeps its lease in PostgreSQL, and has its clubs led, suspended, discarded and handed over."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import fields
from hashlib import blake2b
from typing import Any, Protocol, get_args

from rumble_engine import game_names
from rumble_protocol.limits import Limits

from rumble_server.nodes.lease import RENEWALS, Lease
from rumble_server.store.errors import StoreError
from rumble_server.store.lease_statements import Statement
from rumble_server.store.postgres.leases import Leases
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

SETUP_BYTES = 16
"""Bytes of the digest of a setup."""
ID_BYTES = 8
"""Bytes of randomness in the id of a node."""
AGAIN_S = 0.2
"""Time in s after a failure until a club is loaded, or notifications are listened to, again."""
SOON_S = 0.02
"""Time in s between two looks whether all clubs are handed over."""
GOES_MS = 15_000
"""Time in ms for which a node that stops waits for the next club to go: longer than another node takes to read it."""
TELL_S = 1.0
"""Time in s between two looks whether the uses of led clubs have changed."""
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock that goes on while the machine sleeps, where there is one."""


def now_ms() -> int:
    """Return the time of the node's own monotonic clock, in ms."""
    return int(time.clock_gettime(CLOCK) * 1000)


def setup_of(limits: Limits) -> str:
    """Return a digest of what all nodes must have in common: games, limits, and the facts of the log."""
    facts = {kind.__name__: [field.name for field in fields(kind)] for kind in get_args(LogFact)}
    text = json.dumps([game_names(), limits.model_dump(), facts], sort_keys=True)
    return blake2b(text.encode(), digest_size=SETUP_BYTES).hexdigest()


class Led(Protocol):
    """The clubs of this process, as its lease wants them."""

    async def lead(self, club: str, epoch: int) -> None:
        """Load a club that this node leads under an epoch, and let its bots in.

        Raises StoreError; then the node tries again.
        """

    async def read_ahead(self, club: str) -> None:
        """Read a club that this node is to lead soon. Raises StoreError."""

    async def hand_over(self, club: str) -> None:
        """Stop a club; return when all of it is on disk. Its bots stay connected."""

    def handed_over(self, club: str) -> None:
        """Close the bots and visitors of a club that was stopped."""

    def suspend(self) -> None:
        """The lease is over."""

    def abandon(self) -> None:
        """The lease has been over for long: close the bots and visitors of all clubs."""

    def go_on(self) -> None:
        """The lease is valid again, and holds for all clubs that were not discarded."""

    def discard(self, club: str) -> None:
        """Another node leads a club, which may not be loaded yet."""

    def lose(self) -> None:
        """This node cannot lead any more: the process is to end."""

    def changed(self) -> None:
        """The rows of nodes and clubs were read again."""

    def own_uses(self) -> Mapping[str, Any]:
        """Return what goes on in the clubs that this node leads, by club, for the other nodes."""


class Node:
    """The lease of this process and what it leads. `await start()`, then `await stop()`."""

    def __init__(self, url: str, lease_ms: int, address: str, setup: str, *, stands_by: bool = True) -> None:
        """`stands_by` says that the node serves nobody before it leads main."""
        self.address = address
        self.stands_by = stands_by
        self.led: Led | None = None
        """The clubs that were given to `serve`."""
        self._lease_ms = lease_ms
        self._setup = setup
        self._leases, self._listening, self._telling = [Leases(url, lease_ms) for _ in range(3)]
        self._tasks: set[asyncio.Task[None]] = set()
        self._work: dict[str, asyncio.Task[None]] = {}
        """By club: what loads it, or hands it over."""
        self._wake: asyncio.TimerHandle | None = None
        self._trouble: str | None = None
        self._stopped = False
        self._leads_more = asyncio.Event()
        """Set when the node has come to lead a club."""
        self.id = ""
        self.lease: Lease

    def holds(self) -> bool:
        """Whether the lease is valid at this moment."""
        return time.clock_gettime(CLOCK) * 1000 < self.lease.until_ms  # asked for each move, so without other calls

    @property
    def leads(self) -> list[str]:
        """The clubs that the node leads at this moment; none while it is suspended."""
        return sorted(self.lease.clubs) if self.holds() else []

    # --- life ---

    async def start(self) -> None:
        """Take a lease. Raises StoreError, OtherSetup if a node that is there does not fit."""
        self.id = secrets.token_hex(ID_BYTES)
        try:
            await self._leases.join(self.id, self.address, self._setup)
        except StoreError:
            await self._leases.close()
            raise
        self.lease = Lease(self.id, self._lease_ms, self, now_ms(), stands_by=self.stands_by)
        self._act(lambda: self.lease.wake(now_ms()))
        self._begin(self._listen())

    def serve(self, led: Led) -> None:
        """Have these clubs led, those that this node leads already to begin with."""
        self.led = led
        for club, epoch in self.lease.clubs.items():
            self._begin_with(club, self._lead(led, club, epoch))
        if not self.stands_by:
            self._begin(self._tell_uses(led))

    async def acquire(self, club: str) -> int:
        """Return the epoch under which this node leads a club, as soon as it does."""
        while club not in self.lease.clubs:
            self.want(club)
            self._leads_more.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leads_more.wait(), self._lease_ms / RENEWALS / 1000)
        return self.lease.clubs[club]

    def want(self, club: str) -> None:
        """Have a club led, if nobody leads it."""
        self._act(lambda: self.lease.want(club, now_ms()))

    def leads_under(self, club: str, epoch: int) -> bool:
        """Whether this node leads a club under this epoch."""
        return self.lease.clubs.get(club) == epoch

    def is_led_elsewhere(self, club: str) -> bool:
        """Whether another node leads a club."""
        leader = self.lease.leader_of(club)
        return leader is not None and leader.id != self.id

    def release(self, club: str) -> None:
        """A club needs no leader."""
        self._act(lambda: self.lease.release(club, now_ms()))

    async def uses_elsewhere(self) -> dict[str, Any]:
        """Return what goes on in the clubs of the other nodes, by club. Raises StoreError."""
        return await self._telling.uses_elsewhere(self.id)

    async def hand_all_over(self) -> None:
        """Hand all clubs over, while there are nodes for them, the lease holds, and one goes from time to time."""
        self._act(lambda: self.lease.drain(now_ms()))
        left, until_ms = self.lease.count_left, now_ms() + GOES_MS
        while left and self.lease.can_hand_over and self.holds() and now_ms() < until_ms:
            await asyncio.sleep(SOON_S)  # this is at a stop
            if self.lease.count_left < left:
                until_ms = now_ms() + GOES_MS
            left = self.lease.count_left

    async def stop(self) -> None:
        """End the lease: what the node leads is free at once. Its clubs have been stopped."""
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
        for each in (self._leases, self._listening, self._telling):
            await each.close()

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
        """Begin the only work that is to be done with a club."""
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
                await self._listening.listen(lambda: self._act(lambda: self.lease.look(now_ms())))
            except StoreError:
                await asyncio.sleep(AGAIN_S)  # statements fail, too, and tell of it

    async def _tell_uses(self, led: Led) -> None:
        """Write what goes on in the led clubs whenever that has changed."""
        told: Mapping[str, Any] = {}
        while True:
            await asyncio.sleep(TELL_S)
            uses = led.own_uses()
            try:
                if uses != told:
                    await self._telling.tell_uses(self.id, uses)
                    told = uses
            except StoreError as error:
                log.debug("uses are told later: %s", error)  # the lease tells of the same trouble

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
        self._act(lambda: self.lease.answered(answer, now_ms()))
        if self.led is not None:
            self.led.changed()

    def _report(self, trouble: str | None) -> None:
        if (trouble is None) != (self._trouble is None):
            log.warning("the lease can be renewed again" if trouble is None else f"no lease: {trouble}")
        self._trouble = trouble

    def lead(self, club: str, epoch: int) -> None:
        log.info("leading %s under epoch %d", club, epoch)
        self._leads_more.set()
        if self.led is not None:
            self._begin_with(club, self._lead(self.led, club, epoch))

    async def _lead(self, led: Led, club: str, epoch: int) -> None:
        while self.leads_under(club, epoch):
            try:
                await led.lead(club, epoch)
            except StoreError as error:
                log.error("club %s cannot be loaded yet: %s", club, error)
                await asyncio.sleep(AGAIN_S)
            else:
                self._act(lambda: self.lease.listening(club, epoch, now_ms()))
                return

    def discard(self, club: str) -> None:
        log.warning("another node leads %s", club)
        self._end_work(club)
        if self.led is not None:
            self.led.discard(club)

    def read_ahead(self, club: str, offer: int) -> None:
        self._begin(self._read_ahead(club, offer))

    async def _read_ahead(self, club: str, offer: int) -> None:
        try:
            if self.led is not None:
                await self.led.read_ahead(club)
        except StoreError as error:
            log.warning("club %s cannot be read ahead: %s", club, error)
            return
        self._act(lambda: self.lease.was_read(club, offer, now_ms()))

    def hand_over(self, club: str) -> None:
        log.info("handing over %s", club)
        self._begin_with(club, self._hand_over(club))

    async def _hand_over(self, club: str) -> None:
        if self.led is not None:
            await self.led.hand_over(club)
        self._act(lambda: self.lease.stopped(club, now_ms()))

    def handed_over(self, club: str) -> None:
        if self.led is not None:
            self.led.handed_over(club)

    def suspend(self) -> None:
        if self.led is not None:
            self.led.suspend()

    def abandon(self) -> None:
        if self.led is not None:
            self.led.abandon()

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
        if self.leads_under(club, epoch):
            self._act(lambda: self.lease.fenced(club))
