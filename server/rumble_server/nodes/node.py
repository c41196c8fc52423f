"""The node. It runs the statements of a `Lease` on asyncio and PostgreSQL, and wakes the lease in time.

`app.Server` starts the node. `LedClubs` asks the node for clubs, and carries out the commands of the lease. `Lease`
makes all decisions. The node passes the time and the database's answers to `Lease`, so tests of decisions need no
database and no waiting.
"""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import fields
from functools import partial
from hashlib import blake2b
from typing import Any, get_args

from rumble_engine import game_names
from rumble_protocol.limits import Limits

from rumble_server.host.repeating import repeat, until
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
"""Pause in s after a failure, before the node loads a club, waits for notifications or wakes the lease again."""
HAND_OVER_S = 15.0
"""Maximum time in s that a stopping node waits for the next club to be handed over.

Another node needs less time to read a club ahead.
"""
EXPELLED = (
    "the database no longer has this node's row, perhaps because an older copy replaced the database:"
    " this server ends now; start it again"
)
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


class NoClubs:
    """The port `LeaseCommands` without clubs in memory yet. The node can take any club, and lets no bots in."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    def read_ahead(self, club: str) -> None:
        asyncio.get_running_loop().call_soon(
            self._node.call_lease, partial(self._node.lease.hand_overs.on_read_ahead, club)
        )

    def hand_over(self, club: str) -> None:
        asyncio.get_running_loop().call_soon(
            self._node.call_lease, partial(self._node.lease.hand_overs.on_stopped, club)
        )

    def start_leading(self, club: str, epoch: int) -> None: ...
    def discard(self, club: str) -> None: ...
    def close_handed_over(self, club: str) -> None: ...
    def suspend(self) -> None: ...
    def disconnect_all(self) -> None: ...
    def resume(self) -> None: ...

    def end_node(self) -> None:
        self._node.end_reason = EXPELLED


class Node:
    """The node of this process. Call `await start()` at the start, and `await stop()` at the end."""

    def __init__(self, url: str, lease_ms: int, address: str, setup: str, *, stands_by: bool = True) -> None:
        """Make a node without a lease. With `stands_by`, the node serves nobody until it leads `main`."""
        self.address = address
        self.stands_by = stands_by
        self._lease_ms = lease_ms
        self._setup = setup
        # Three connections: the second runs no statements, and a slow write of uses must delay no renewal.
        self._leases, self._notifications, self.uses_connection = [Leases(url, lease_ms) for _ in range(3)]
        self._tasks: set[asyncio.Task[None]] = set()
        self._wake: asyncio.TimerHandle | None = None
        self._trouble: str | None = None
        """Reason why the last statement failed; None if it succeeded."""
        self._is_stopped = False
        self.changed = asyncio.Event()
        """Event that is set after each answer of the database, and when a club was loaded."""
        self.id = ""
        self.end_reason = ""
        """Reason why the node can lead no club any more; empty as long as the node can."""
        self.lease: Lease

    def has_valid_lease(self) -> bool:
        """Return true if the lease is valid now."""
        return self.lease.is_valid(now_ms())

    @property
    def leads(self) -> list[str]:
        """Names of the clubs that the node leads now; empty if its lease is over."""
        return sorted(self.lease.clubs) if self.has_valid_lease() else []

    # --- life ---

    async def start(self) -> None:
        """Begin a lease. Raises OtherSetup if a running node has another setup; StoreError if the database fails."""
        self.id = secrets.token_hex(ID_BYTES)
        try:
            await self._leases.join(self.id, self.address, self._setup)
        except StoreError:
            await self._leases.close()
            raise
        self.lease = Lease(self.id, self._lease_ms, self._run, NoClubs(self), now_ms(), stands_by=self.stands_by)
        self.call_lease(self.lease.wake)
        self.begin(repeat(self._hear_notifications, AGAIN_S, "the node could not listen for notifications"))

    async def acquire(self, club: str) -> int:
        """Wait until this node leads a club, and return the club's epoch.

        Raises StoreError if the node can lead no club any more.
        """
        while club not in self.lease.clubs:
            if self.end_reason:
                raise StoreError(self.end_reason)
            self.request_leader(club)  # repeated, because the lease forgets the request if another node leads the club
            self.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), self._lease_ms / RENEWALS / 1000)
        return self.lease.clubs[club]

    def request_leader(self, club: str) -> None:
        """Ask the lease to acquire a club without a leader.

        The lease forgets the request if another node acquires the club first.
        """
        self.call_lease(partial(self.lease.request_leader, club))

    def is_led_by_another_node(self, club: str) -> bool:
        """Return true if another node leads a club."""
        leader = self.lease.leader_of(club)
        return leader is not None and leader.id != self.id

    def release(self, club: str) -> None:
        """Give up a club that needs no leader any more."""
        self.call_lease(partial(self.lease.hand_overs.release, club))

    async def hand_all_over(self) -> None:
        """Hand all clubs over to other nodes, and wait until the last club is handed over.

        The wait ends early if no other node can take a club, if the lease is over, or if no club was handed over for
        `HAND_OVER_S`.
        """
        self.call_lease(self.lease.drain)
        most = self.lease.clubs_left + 1
        while 0 < self.lease.clubs_left < most:
            most = self.lease.clubs_left
            await until(partial(self._need_not_wait, most), HAND_OVER_S)

    def _need_not_wait(self, most: int) -> bool:
        """Return true if fewer than `most` clubs are left to hand over, or if no further club can be handed over."""
        return self.lease.clubs_left < most or not (self.lease.hand_overs.can_go_on and self.has_valid_lease())

    async def stop(self) -> None:
        """End the lease, so that other nodes can lead the node's clubs at once. Stop the clubs before the call."""
        self._is_stopped = True
        if self._wake is not None:
            self._wake.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._leases.end_lease(self.id)
        except StoreError as error:
            log.warning("the lease ends by itself: %s", error)
        for each in (self._leases, self._notifications, self.uses_connection):
            await each.close()

    def call_lease(self, call: Callable[[int], None]) -> None:
        """Call a method of the lease with the present time in ms, then set the timer for the next call of `wake`."""
        if self._is_stopped:
            return
        self._wake_in(AGAIN_S)  # first, so that an error of the call ends no later renewal
        call(now_ms())
        self._wake_in(max(0, self.lease.wake_at_ms - now_ms()) / 1000)

    def _wake_in(self, wait_s: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = asyncio.get_running_loop().call_later(wait_s, self.call_lease, self.lease.wake)

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that ends with the node. Log an error of the task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of the node failed", exc_info=error)

    async def _hear_notifications(self) -> None:
        """Have the lease read the rows again after each notification from another node or from the command line."""
        with suppress(StoreError):  # not logged here: the lease's statements fail, too, and are logged
            await self._notifications.report_changes(lambda: self.call_lease(self.lease.look))

    def _run(self, statement: Statement) -> None:
        self.begin(self._answer(statement))

    async def _answer(self, statement: Statement) -> None:
        """Run a statement, and pass the answer to the lease."""
        try:
            answer = await self._leases.run(self.id, statement)
        except Exception as error:
            if not isinstance(error, StoreError):
                log.exception("a statement of the lease failed")
            self._report(str(error))
            self.call_lease(self.lease.on_failure)
            return
        self._report(None)
        self.call_lease(partial(self.lease.on_answer, answer))
        self.changed.set()

    def _report(self, trouble: str | None) -> None:
        """Log when statements begin to fail, and when they succeed again."""
        if (trouble is None) != (self._trouble is None):
            log.warning("the lease can be renewed again" if trouble is None else f"no lease: {trouble}")
        self._trouble = trouble
