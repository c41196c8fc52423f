"""The lease of a node, the clubs that the node leads, and their hand-over to other nodes.

`Lease` is a state machine without input and output: callers give it the time and the answers of the database. `Node`
runs the statements and carries out the commands of `Lease`; tests do the same on virtual time. Only one statement runs
at a time. A *look* is the statement `Look`, which reads the rows of all nodes and clubs.

Two nodes must never lead a club at the same time. Other nodes measure a node's lease with the database's clock, and the
node itself measures its lease with its own monotonic clock. The node counts the time from the moment it sends the
renewal. The node also counts a tenth less than the full time, because two clocks may run at different rates.

A node is suspended when its lease is over. The node goes on only after two statements: a renewal, then a look. The look
shows takeovers of the node's clubs, because a takeover raises the club's epoch.

A club is handed over in these steps; each of them changes the club's row in the database:

1. The leader offers the club to a node.
2. The next leader reads the club ahead (`store/log/ahead.py`), and reports with `Ready`.
3. The leader stops the club, writes all of its facts to disk, and hands the club over.
4. The next leader loads the newest facts, lets bots in, and reports with `Listen`.
5. A moment later all nodes know the new leader. The old leader closes the connections of the club's bots, and the bots
   connect to the new leader.
"""

from collections import Counter, deque
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from typing import Protocol

from rumble_protocol.clubs import MAIN

from rumble_server.store.postgres import lease_statements as statements

RENEWALS = 5
"""Number of renewals in the time of one lease, if every statement succeeds."""
RETRIES = 20
"""Number of retries in a lease's time. After a failed statement the node waits for 1 / `RETRIES` of this time."""
READY_MS = 2_000
"""Maximum time in ms for a node to read an offered club ahead. After this time, another node gets the offer."""
LISTEN_MS = 2_000
"""Maximum time in ms for a new leader to let bots in. After this time, the old leader closes the bots' connections."""
LOOK_MS = 100
"""Time in ms for which the old leader leaves bots connected after the new leader's report.

Meanwhile, all nodes read that the club has a new leader.
"""
AT_ONCE = 2
"""Maximum number of clubs offered to a node at a time.

With two offers, the node reads the facts of one club from the database while it rebuilds the other club.
"""
ABANDON_MS = 5_000
"""Time in ms without a lease after which a node closes its bots' connections. The bots then find the next leader."""


class LeaseDriver(Protocol):
    """The port for the commands of a lease. While a method of the driver runs, the driver must not call the lease."""

    def run(self, statement: statements.Statement) -> None:
        """Run a statement in the background, then call `Lease.answered` or `Lease.failed`."""

    def lead(self, club: str, epoch: int) -> None:
        """Load a club, and lead it under this epoch. Once the club lets bots in, the driver calls `Lease.listening`."""

    def discard(self, club: str) -> None:
        """Forget a club, because another node has taken the club over."""

    def read_ahead(self, club: str, offer: int) -> None:
        """Read ahead a club that another node still leads (`store/log/ahead.py`), then call `Lease.was_read`."""

    def hand_over(self, club: str) -> None:
        """Stop a club, and wait until its facts are on disk. Then call `Lease.stopped`."""

    def handed_over(self, club: str) -> None:
        """Close the connections of bots and visitors of a club that was handed over."""

    def suspend(self) -> None:
        """Send nothing about any club to bots and visitors from now on, because the lease is over."""

    def abandon(self) -> None:
        """Close the connections of bots and visitors of every club, because the lease has been over for long."""

    def go_on(self) -> None:
        """Continue play in all clubs except discarded clubs, because the lease is valid again."""

    def expelled(self) -> None:
        """End this node, because its row is missing in the database. The process has to join under a new id."""


