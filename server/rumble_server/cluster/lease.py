"""The lease of one node, and the clubs that it leads by it: a synchronous machine, given the time and the answers.

The database's clock says when a lease is over for others; the node's own monotonic clock says when it is over for the
node itself, counted from before the renewal was sent, and a tenth earlier, so that clocks may differ in their rates.
So no two nodes hold a club at once. Statements are run one at a time: what one answers was so when the next one ran.

A node whose lease was over is suspended. It goes on only when a renewal was answered and a look that was sent after it
shows which of its clubs nobody else has led since: a takeover needs a lease that is over, and raises the epoch.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Protocol

from rumble_server.store.lease_statements import (
    Acquire,
    Acquired,
    Answer,
    HandedOver,
    HandOver,
    Look,
    NodeRow,
    Renew,
    Renewed,
    Seen,
    Statement,
)

RENEWALS = 5
"""How often a lease is renewed while it lasts, if all goes well."""
RETRIES = 20
"""A statement that failed is tried again after this part of a lease."""


class Driver(Protocol):
    """What a lease has done for it. None of these calls back before it has returned."""

    def run(self, statement: Statement) -> None:
        """Run a statement, and call `answered` or `failed`."""

    def lead(self, club: str, epoch: int) -> None:
        """Load a club and lead it under this epoch."""

    def discard(self, club: str) -> None:
        """Forget a club as it is in memory: another has led it since."""

    def hand_over(self, club: str, to: str) -> None:
        """Stop a club that the node `to` is to lead, wait until all of it is on disk, and call `stopped`."""

    def suspend(self) -> None:
        """The lease is over: tell nothing for any club."""

    def go_on(self) -> None:
        """The lease is valid again: go on with the clubs that were not discarded."""

    def expelled(self) -> None:
        """The node's row is gone. It leads nothing, and has to join again under a new id."""


