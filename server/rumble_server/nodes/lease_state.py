"""The state of a node that its lease and its hand-overs share, with the queue of the node's statements."""

from collections import deque
from collections.abc import Callable

from rumble_server.nodes.lease_rows import LeaseRows
from rumble_server.nodes.ports import LeaseCommands
from rumble_server.store.postgres.lease_statements import LookedUp, Statement


class LeaseState:
    """The state of the node `node`. Only one statement runs at a time; the rest wait in order."""

    def __init__(
        self,
        node: str,
        run_statement: Callable[[Statement], None],
        commands: LeaseCommands,
        now_ms: int,
        *,
        stands_by: bool,
    ) -> None:
        """Begin without clubs.

        `run_statement` runs a statement in the background, and `commands` carries out commands to clubs.
        """
        self.node = node
        self.commands = commands
        self.clubs: dict[str, int] = {}
        """Epoch of each club that the node leads, by club. The clubs stay here while the node is suspended."""
        self.rows = LeaseRows(LookedUp())
        self.is_draining = self.is_suspended = False
        self.stands_by = stands_by
        self._run_statement = run_statement
        self._queue: deque[Statement] = deque()
        self._running: Statement | None = None
        self._sent_at_ms = now_ms
        self._has_lapsed_since_sent = False
        """True if the lease was over at some time since the running statement was sent.

        The answer to the statement may then be outdated.
        """

    def order_for(self, club: str) -> list[str]:
        """Return the nodes that may lead a club, in order of preference.

        On standby the order is the same for each club, so that one node leads all clubs.
        """
        return self.rows.order_for("" if self.stands_by else club)

    def add(self, statement: Statement, now_ms: int, *, first: bool = False) -> None:
        """Put a statement into the queue, unless the same statement waits there already."""
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
            self._has_lapsed_since_sent = self.is_suspended
            self._run_statement(self._running)
