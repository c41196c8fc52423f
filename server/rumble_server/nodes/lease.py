"""The lease of a node, and the clubs that the node leads.

`Lease` is a state machine without input and output: callers give it the time and the answers of the database. `Node`
runs the statements of `Lease`, and `LedClubs` carries out the commands; tests do the same on virtual time. A *look* is
the statement `Look`, which reads the rows of all nodes and clubs. `HandOvers` decides on the hand-overs of clubs.

Two nodes must never lead a club at the same time. Other nodes measure a lease with the database's clock, and its holder
with its own monotonic clock. The node counts the time from the moment it sends the renewal. The node also counts a
tenth less than the full time, because two clocks may run at different rates.

A node is suspended when its lease is over. The node goes on only after two statements: a renewal, then a look. The look
shows takeovers of the node's clubs, because a takeover raises the club's epoch.
"""

from collections.abc import Callable
from math import inf

from rumble_protocol.clubs import MAIN

from rumble_server.nodes.hand_over import HandOvers
from rumble_server.nodes.lease_rows import LeaseRows
from rumble_server.nodes.lease_state import LeaseState
from rumble_server.nodes.ports import LeaseCommands
from rumble_server.store.postgres import lease_statements as statements

RENEWALS = 5
"""Number of renewals in the time of one lease, if every statement succeeds."""
RETRIES = 20
"""Number of retries in a lease's time. After a failed statement the node waits for 1 / `RETRIES` of this time."""
DISCONNECT_MS = 5_000
"""Time in ms without a lease after which a node closes its bots' connections. The bots then find the next leader."""