class Lease:
    """The lease of the node of this id, which has joined; times are of the node's monotonic clock, in ms."""

    def __init__(self, node: str, lease_ms: int, driver: Driver, now_ms: int, *, apart: bool = True) -> None:
        """`apart` says whether its clubs may go to different nodes."""
        self.node = node
        self.until_ms = now_ms
        """When the lease is over for this node."""
        self.clubs: dict[str, int] = {}
        """The clubs that it leads, also while it is suspended, with their epochs."""
        self.nodes: tuple[NodeRow, ...] = ()
        """The nodes that were there at the last look."""
        self.draining = self.suspended = False
        self._apart = apart
        self._lease_ms = lease_ms
        self._held_ms = lease_ms * 9 // 10
        self._driver = driver
        self._queue: deque[Statement] = deque()
        self._running: Statement | None = None
        self._sent_at_ms = now_ms
        self._distrusted = False
        """The lease was over at some time while the statement ran: what it answers may not be so any more."""
        self._renew_at_ms = now_ms
        self._look_at_ms: int | None = None
        self._confirm_until_ms: int | None = None
        """Suspended, and renewed until then: a look is to show which clubs are still this node's."""
        self._targets: dict[str, str | None] = {}
        """Where clubs go that are being stopped."""
        self._given: dict[str, int] = {}
        """The clubs that are stopped and not given away yet, with their epochs."""
        self._orphaned: dict[str, int] = {}
        """Since when each club was seen to be led by nobody whose lease is valid."""
        self._suspend()

    def holds(self, now_ms: int) -> bool:
        """Whether the lease is valid."""
        return now_ms < self.until_ms

    @property
    def count_left(self) -> int:
        """How many clubs it leads, or has stopped and not given away yet."""
        return len(self.clubs) + len(self._given)

    @property
    def has_others(self) -> bool:
        """Whether there are other nodes that take clubs."""
        return any(node.id != self.node and not node.draining for node in self.nodes)

    # --- commands ---

    def want(self, club: str, now_ms: int) -> None:
        """Somebody asks for a club that nobody leads: lead it."""
        if not self.draining and club not in self.clubs and club not in self._given:
            self._add(Acquire(club), now_ms)

    def release(self, club: str, now_ms: int) -> None:
        """Nothing runs in a club, and it was taken out of memory: it needs no leader."""
        self._targets[club] = None
        self.stopped(club, now_ms)

    def move(self, club: str, to: str) -> None:
        """Stop a club, and hand it over to the node of this id."""
        if club in self.clubs and club not in self._targets:
            self._targets[club] = to
            self._driver.hand_over(club, to)

    def drain(self, now_ms: int) -> None:
        """Hand all clubs over, as soon as there are nodes for them, and take none."""
        self.draining = True
        self._add(Renew(draining=True), now_ms, first=True)
        self._move_all()

    def takers(self, club: str, to: str) -> list[NodeRow]:
        """Return the nodes to which a club may go: the one that it was to go to, and then, in a drain, the others."""
        ids = [to, *self._nodes_for(club)] if self.draining else [to]
        there = {node.id: node for node in self.nodes}
        return [there[each] for each in dict.fromkeys(ids) if each in there and each != self.node]

    def stopped(self, club: str, now_ms: int, to: str | None = None) -> None:
        """A club is stopped, and all of it is on disk. `to`: the node that leads it next, if not the chosen one."""
        epoch = self.clubs.pop(club, None)
        target = self._targets.pop(club, None)
        if epoch is not None:
            self._given[club] = epoch
            self._add(HandOver(club, epoch, to or target), now_ms)

    def fenced(self, club: str) -> None:
        """The database refused to write for a club: another leads it."""
        if self.clubs.pop(club, None) is not None:
            self._targets.pop(club, None)
            self._driver.discard(club)

    # --- time ---

    @property
    def wake_at_ms(self) -> int:
        """When `wake` is to be called."""
        due_ms = self._renew_at_ms if self._look_at_ms is None else min(self._renew_at_ms, self._look_at_ms)
        return due_ms if self.suspended else min(due_ms, self.until_ms)

    def wake(self, now_ms: int) -> None:
        """Do what is due."""
        self._notice(now_ms)
        if now_ms >= self._renew_at_ms:
            self._renew_at_ms = now_ms + self._lease_ms // RENEWALS
            if not isinstance(self._running, Renew):  # where statements are slow, looks have their turn between
                self._add(Renew(self.draining), now_ms, first=True)
        if self._look_at_ms is not None and now_ms >= self._look_at_ms:
            self._look_at_ms = None
            self._add(Look(), now_ms)

    def look(self, now_ms: int) -> None:
        """Look soon: another node says that something has changed."""
        self._add(Look(), now_ms)

    # --- statements ---

    def answered(self, answer: Answer, now_ms: int) -> None:
        """The statement that runs was answered."""
        self._notice(now_ms)
        statement, self._running = self._running, None
        match answer:
            case Renewed(known=False):
                self._expel()
            case Renewed():
                self._renewed(self._sent_at_ms + self._held_ms, now_ms)
            case Seen():
                self._seen(answer, now_ms)
            case Acquired(epoch=int(epoch)) if isinstance(statement, Acquire) and not self._distrusted:
                self._lead(statement.club, epoch)
            case HandedOver(done=True) if isinstance(statement, HandOver):
                self._given.pop(statement.club, None)
            case _:  # the next look tells how things are
                self._add(Look(), now_ms)
        self._next(now_ms)

    def failed(self, now_ms: int) -> None:
        """The statement that runs was not answered: it may have been done, or not, and the next look tells."""
        self._notice(now_ms)
        self._running = None
        self._renew_at_ms = min(self._renew_at_ms, now_ms + max(1, self._lease_ms // RETRIES))
        self._queue.clear()

    def _add(self, statement: Statement, now_ms: int, *, first: bool = False) -> None:
        if statement in self._queue:
            return
        if first:
            self._queue.appendleft(statement)
        else:
            self._queue.append(statement)
        self._next(now_ms)

    def _next(self, now_ms: int) -> None:
        if self._running is None and self._queue:
            self._running = self._queue.popleft()
            self._sent_at_ms = now_ms
            self._distrusted = self.suspended
            self._driver.run(self._running)

    # --- what follows ---

    def _notice(self, now_ms: int) -> None:
        if not self.suspended and not self.holds(now_ms):
            self._suspend()
        if self._confirm_until_ms is not None and now_ms >= self._confirm_until_ms:
            self._confirm_until_ms = None

    def _suspend(self) -> None:
        self.suspended = self._distrusted = True
        self._confirm_until_ms = None
        self._driver.suspend()

    def _renewed(self, until_ms: int, now_ms: int) -> None:
        if not self.suspended:
            self.until_ms = until_ms
        elif now_ms < until_ms:
            self._confirm_until_ms = until_ms
        self._add(Look(), now_ms)

    def _seen(self, seen: Seen, now_ms: int) -> None:
        if self.suspended:
            if self._confirm_until_ms is None:
                return  # it says nothing about this moment, and a renewal is due
            self.until_ms, self._confirm_until_ms = self._confirm_until_ms, None
            self.suspended = False
        elif self._distrusted:
            self._add(Look(), now_ms)
            return
        was_over = self._distrusted
        self.nodes = seen.nodes
        self._look_at_ms = None if seen.lapse_in_ms is None else now_ms + seen.lapse_in_ms + 1
        self._compare(seen.own, now_ms)
        if was_over:
            self._driver.go_on()
        for club, to in seen.wanted.items():
            self.move(club, to)
        self.draining = self.draining or any(node.id == self.node and node.draining for node in seen.nodes)
        if self.draining:
            self._move_all()
        else:
            self._take_orphans(seen.orphans, now_ms)

    def _compare(self, own: Mapping[str, int], now_ms: int) -> None:
        """Discard what others have led since, and lead what was handed to this node."""
        for club, epoch in list(self.clubs.items()):
            if own.get(club) != epoch:
                self.fenced(club)
        for club, epoch in list(self._given.items()):
            if own.get(club) != epoch:
                del self._given[club]
            elif not any(isinstance(each, HandOver) and each.club == club for each in self._queue):
                # A club that is led again, even by this node, is led under a new epoch.
                self._add(
                    HandOver(club, epoch, (self._target_of(club) if self.draining else None) or self.node), now_ms
                )
        for club, epoch in own.items():
            if club not in self.clubs and club not in self._given:
                self._lead(club, epoch)

    def _lead(self, club: str, epoch: int) -> None:
        self._orphaned.pop(club, None)
        self.clubs[club] = epoch
        self._driver.lead(club, epoch)

    def _expel(self) -> None:
        if not self.suspended:
            self._suspend()
        for club in list(self.clubs):
            self.fenced(club)
        self._given.clear()
        self._driver.expelled()

    # --- spreading clubs over nodes ---

    def _take_orphans(self, orphans: Iterable[str], now_ms: int) -> None:
        """Lead clubs whose leader is gone: each node its share at once, and in time what the others do not take."""
        self._orphaned = {club: self._orphaned.get(club, now_ms) for club in orphans}
        for club, since_ms in self._orphaned.items():
            nodes = self._nodes_for(club)
            rank = nodes.index(self.node) if self.node in nodes else len(nodes)
            if now_ms - since_ms >= rank * (self._lease_ms // RENEWALS):
                self._add(Acquire(club), now_ms)

    def _move_all(self) -> None:
        for club in list(self.clubs):
            target = self._target_of(club)
            if target is not None:
                self.move(club, target)

    def _target_of(self, club: str) -> str | None:
        """Return the node for a club that this node is not to lead; None if there is no other."""
        return next((node for node in self._nodes_for(club) if node != self.node), None)

    def _nodes_for(self, club: str) -> list[str]:
        """Return the nodes that take clubs, in an order that every node finds, and that is another for each club."""
        nodes = [node.id for node in self.nodes if not node.draining]
        place = club if self._apart else ""
        return sorted(nodes, key=lambda node: blake2b(f"{place} {node}".encode(), digest_size=8).digest())
