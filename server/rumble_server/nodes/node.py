"""The node. It runs a `Lease` on asyncio and PostgreSQL, and sends the commands of the lease to the clubs.

`app.Server` starts the node. `LedClubs` asks the node for clubs, and carries out the node's commands (port `Led`).
`Lease` makes all decisions. The node passes the time and the database's answers to `Lease`, so tests of decisions need
no database and no waiting.
"""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from hashlib import blake2b
from typing import Any, get_args

from rumble_engine import game_names
from rumble_protocol.limits import Limits

from rumble_server.nodes.lease import RENEWALS, Lease
from rumble_server.store.errors import StoreError
from rumble_server.store.postgres.lease_statements import Statement
from rumble_server.store.postgres.leases import Leases
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

SETUP_BYTES = 16
"""Size in bytes of the digest that `setup_of` returns."""
ID_BYTES = 8
"""Number of random bytes in the id of a node."""
AGAIN_S = 0.2
"""Pause in s after a failure, before the node loads a club or listens for notifications again."""
SOON_S = 0.02
"""Interval in s at which a stopping node counts the clubs that the node still has to hand over."""
GOES_MS = 15_000
"""Maximum time in ms that a stopping node waits for the next club to be handed over.

Another node needs less time to read a club ahead.
"""
TELL_S = 1.0
"""Interval in s at which the node writes its clubs' use of resources for other nodes, if the use has changed."""
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock of the lease. If possible, the clock runs on while the machine sleeps, like the clock of the database."""


lease_s = partial(time.clock_gettime, CLOCK)
"""Function that returns the time of the lease's clock in s.

The function is called at each move. For speed, the function is written in C, and has no wrapper in Python.
"""


def now_ms() -> int:
    """Return the time of the lease's clock in ms."""
    return int(lease_s() * 1000)


def setup_of(limits: Limits) -> str:
    """Return a digest of the setup: games, limits, and the fields of facts. The setup must be equal on all nodes."""
    facts = {kind.__name__: [field.name for field in fields(kind)] for kind in get_args(LogFact)}
    text = json.dumps([game_names(), limits.model_dump(), facts], sort_keys=True)
    return blake2b(text.encode(), digest_size=SETUP_BYTES).hexdigest()


class Led:
    """The port through which the node commands the clubs of this process.

    Until `Node.serve` is called, the node commands an object of this class, which carries out no command.
    """

    async def lead(self, club: str, epoch: int) -> None:
        """Load a club that this node leads under `epoch`, and let the club's bots in.

        Raises StoreError; the node then tries again.
        """
        await asyncio.Event().wait()  # no bot is let in before `serve`, which cancels the wait

    async def read_ahead(self, club: str) -> None:
        """Rebuild the tournaments of a club that another node still leads, before a hand-over. Raises StoreError."""

    async def hand_over(self, club: str) -> None:
        """Stop a club, and wait until its facts are on disk. The bots stay connected."""

    def handed_over(self, club: str) -> None:
        """Close the connections of bots and visitors of a stopped club."""

    def suspend(self) -> None:
        """Send nothing about any club to bots and visitors from now on, because the lease is over."""

    def abandon(self) -> None:
        """Close the connections of bots and visitors of every club, because the lease has been over for long."""

    def go_on(self) -> None:
        """Continue play in all clubs except discarded clubs, because the lease is valid again."""

    def discard(self, club: str) -> None:
        """Forget a club, loaded or not, because another node leads the club."""

    def lose(self) -> None:
        """End the process, because this node cannot lead clubs any more."""

    def changed(self) -> None:
        """Wake callers that wait for new rows of nodes and clubs. Called after each answer of the database."""

    def own_uses(self) -> Mapping[str, Any]:
        """Return the use of resources of each club that this node leads, for other nodes to read. Keys are clubs."""
        return {}