class Lease(LeaseState):
    """The lease of the node `node`, which has joined the table of nodes.

    Times are in ms of the node's monotonic clock.
    """

    def __init__(
        self,
        node: str,
        lease_ms: int,
        run_statement: Callable[[statements.Statement], None],
        commands: LeaseCommands,
        now_ms: int,
        *,
        stands_by: bool = False,
    ) -> None:
        """Begin without a valid lease. If `stands_by` is true, the node leads `main` first, then every club.

        `run_statement` runs a statement in the background, then calls `on_answer` or `on_failure`.
        """
        super().__init__(node, run_statement, commands, now_ms, stands_by=stands_by)
        self.hand_overs = HandOvers(self)
        self.until_ms = now_ms
        """Time in ms at which the lease ends by this node's clock."""
        self._lease_ms = lease_ms
        self._counted_ms = lease_ms * 9 // 10
        """Time in ms that the node counts of its lease."""
        self._renew_at_ms = now_ms
        self._look_at_ms: int | None = None
        """Time in ms at which to send the next planned statement `Look`; None if no look is planned.

        The look comes just after the earliest time at which the lease of another node can end.
        """
        self._confirm_until_ms: int | None = None
        """Time in ms at which a renewed lease ends, if the node is still suspended; None in all other cases.

        The node then waits for the look after the renewal. The look shows whether the node still leads its clubs.
        """
        self._disconnect_at_ms: int | None = None
        """Time in ms at which to call `disconnect_all`; None if the lease is valid, or after the call."""
        self._leaderless: dict[str, int] = {}
        """Time in ms at which the node first noticed that a club has no leader with a valid lease, by club."""
        self._suspend(now_ms)

    def is_valid(self, now_ms: int) -> bool:
        """Return true if the lease is valid."""
        return now_ms < self.until_ms

    @property
    def clubs_left(self) -> int:
        """Number of clubs that this node has not completely handed over.

        Such a club is led by this node, is being handed over, or was handed over but has bots still connected here.
        """
        return len(self.clubs) + self.hand_overs.clubs_left

    def leader_of(self, club: str) -> statements.NodeRow | None:
        """Return the club's leader at the last look; None if the club had no leader with a valid lease."""
        leader = self.rows.leader_of(club)
        was_given_away = leader is not None and leader.id == self.node and club not in self.clubs
        return None if was_given_away else leader

    # --- commands ---

    def serve(self, commands: LeaseCommands) -> None:
        """Use `commands` from now on, and load the clubs that this node already leads."""
        self.commands = commands
        for club, epoch in self.clubs.items():
            commands.start_leading(club, epoch)

    def request_leader(self, club: str, now_ms: int) -> None:
        """Acquire a club without a leader: at once if this node is the first choice for the club, otherwise later."""
        if club not in self.clubs and club not in self.hand_overs.unconfirmed and self.leader_of(club) is None:
            self._leaderless.setdefault(club, now_ms)
            self._acquire_leaderless(now_ms)

    def drain(self, now_ms: int) -> None:
        """Begin to hand over every club to nodes that can take clubs. Take no more clubs."""
        self.is_draining = True
        self._leaderless.clear()
        self.add(statements.Renew(draining=True), now_ms, first=True)
        self.hand_overs.offer_all(now_ms)

    def on_listening(self, club: str, epoch: int, now_ms: int) -> None:
        """Report that a club was loaded and lets its bots in."""
        if self.clubs.get(club) == epoch:
            self.add(statements.Listen(club, epoch), now_ms)

    def on_lead_lost(self, club: str, epoch: int) -> None:
        """Discard a club, because this node no longer leads the club under `epoch`.

        A refused commit or a look has shown the loss. The loss of an earlier epoch says nothing about the current
        epoch.
        """
        if self.clubs.get(club) == epoch:
            del self.clubs[club]
            self.hand_overs.forget(club)
            self.commands.discard(club)

    # --- time ---

    @property
    def wake_at_ms(self) -> int:
        """Time in ms at which `wake` has to be called next."""
        due = [self._renew_at_ms, *self.hand_overs.due_ms]
        due += [at_ms for at_ms in (self._look_at_ms, self._disconnect_at_ms) if at_ms is not None]
        return min(due) if self.is_suspended else min(*due, self.until_ms)

    def wake(self, now_ms: int) -> None:
        """Do the work that is due: notice the lease's end, send a renewal or a look, and continue hand-overs."""
        self._check_expiry(now_ms)
        if now_ms >= self._renew_at_ms:
            self._renew_at_ms = now_ms + self._lease_ms // RENEWALS
            # A renewal goes to the front of the queue. With statements slower than the pause, two renewals in a row
            # would keep every look waiting.
            if not isinstance(self._running, statements.Renew):
                self.add(statements.Renew(self.is_draining), now_ms, first=True)
        if self._look_at_ms is not None and now_ms >= self._look_at_ms:
            self._look_at_ms = None
            self.add(statements.Look(), now_ms)
        self.hand_overs.wake(now_ms)

    def look(self, now_ms: int) -> None:
        """Read the rows of nodes and clubs again soon, because another node or a command has changed a row."""
        self.add(statements.Look(), now_ms)

    # --- statements ---

    def on_answer(self, answer: statements.StatementResult, now_ms: int) -> None:
        """Handle the answer to the running statement, and send the next statement."""
        self._check_expiry(now_ms)
        statement, self._running = self._running, None
        match statement, answer:
            case statements.Renew(), statements.Executed(None):
                self._expel(now_ms)
            case statements.Renew(), _:
                # The database extended the lease after the statement was sent, so the lease ends later there than here.
                self._renewed(self._sent_at_ms + self._counted_ms, now_ms)
            case _, statements.LookedUp() as seen:
                self._on_look(seen, now_ms)
            case statements.Acquire(club), statements.Executed(int(epoch)) if not self._has_lapsed_since_sent:
                self._start_leading(club, epoch)
            case statements.Offer() as offered, statements.Executed(int(offer)):
                self.hand_overs.on_offered(offered, offer, now_ms)
            case statements.HandOver() as given, statements.Executed(int(epoch)):
                self.hand_overs.on_handed_over(given, epoch, now_ms)
            case _:  # the next look shows the effect
                self.add(statements.Look(), now_ms)
        self._next(now_ms)

    def on_failure(self, now_ms: int) -> None:
        """Handle a failure of the running statement. Only the next look shows whether the statement took effect."""
        self._check_expiry(now_ms)
        self._running = None
        # The renewal comes soon, and a look follows each renewal.
        self._renew_at_ms = min(self._renew_at_ms, now_ms + max(1, self._lease_ms // RETRIES))
        # The queued statements were chosen by a state that may be wrong now. The next look queues what is still needed.
        # A lost `Listen` is not queued again; the old leader then waits for `LISTEN_MS`.
        self._queue.clear()
        self.hand_overs.on_failure()

    # --- suspension ---

    def _check_expiry(self, now_ms: int) -> None:
        """Suspend the node if its lease is over.

        If a renewed lease ended before the look that confirms the lease, forget the renewal. If the lease has been over
        for `DISCONNECT_MS`, close bots' connections.
        """
        if not self.is_suspended and not self.is_valid(now_ms):
            self._suspend(self.until_ms)
        if self._confirm_until_ms is not None and now_ms >= self._confirm_until_ms:
            self._confirm_until_ms = None
        if self._disconnect_at_ms is not None and now_ms >= self._disconnect_at_ms:
            self._disconnect_at_ms = None
            self.commands.disconnect_all()

    def _suspend(self, since_ms: int) -> None:
        """Suspend the node, whose lease has been over since `since_ms`."""
        self.is_suspended = self._has_lapsed_since_sent = True
        self._confirm_until_ms = None
        self._disconnect_at_ms = since_ms + DISCONNECT_MS
        self.commands.suspend()

    def _renewed(self, until_ms: int, now_ms: int) -> None:
        """Extend the lease to `until_ms`: at once, or with the next look if the node is suspended."""
        if not self.is_suspended:
            self.until_ms = until_ms
        elif now_ms < until_ms:
            self._confirm_until_ms = until_ms
        self.add(statements.Look(), now_ms)

    def _on_look(self, look: statements.LookedUp, now_ms: int) -> None:
        """Store the rows of a look, and act on the rows.

        If the node is suspended, a look after a renewal ends the suspension, and any other look is ignored.
        """
        if self.is_suspended:
            if self._confirm_until_ms is None:
                return  # no valid renewal came before the look, so the clubs may be taken now; a renewal is due
            # The look was sent after the renewal, because statements run one at a time.
            self.until_ms, self._confirm_until_ms = self._confirm_until_ms, None
            self.is_suspended = False
            self._disconnect_at_ms = None
        elif self._has_lapsed_since_sent:
            self.add(statements.Look(), now_ms)
            return
        was_over = self._has_lapsed_since_sent
        self.rows = LeaseRows(look)
        self._look_at_ms = None if look.lapse_in_ms is None else now_ms + look.lapse_in_ms + 1
        self._compare(now_ms)
        if was_over:
            self.commands.resume()
        own = self.rows.nodes.get(self.node)
        if not self.is_draining and own is not None and own.draining:
            self.drain(now_ms)
        self.hand_overs.continue_after_look(now_ms)
        if not self.is_draining:
            self.hand_overs.read_offered()
            for club in self.rows.clubs:
                if self.rows.leader_of(club) is None:
                    self._leaderless.setdefault(club, now_ms)
            self._acquire_leaderless(now_ms)

    def _compare(self, now_ms: int) -> None:
        """Compare the node's clubs with the rows of the last look.

        Discard clubs that other nodes have taken over, repeat hand-overs that had no effect, and begin to lead clubs
        whose rows name this node.
        """
        own = {club: row.epoch for club, row in self.rows.clubs.items() if row.node == self.node}
        for club, epoch in list(self.clubs.items()):
            if own.get(club) != epoch:
                self.on_lead_lost(club, epoch)
        self.hand_overs.repeat_lost(own, now_ms)
        for club, epoch in own.items():
            if club not in self.clubs and club not in self.hand_overs.unconfirmed:
                self._start_leading(club, epoch)

    def _start_leading(self, club: str, epoch: int) -> None:
        """Begin to lead a club, because the club's row names this node as the leader."""
        self._leaderless.pop(club, None)
        self.hand_overs.on_arrived(club)
        self.clubs[club] = epoch
        self.commands.start_leading(club, epoch)

    def _expel(self, now_ms: int) -> None:
        """Discard all clubs and end the node, because its row is missing in the database."""
        if not self.is_suspended:
            self._suspend(now_ms)
        for club, epoch in list(self.clubs.items()):
            self.on_lead_lost(club, epoch)
        self.hand_overs.unconfirmed.clear()
        self.commands.end_node()

    # --- clubs that need a leader ---

    def _acquire_leaderless(self, now_ms: int) -> None:
        """Acquire clubs without a leader: at once if this node is the first choice for a club, otherwise later.

        For each earlier node in the club's order, this node waits one interval of renewals. Therefore two nodes seldom
        try to acquire the same club.
        """
        if self.is_suspended or self.is_draining:
            return
        for club, since_ms in list(self._leaderless.items()):
            if self.leader_of(club) is not None:
                del self._leaderless[club]
            elif now_ms - since_ms >= self._rank_for(club) * (self._lease_ms // RENEWALS):
                self.add(statements.Acquire(club), now_ms)

    def _rank_for(self, club: str) -> float:
        """Return the position of this node in a club's order of nodes: 0 for the first choice.

        The position is infinite if the node must not acquire the club.
        """
        if self.stands_by and club != MAIN:
            return 0 if MAIN in self.clubs else inf
        nodes = self.order_for(club)
        return nodes.index(self.node) if self.node in nodes else len(nodes)