@dataclass(slots=True)
class PlannedHandOver:
    """A planned hand-over of a club to the node `to`, from the offer until the club is stopped."""

    to: str
    offer: int | None = None
    """Number of the offer; None until the database has answered the statement `Offer`."""
    until_ms: int = 0
    """Time in ms until which the node `to` has to be ready."""
    is_ready: bool = False
    """True if the node `to` has read the club ahead."""


class Lease:
    """The lease of the node `node`, which has joined the table of nodes.

    Times are in ms of the node's monotonic clock.
    """

    def __init__(self, node: str, lease_ms: int, driver: LeaseDriver, now_ms: int, *, stands_by: bool = False) -> None:
        """Begin without a valid lease. If `stands_by` is true, the node leads `main` first, then every club."""
        self.node = node
        self.until_ms = now_ms
        """Time in ms at which the lease ends by this node's clock."""
        self.clubs: dict[str, int] = {}
        """Epoch of each club that the node leads, by club. The clubs stay here while the node is suspended."""
        self.nodes: dict[str, statements.NodeRow] = {}
        """The nodes that had a valid lease at the last statement `Look`, by id."""
        self.rows: dict[str, statements.ClubRow] = {}
        """Rows of the clubs that had a leader at the last statement `Look`, by club."""
        self.draining = self.suspended = False
        self._stands_by = stands_by
        self._lease_ms = lease_ms
        self._held_ms = lease_ms * 9 // 10
        self._driver = driver
        self._queue: deque[statements.Statement] = deque()
        self._running: statements.Statement | None = None
        self._sent_at_ms = now_ms
        self._distrusted = False
        """True if the lease was over at some time since the running statement was sent.

        The answer to the statement may then be outdated.
        """
        self._renew_at_ms = now_ms
        self._look_at_ms: int | None = None
        """Time in ms at which to send the next planned statement `Look`; None if no look is planned.

        The look comes just after the earliest time at which the lease of another node can end.
        """
        self._confirm_until_ms: int | None = None
        """Time in ms at which a renewed lease ends, if the node is still suspended; None in all other cases.

        The node then waits for the look after the renewal. The look shows whether the node still leads its clubs.
        """
        self._abandon_at_ms: int | None = None
        """Time in ms at which to call `abandon`; None if the lease is valid, or `abandon` was called already."""
        self._missing: dict[str, int] = {}
        """Time in ms at which the node first noticed that a club has no leader with a valid lease, by club."""
        self._planned: dict[str, PlannedHandOver] = {}
        """Planned hand-overs of this node's clubs, by club."""
        self._passed_over: dict[str, set[str]] = {}
        """Nodes that were offered a club and were not ready in time, by club. The club is not offered to them again."""
        self._stopping: str | None = None
        """The club that is being stopped. Only one club is stopped at a time, to keep pauses short."""
        self._given: dict[str, int] = {}
        """Old epoch of each stopped club whose hand-over the database has not confirmed yet, by club."""
        self._leaving: dict[str, tuple[int, int]] = {}
        """Clubs that were handed over, but have bots still connected here.

        Each has the new epoch, and the time in ms at which to close the bots' connections.
        """
        self._reading: dict[str, int] = {}
        """Number of the offer for which this node is reading or has read a club ahead, by club."""
        self._suspend(now_ms)

    def holds(self, now_ms: int) -> bool:
        """Return true if the lease is valid."""
        return now_ms < self.until_ms

    @property
    def count_left(self) -> int:
        """Number of clubs that this node has not completely handed over.

        Such a club is led by this node, is being handed over, or was handed over but has bots still connected here.
        """
        return len(self.clubs) + len(self._given) + len(self._leaving)

    @property
    def can_hand_over(self) -> bool:
        """True if a hand-over is going on, or some other node can take a club."""
        return bool(self._planned or self._given or self._leaving) or any(map(self._target_of, self.clubs))

    def leader_of(self, club: str) -> statements.NodeRow | None:
        """Return the club's leader at the last look; None if the club had no leader with a valid lease."""
        row = self.rows.get(club)
        if row is None or (row.node == self.node and club not in self.clubs):  # given away after the look
            return None
        return self.nodes.get(row.node)

    # --- commands ---

    def want(self, club: str, now_ms: int) -> None:
        """Acquire a club without a leader: at once if this node is the first choice for the club, otherwise later."""
        if club not in self.clubs and club not in self._given and self.leader_of(club) is None:
            self._missing.setdefault(club, now_ms)
            self._take_missing(now_ms)

    def release(self, club: str, now_ms: int) -> None:
        """Give up a club that is empty and was removed from memory."""
        self._give(club, None, now_ms)

    def drain(self, now_ms: int) -> None:
        """Begin to hand over every club to nodes that can take clubs. Take no more clubs."""
        self.draining = True
        self._missing.clear()
        self._add(statements.Renew(draining=True), now_ms, first=True)
        self._offer_all(now_ms)

    def was_read(self, club: str, offer: int, now_ms: int) -> None:
        """Report to a club's leader that this node has read the club ahead. `offer` is the number of the offer."""
        if self._reading.get(club) == offer and not self.draining:
            self._add(statements.Ready(club, offer), now_ms)

    def stopped(self, club: str, now_ms: int) -> None:
        """Hand over a club that was stopped and has its facts on disk."""
        planned = self._planned.pop(club, None)
        self._stopping = None
        self._give(club, None if planned is None else planned.to, now_ms)

    def listening(self, club: str, epoch: int, now_ms: int) -> None:
        """Report that a club was loaded and lets its bots in."""
        if self.clubs.get(club) == epoch:
            self._add(statements.Listen(club, epoch), now_ms)

    def fenced(self, club: str) -> None:
        """Discard a club, because a refused commit or a look has shown that this node no longer leads the club."""
        if self.clubs.pop(club, None) is not None:
            self._forget_planned(club)
            self._driver.discard(club)

    # --- time ---

    @property
    def wake_at_ms(self) -> int:
        """Time in ms at which `wake` has to be called next."""
        offered = (each for each in self._planned.values() if each.offer is not None and not each.is_ready)
        due = [self._renew_at_ms, *(each.until_ms for each in offered)]
        due += [until_ms for _, until_ms in self._leaving.values()]
        due += [at_ms for at_ms in (self._look_at_ms, self._abandon_at_ms) if at_ms is not None]
        return min(due) if self.suspended else min(*due, self.until_ms)

    def wake(self, now_ms: int) -> None:
        """Do the work that is due: notice the lease's end, send a renewal or a look, and close bots' connections.

        Also end each offer to a node that is not ready in time, and make new offers.
        """
        self._notice(now_ms)
        if now_ms >= self._renew_at_ms:
            self._renew_at_ms = now_ms + self._lease_ms // RENEWALS
            # A renewal goes to the front of the queue. With statements slower than the pause, two renewals in a row
            # would keep every look waiting.
            if not isinstance(self._running, statements.Renew):
                self._add(statements.Renew(self.draining), now_ms, first=True)
        if self._look_at_ms is not None and now_ms >= self._look_at_ms:
            self._look_at_ms = None
            self._add(statements.Look(), now_ms)
        for club, (_, until_ms) in list(self._leaving.items()):
            if now_ms >= until_ms:
                self._leave(club)
        for club, planned in list(self._planned.items()):
            if planned.offer is not None and not planned.is_ready and now_ms >= planned.until_ms:
                self._passed_over.setdefault(club, set()).add(planned.to)
                self._forget_planned(club)
        self._offer_all(now_ms)

    def look(self, now_ms: int) -> None:
        """Read the rows of nodes and clubs again soon, because another node or a command has changed a row."""
        self._add(statements.Look(), now_ms)

    # --- statements ---

    def answered(self, answer: statements.Answer, now_ms: int) -> None:
        """Handle the answer to the running statement, and send the next statement."""
        self._notice(now_ms)
        statement, self._running = self._running, None
        match answer:
            case statements.Renewed(known=False):
                self._expel(now_ms)
            case statements.Renewed():
                # The database extended the lease after the statement was sent, so the lease ends later there than here.
                self._renewed(self._sent_at_ms + self._held_ms, now_ms)
            case statements.Seen():
                self._seen(answer, now_ms)
            case statements.Acquired(epoch=int(epoch)) if (
                isinstance(statement, statements.Acquire) and not self._distrusted
            ):
                self._lead(statement.club, epoch)
            case statements.Offered(offer=int(offer)) if isinstance(statement, statements.Offer):
                self._offered(statement, offer, now_ms)
            case statements.HandedOver(epoch=int(epoch)) if isinstance(statement, statements.HandOver):
                self._given.pop(statement.club, None)
                if statement.to is None:
                    self._driver.handed_over(statement.club)
                else:
                    self._leaving[statement.club] = epoch, now_ms + LISTEN_MS
            case _:  # the next look shows the effect
                self._add(statements.Look(), now_ms)
        self._next(now_ms)

    def failed(self, now_ms: int) -> None:
        """Handle a failure of the running statement. Only the next look shows whether the statement took effect."""
        self._notice(now_ms)
        self._running = None
        # The renewal comes soon, and a look follows each renewal.
        self._renew_at_ms = min(self._renew_at_ms, now_ms + max(1, self._lease_ms // RETRIES))
        # The queued statements were chosen by a state that may be wrong now. The look queues again what is needed,
        # except for a `Listen`, without which the old leader closes bots' connections after `LISTEN_MS`.
        self._queue.clear()
        for club in [club for club, planned in self._planned.items() if planned.offer is None]:
            self._forget_planned(club)
        self._reading.clear()  # a `Ready` may be lost: the look shows the offer again

    def _add(self, statement: statements.Statement, now_ms: int, *, first: bool = False) -> None:
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

    # --- suspension ---

    def _notice(self, now_ms: int) -> None:
        """Suspend the node if its lease is over.

        If a renewed lease ended before the look that confirms the lease, forget the renewal. If the lease has been over
        for `ABANDON_MS`, close bots' connections.
        """
        if not self.suspended and not self.holds(now_ms):
            self._suspend(self.until_ms)
        if self._confirm_until_ms is not None and now_ms >= self._confirm_until_ms:
            self._confirm_until_ms = None
        if self._abandon_at_ms is not None and now_ms >= self._abandon_at_ms:
            self._abandon_at_ms = None
            self._driver.abandon()

    def _suspend(self, since_ms: int) -> None:
        """Suspend the node, whose lease has been over since `since_ms`."""
        self.suspended = self._distrusted = True
        self._confirm_until_ms = None
        self._abandon_at_ms = since_ms + ABANDON_MS
        self._driver.suspend()

    def _renewed(self, until_ms: int, now_ms: int) -> None:
        """Extend the lease to `until_ms`: at once, or with the next look if the node is suspended."""
        if not self.suspended:
            self.until_ms = until_ms
        elif now_ms < until_ms:
            self._confirm_until_ms = until_ms
        self._add(statements.Look(), now_ms)

    def _seen(self, seen: statements.Seen, now_ms: int) -> None:
        """Store the rows of a look, and act on the rows.

        If the node is suspended, a look after a renewal ends the suspension, and any other look is ignored.
        """
        if self.suspended:
            if self._confirm_until_ms is None:
                return  # no valid renewal came before the look, so the clubs may be taken now; a renewal is due
            # The look was sent after the renewal, because statements run one at a time.
            self.until_ms, self._confirm_until_ms = self._confirm_until_ms, None
            self.suspended = False
            self._abandon_at_ms = None
        elif self._distrusted:
            self._add(statements.Look(), now_ms)
            return
        was_over = self._distrusted
        self.nodes = {node.id: node for node in seen.nodes}
        self.rows = dict(seen.clubs)
        self._look_at_ms = None if seen.lapse_in_ms is None else now_ms + seen.lapse_in_ms + 1
        self._compare(now_ms)
        if was_over:
            self._driver.go_on()
        own = self.nodes.get(self.node)
        if not self.draining and own is not None and own.draining:
            self.drain(now_ms)
        self._follow_planned(now_ms)
        if not self.draining:
            self._read_offered()
            for club, row in self.rows.items():
                if row.node not in self.nodes:
                    self._missing.setdefault(club, now_ms)
            self._take_missing(now_ms)

    def _compare(self, now_ms: int) -> None:
        """Compare the node's clubs with the rows of the last look.

        Discard clubs that other nodes have taken over, repeat hand-overs that had no effect, and begin to lead clubs
        whose rows name this node.
        """
        own = {club: row.epoch for club, row in self.rows.items() if row.node == self.node}
        for club, epoch in list(self.clubs.items()):
            if own.get(club) != epoch:
                self.fenced(club)
        for club, epoch in list(self._given.items()):
            if own.get(club) != epoch:  # the hand-over took effect, but its answer was lost
                del self._given[club]
                self._driver.handed_over(club)
            elif not any(isinstance(each, statements.HandOver) and each.club == club for each in self._queue):
                # The hand-over was lost. The club is stopped, and can be led again only under a new epoch, even by
                # this node.
                self._add(statements.HandOver(club, epoch, self._target_of(club) or self.node), now_ms)
        for club, epoch in own.items():
            if club not in self.clubs and club not in self._given:
                self._lead(club, epoch)

    def _lead(self, club: str, epoch: int) -> None:
        """Begin to lead a club, because the club's row names this node as the leader."""
        self._missing.pop(club, None)
        self._reading.pop(club, None)
        if club in self._leaving:
            self._leave(club)
        self.clubs[club] = epoch
        self._driver.lead(club, epoch)

    def _expel(self, now_ms: int) -> None:
        """Discard all clubs and end the node, because its row is missing in the database."""
        if not self.suspended:
            self._suspend(now_ms)
        for club in list(self.clubs):
            self.fenced(club)
        self._given.clear()
        self._driver.expelled()

    # --- clubs that need a leader ---

    def _take_missing(self, now_ms: int) -> None:
        """Acquire clubs without a leader: at once if this node is the first choice for a club, otherwise later.

        For each earlier node in the club's order, this node waits one interval of renewals. Therefore two nodes seldom
        try to acquire the same club.
        """
        if self.suspended or self.draining:
            return
        for club, since_ms in list(self._missing.items()):
            if self.leader_of(club) is not None:
                del self._missing[club]
            elif now_ms - since_ms >= self._rank_for(club) * (self._lease_ms // RENEWALS):
                self._add(statements.Acquire(club), now_ms)

    def _rank_for(self, club: str) -> float:
        """Return the position of this node in a club's order of nodes: 0 for the first choice.

        The position is infinite if the node must not acquire the club.
        """
        if self._stands_by and club != MAIN:
            return 0 if MAIN in self.clubs else inf
        nodes = self._nodes_for(club)
        return nodes.index(self.node) if self.node in nodes else len(nodes)

    def _nodes_for(self, club: str) -> list[str]:
        """Return the nodes that may lead a club, in order of preference. Every node computes the same order.

        The order is by a hash of club and node (rendezvous hashing). Clubs are therefore spread evenly, and if a node
        is lost, only its clubs move. On standby the order is the same for each club, so that one node leads all clubs.
        """
        nodes = [node.id for node in self.nodes.values() if not node.draining]
        salt = "" if self._stands_by else club
        return sorted(nodes, key=lambda node: blake2b(f"{salt} {node}".encode(), digest_size=8).digest())

    # --- hand-over: the leader's side ---

    def _target_of(self, club: str) -> str | None:
        """Return the node to which a club has to move; None if the club stays here, or no node can take it."""
        row = self.rows.get(club)
        able = [] if row is None else [node for node in self.nodes.values() if not node.draining]
        wanted = [node.id for node in able if row is not None and row.wanted in (node.id, node.address)]
        if wanted and self.node not in wanted:
            return wanted[0]
        passed_over = {self.node, *self._passed_over.get(club, ())}
        names = self._nodes_for(club) if self.draining else ()
        return next((node for node in names if node not in passed_over), None)

    def _offer_all(self, now_ms: int) -> None:
        """For each club that has to move, make an offer to another node.

        A node gets at most `AT_ONCE` offers at a time.
        """
        if self.suspended:
            return
        offered = Counter(planned.to for planned in self._planned.values())
        for club, epoch in self.clubs.items():
            target = None if club in self._planned else self._target_of(club)
            if target is not None and offered[target] < AT_ONCE:
                offered[target] += 1
                self._planned[club] = PlannedHandOver(target)
                self._add(statements.Offer(club, epoch, target), now_ms)

    def _offered(self, statement: statements.Offer, offer: int, now_ms: int) -> None:
        planned = self._planned.get(statement.club)
        if planned is not None and planned.to == statement.to:
            planned.offer, planned.until_ms = offer, now_ms + READY_MS

    def _follow_planned(self, now_ms: int) -> None:
        """Continue hand-overs after a look.

        Plan when to close bots' connections, cancel hand-overs to lost nodes, and note which nodes are ready. Then stop
        a club, and make new offers.
        """
        for club, (epoch, until_ms) in list(self._leaving.items()):
            row = self.rows.get(club)
            if row is None or row.epoch > epoch:
                self._leave(club)
            elif row.listens >= epoch:
                # A bot whose connection is closed connects again at once. A node that has not looked yet would send the
                # bot back here.
                self._leaving[club] = epoch, min(until_ms, now_ms + LOOK_MS)
        for club, planned in list(self._planned.items()):
            row = self.rows[club]
            if planned.to not in self.nodes and club != self._stopping:
                self._forget_planned(club)
            elif planned.offer is not None:
                if row.to == planned.to and row.offer > planned.offer:  # a failed statement took effect after all
                    planned.offer = row.offer
                planned.is_ready = row.ready == planned.offer
        self._stop_next()
        self._offer_all(now_ms)

    def _stop_next(self) -> None:
        """Begin to stop a club whose next leader is ready. Do nothing while a club is being stopped or handed over."""
        if self._stopping is None and not self._given and not self._leaving:
            ready = (club for club, planned in self._planned.items() if planned.is_ready)
            self._stopping = next(ready, None)
            if self._stopping is not None:
                self._driver.hand_over(self._stopping)

    def _give(self, club: str, to: str | None, now_ms: int) -> None:
        """Stop leading a club, and hand it over to the node `to`. If `to` is None, leave the club without a leader."""
        epoch = self.clubs.pop(club, None)
        if epoch is not None:
            self._given[club] = epoch
            self._add(statements.HandOver(club, epoch, to), now_ms)

    def _leave(self, club: str) -> None:
        """Close the connections of bots of a club that was handed over. Then begin the next hand-over."""
        del self._leaving[club]
        self._driver.handed_over(club)
        self._stop_next()

    def _forget_planned(self, club: str) -> None:
        self._planned.pop(club, None)
        if self._stopping == club:
            self._stopping = None

    # --- hand-over: the next leader's side ---

    def _read_offered(self) -> None:
        """Begin to read ahead (`store/log/ahead.py`) the clubs that were offered to this node."""
        for club, row in self.rows.items():
            if row.to == self.node and row.ready != row.offer and self._reading.get(club) != row.offer:
                self._reading[club] = row.offer
                self._driver.read_ahead(club, row.offer)
