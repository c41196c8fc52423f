"""The decisions of a node in hand-overs of clubs, for clubs that the node gives up and for clubs offered to it.

`Lease` calls `HandOvers` after each look, and `LedClubs` reports what was done. Like `Lease`, `HandOvers` has no input
and output. `docs/architecture/nodes.md` has the steps of a hand-over.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rumble_server.nodes.lease_state import LeaseState
from rumble_server.store.postgres.lease_statements import HandOver, Offer, Ready

READY_MS = 2_000
"""Time in ms for a node to read an offered club ahead. After this time, another node gets the offer, if any can."""
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


class HandOvers:
    """The hand-overs of clubs from a node and to the node. Times are in ms of the node's monotonic clock."""

    def __init__(self, state: LeaseState) -> None:
        self._state = state
        self._planned: dict[str, PlannedHandOver] = {}
        """Planned hand-overs of this node's clubs, by club."""
        self._passed_over: dict[str, set[str]] = {}
        """Nodes that were offered a club and were not ready in time, by club. Other nodes get offers before them."""
        self._stopping: str | None = None
        """The club that is being stopped. Only one club is stopped at a time, to keep pauses short."""
        self.unconfirmed: dict[str, HandOver] = {}
        """Hand-over of each stopped club that the database has not confirmed yet, by club. A repetition replaces no
        entry."""
        self._handed_over: dict[str, tuple[int, int]] = {}
        """Clubs that were handed over, but have bots still connected here.

        Each has the new epoch, and the time in ms at which to close the bots' connections.
        """
        self._reading: set[str] = set()
        """Clubs that this node is reading ahead. A new offer of such a club does not begin the reading again."""
        self._reported: dict[str, int] = {}
        """Number of the offer after which this node has last reported that it read a club ahead, by club."""

    @property
    def clubs_left(self) -> int:
        """Number of stopped clubs that are being handed over, or have bots still connected here."""
        return len(self.unconfirmed) + len(self._handed_over)

    @property
    def can_go_on(self) -> bool:
        """True if a hand-over is going on, or some other node can take a club."""
        return bool(self._planned or self.clubs_left) or any(map(self._target_of, self._state.clubs))

    @property
    def due_ms(self) -> list[int]:
        """Times in ms at which `wake` has work."""
        offered = (plan for plan in self._planned.values() if plan.offer is not None and not plan.is_ready)
        return [*(plan.until_ms for plan in offered), *(until_ms for _, until_ms in self._handed_over.values())]

    def wake(self, now_ms: int) -> None:
        """Close bots' connections that are due, and make offers.

        An offer to a node that is not ready in time ends if another node can take the club. Otherwise the offer stands.
        """
        for club, (_, until_ms) in list(self._handed_over.items()):
            if now_ms >= until_ms:
                self._finish(club)
        for club, plan in list(self._planned.items()):
            if plan.offer is not None and not plan.is_ready and now_ms >= plan.until_ms:
                self._passed_over.setdefault(club, set()).add(plan.to)
                plan.until_ms = now_ms + READY_MS
                if self._target_of(club) != plan.to:
                    self.forget(club)
        self.offer_all(now_ms)

    # --- the leader's side ---

    def _target_of(self, club: str) -> str | None:
        """Return the node to which a club has to move; None if the club stays here, or no node can take it."""
        state = self._state
        nodes = state.rows.wanted_for(club)
        if not nodes or state.node in nodes:
            nodes = [node for node in state.order_for(club) if node != state.node] if state.is_draining else []
        passed_over = self._passed_over.get(club, set())
        return min(nodes, key=lambda node: node in passed_over, default=None)

    def offer_all(self, now_ms: int) -> None:
        """For each club that has to move, make an offer to another node.

        A node gets at most `AT_ONCE` offers at a time.
        """
        if self._state.is_suspended:
            return
        offered = Counter(plan.to for plan in self._planned.values())
        for club, epoch in self._state.clubs.items():
            target = None if club in self._planned else self._target_of(club)
            if target is not None and offered[target] < AT_ONCE:
                offered[target] += 1
                self._planned[club] = PlannedHandOver(target)
                self._state.add(Offer(club, epoch, target), now_ms)

    def on_offered(self, statement: Offer, offer: int, now_ms: int) -> None:
        """Wait for the node that got an offer. `offer` is the number of the offer."""
        plan = self._planned.get(statement.club)
        if plan is not None and plan.to == statement.to:
            plan.offer, plan.until_ms = offer, now_ms + READY_MS

    def continue_after_look(self, now_ms: int) -> None:
        """Continue hand-overs after a look.

        Plan when to close bots' connections, cancel hand-overs to lost nodes and by lost offers, and note which nodes
        are ready. Then stop a club, and make new offers.
        """
        rows = self._state.rows
        for club, (epoch, until_ms) in list(self._handed_over.items()):
            row = rows.clubs.get(club)
            if row is None or row.epoch > epoch:
                self._finish(club)
            elif row.listens >= epoch:
                # A bot whose connection is closed connects again at once. A node that has not looked yet would send the
                # bot back here.
                self._handed_over[club] = epoch, min(until_ms, now_ms + LOOK_MS)
        for club, plan in [each for each in self._planned.items() if each[0] != self._stopping]:
            row = rows.clubs[club]
            if plan.to not in rows.nodes or (plan.offer is not None and row.to != plan.to):
                self.forget(club)
            elif plan.offer is not None:
                if row.offer > plan.offer:  # a failed statement took effect after all
                    plan.offer = row.offer
                plan.is_ready = row.ready == plan.offer
        self._stop_next()
        self.offer_all(now_ms)

    def _stop_next(self) -> None:
        """Begin to stop a club whose next leader is ready. Do nothing while a club is being stopped or handed over."""
        if self._stopping is None and not self.clubs_left:
            ready = (club for club, plan in self._planned.items() if plan.is_ready)
            self._stopping = next(ready, None)
            if self._stopping is not None:
                self._state.commands.hand_over(self._stopping)

    def on_stopped(self, club: str, now_ms: int) -> None:
        """Hand over a club that was stopped and has its facts on disk."""
        plan = self._planned.get(club)
        self._hand_over(club, None if plan is None else plan.to, now_ms)

    def release(self, club: str, now_ms: int) -> None:
        """Give up a club that is empty and was removed from memory."""
        self._hand_over(club, None, now_ms)

    def hand_to_next(self, club: str, epoch: int, now_ms: int) -> None:
        """Hand a club that this node cannot load over to the next node in the club's order.

        After the last node, the first node gets the club. A lone node leads the club again under a new epoch.
        """
        state = self._state
        if state.clubs.get(club) == epoch:
            nodes = state.order_for(club)
            position = nodes.index(state.node) + 1 if state.node in nodes else 0
            self._hand_over(club, nodes[position % len(nodes)] if nodes else None, now_ms)

    def _hand_over(self, club: str, to: str | None, now_ms: int) -> None:
        """Stop leading a club, and hand it over to the node `to`. If `to` is None, leave the club without a leader."""
        self.forget(club)
        epoch = self._state.clubs.pop(club, None)
        if epoch is not None:
            self.unconfirmed[club] = HandOver(club, epoch, to)
            self._state.add(self.unconfirmed[club], now_ms)

    def on_handed_over(self, statement: HandOver, epoch: int, now_ms: int) -> None:
        """Wait until the next leader lets bots in. The database has given the club to the next leader under `epoch`."""
        self.unconfirmed.pop(statement.club, None)
        if statement.to is None:
            self._state.commands.close_handed_over(statement.club)
        else:
            self._handed_over[statement.club] = epoch, now_ms + LISTEN_MS

    def repeat_lost(self, own_epochs: Mapping[str, int], now_ms: int) -> None:
        """Repeat hand-overs that had no effect. `own_epochs` has the epoch of each club whose row names this node."""
        for club, lost in list(self.unconfirmed.items()):
            if own_epochs.get(club) != lost.epoch:  # the hand-over took effect, but its answer was lost
                del self.unconfirmed[club]
                self._state.commands.close_handed_over(club)
            else:
                # The hand-over was lost. The club is stopped, and can be led again only under a new epoch, even by
                # this node. A club that was left without a leader is left so again.
                to = lost.to and (self._target_of(club) or self._state.node)
                self._state.add(HandOver(club, lost.epoch, to), now_ms)

    def _finish(self, club: str) -> None:
        """Close the connections of bots of a club that was handed over. Then begin the next hand-over."""
        del self._handed_over[club]
        self._state.commands.close_handed_over(club)
        self._stop_next()

    def on_failure(self) -> None:
        """Forget offers whose statements may be lost: a statement has failed, and the queue was emptied."""
        for club in [club for club, plan in self._planned.items() if plan.offer is None]:
            self.forget(club)
        self._reported.clear()  # a `Ready` may be lost: the look shows the offer again

    def forget(self, club: str) -> None:
        """Forget the planned hand-over of a club."""
        self._planned.pop(club, None)
        if self._stopping == club:
            self._stopping = None

    # --- the next leader's side ---

    def read_offered(self) -> None:
        """Begin to read ahead (`store/log/read_ahead.py`) the clubs that were offered to this node."""
        for club, row in self._state.rows.clubs.items():
            is_new = row.to == self._state.node and row.offer not in (row.ready, self._reported.get(club))
            if is_new and club not in self._reading:
                self._reading.add(club)
                self._state.commands.read_ahead(club)

    def on_read_ahead(self, club: str, now_ms: int, *, failed: bool = False) -> None:
        """Report to a club's leader that this node has read the club ahead. After a failure, the next look reads again.

        Report nothing if the club is no longer offered to this node.
        """
        self._reading.discard(club)
        row = self._state.rows.clubs.get(club)
        if not failed and row is not None and row.to == self._state.node and not self._state.is_draining:
            self._reported[club] = row.offer
            self._state.add(Ready(club, row.offer), now_ms)

    def on_arrived(self, club: str) -> None:
        """End a hand-over of a club to this node, which leads the club now."""
        self._reported.pop(club, None)
        if club in self._handed_over:
            self._finish(club)