class Node:
    """The node of this process. Call `await start()` at the start, and `await stop()` at the end."""

    def __init__(self, url: str, lease_ms: int, address: str, setup: str, *, stands_by: bool = True) -> None:
        """Make a node without a lease. With `stands_by`, the node serves nobody until it leads `main`."""
        self.address = address
        self.stands_by = stands_by
        self.led = Led()
        """The object that carries out the node's commands to clubs."""
        self._lease_ms = lease_ms
        self._setup = setup
        # Three connections: one that listens runs no statement, and a slow write of uses must delay no renewal.
        self._leases, self._listening, self._telling = [Leases(url, lease_ms) for _ in range(3)]
        self._tasks: set[asyncio.Task[None]] = set()
        self._work: dict[str, asyncio.Task[None]] = {}
        """The task that loads or hands over a club, keyed by club."""
        self._wake: asyncio.TimerHandle | None = None
        self._trouble: str | None = None
        """Reason why the last statement failed; None if it succeeded."""
        self._stopped = False
        self._leads_more = asyncio.Event()
        """Event that is set when the node begins to lead a club."""
        self.id = ""
        self.lease: Lease

    def holds(self) -> bool:
        """Return true if the lease is valid now."""
        return lease_s() * 1000 < self.lease.until_ms

    @property
    def leads(self) -> list[str]:
        """Names of the clubs that the node leads now; empty if its lease is over."""
        return sorted(self.lease.clubs) if self.holds() else []

    # --- life ---

    async def start(self) -> None:
        """Begin a lease. Raises OtherSetup if a running node has another setup; StoreError if the database fails."""
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
        """Send commands to `led` from now on, and make `led` load the clubs that this node already leads."""
        self.led = led
        for club, epoch in self.lease.clubs.items():
            self._begin_with(club, self._lead(club, epoch))
        if not self.stands_by:
            self._begin(self._tell_uses())

    async def acquire(self, club: str) -> int:
        """Wait until this node leads a club, and return the club's epoch."""
        while club not in self.lease.clubs:
            self.want(club)  # repeated, because the lease forgets the wish if another node leads the club
            self._leads_more.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leads_more.wait(), self._lease_ms / RENEWALS / 1000)
        return self.lease.clubs[club]

    def want(self, club: str) -> None:
        """Ask the lease to acquire a club without a leader.

        The lease forgets the request if another node acquires the club first.
        """
        self._act(lambda: self.lease.want(club, now_ms()))

    def leads_under(self, club: str, epoch: int) -> bool:
        """Return true if this node leads a club under this epoch."""
        return self.lease.clubs.get(club) == epoch

    def is_led_elsewhere(self, club: str) -> bool:
        """Return true if another node leads a club."""
        leader = self.lease.leader_of(club)
        return leader is not None and leader.id != self.id

    def release(self, club: str) -> None:
        """Give up a club that needs no leader any more."""
        self._act(lambda: self.lease.release(club, now_ms()))

    async def uses_elsewhere(self) -> dict[str, Any]:
        """Return the use of resources of each club that another node leads. Keys are clubs. Raises StoreError."""
        return await self._telling.uses_elsewhere(self.id)

    async def hand_all_over(self) -> None:
        """Hand all clubs over to other nodes, and wait until the last club is handed over.

        The wait ends early if no other node can take a club, if the lease is over, or if no club was handed over for
        `GOES_MS`.
        """
        self._act(lambda: self.lease.drain(now_ms()))
        left, until_ms = self.lease.count_left, now_ms() + GOES_MS
        while left and self.lease.can_hand_over and self.holds() and now_ms() < until_ms:
            await asyncio.sleep(SOON_S)  # polled, because only a stopping node waits here
            if self.lease.count_left < left:
                until_ms = now_ms() + GOES_MS
            left = self.lease.count_left

    async def stop(self) -> None:
        """End the lease, so that other nodes can lead the node's clubs at once. Stop the clubs before the call."""
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
        """Call a method of the lease, then set the timer for the next call of `wake`."""
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
        """Start a task for a club, and cancel any earlier task for the club."""
        self._end_work(club)
        self._work[club] = self._begin(work)

    def _end_work(self, club: str) -> None:
        work = self._work.pop(club, None)
        if work is not None:
            work.cancel()

    async def _listen(self) -> None:
        """Have the lease read the rows again after each notification from another node or from the command line."""
        while True:
            try:
                await self._listening.listen(lambda: self._act(lambda: self.lease.look(now_ms())))
            except StoreError:
                await asyncio.sleep(AGAIN_S)  # not logged here: the lease's statements fail, too, and are logged

    async def _tell_uses(self) -> None:
        """Write the led clubs' use of resources for other nodes, whenever the use has changed."""
        told: Mapping[str, Any] = {}
        while True:
            await asyncio.sleep(TELL_S)
            uses = self.led.own_uses()
            try:
                if uses != told:
                    await self._telling.tell_uses(self.id, uses)
                    told = uses
            except StoreError as error:
                log.debug("uses are told later: %s", error)  # the lease logs the same trouble as a warning

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
        self.led.changed()

    def _report(self, trouble: str | None) -> None:
        """Log when statements begin to fail, and when they succeed again."""
        if (trouble is None) != (self._trouble is None):
            log.warning("the lease can be renewed again" if trouble is None else f"no lease: {trouble}")
        self._trouble = trouble

    def lead(self, club: str, epoch: int) -> None:
        log.info("leading %s under epoch %d", club, epoch)
        self._leads_more.set()
        self._begin_with(club, self._lead(club, epoch))

    async def _lead(self, club: str, epoch: int) -> None:
        """Load a club. If the database fails, try again as long as this node leads the club under this epoch."""
        while self.leads_under(club, epoch):
            try:
                await self.led.lead(club, epoch)
            except StoreError as error:
                log.error("club %s cannot be loaded yet: %s", club, error)
                await asyncio.sleep(AGAIN_S)
            else:
                self._act(lambda: self.lease.listening(club, epoch, now_ms()))
                return

    def discard(self, club: str) -> None:
        log.warning("another node leads %s", club)
        self._end_work(club)
        self.led.discard(club)

    def read_ahead(self, club: str, offer: int) -> None:
        self._begin(self._read_ahead(club, offer))

    async def _read_ahead(self, club: str, offer: int) -> None:
        try:
            await self.led.read_ahead(club)
        except StoreError as error:
            log.warning("club %s cannot be read ahead: %s", club, error)
            return
        self._act(lambda: self.lease.was_read(club, offer, now_ms()))

    def hand_over(self, club: str) -> None:
        log.info("handing over %s", club)
        self._begin_with(club, self._hand_over(club))

    async def _hand_over(self, club: str) -> None:
        await self.led.hand_over(club)
        self._act(lambda: self.lease.stopped(club, now_ms()))

    def handed_over(self, club: str) -> None:
        self.led.handed_over(club)

    def suspend(self) -> None:
        self.led.suspend()

    def abandon(self) -> None:
        self.led.abandon()

    def go_on(self) -> None:
        self.led.go_on()

    def expelled(self) -> None:
        log.error(
            "the node's row is gone from the database, as where a copy without the last commits took its place:"
            " this server ends, and is to be started again"
        )
        self.led.lose()

    def fenced(self, club: str, epoch: int) -> None:
        """Discard a club because the database refused a commit that this node made under `epoch`."""
        # The refusal of an earlier epoch says nothing about the current epoch.
        if self.leads_under(club, epoch):
            self._act(lambda: self.lease.fenced(club))
