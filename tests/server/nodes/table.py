"""The tables of nodes and clubs in memory, with the statements of `store/postgres/leases.py`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rumble_server.store.postgres.lease_statements import (
    Acquire,
    ClubRow,
    Executed,
    HandOver,
    Listen,
    Look,
    LookedUp,
    NodeRow,
    Offer,
    Ready,
    Renew,
    Statement,
    StatementResult,
)


@dataclass
class Row:
    """The row of a club."""

    node: str | None = None
    epoch: int = 0
    last: int = 0
    wanted: str | None = None
    to: str | None = None
    offer: int = 0
    ready: int = 0
    listens: int = 0


@dataclass
class Lives:
    """The row of a node."""

    until_ms: float
    address: str
    draining: bool = False


@dataclass
class Table:
    """Both tables; `now_ms` is the clock of the database. Each call of `run` is a statement."""

    now_ms: Callable[[], float]
    lease_ms: int
    nodes: dict[str, Lives] = field(default_factory=dict)
    clubs: dict[str, Row] = field(default_factory=dict)
    epochs: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    """Past and present epochs of each club, with their nodes."""
    on_change: Callable[[], None] = lambda: None
    """Stands for PostgreSQL's notification of the nodes."""

    def join(self, node: str, address: str = "") -> None:
        self.nodes[node] = Lives(self.now_ms() + self.lease_ms, address or f"http://{node}")

    def run(self, node: str, statement: Statement) -> StatementResult:
        match statement:
            case Renew():
                return self._renew(node, draining=statement.draining)
            case Look():
                return self._look(node)
            case Acquire():
                row = self.clubs.setdefault(statement.club, Row())
                if not self.is_alive(node) or (row.node is not None and self.is_alive(row.node)):
                    return Executed(None)
                return Executed(self._give(statement.club, row, node))
            case Ready():
                row = self.clubs[statement.club]
                if (row.to, row.offer) == (node, statement.offer):
                    row.ready = statement.offer
                    self.on_change()
                    return Executed(row.offer)
                return Executed(None)
        row = self.clubs[statement.club]
        is_own = (row.node, row.epoch) == (node, statement.epoch)
        match statement:
            case Offer():
                if not is_own:
                    return Executed(None)
                row.to, row.offer = statement.to, row.offer + 1
                self.on_change()
                return Executed(row.offer)
            case HandOver():
                if not is_own or not (statement.to is None or self.is_alive(statement.to)):
                    return Executed(None)
                return Executed(self._give(statement.club, row, statement.to))
            case Listen():
                if is_own:
                    row.listens = row.epoch
                    self.on_change()
                return Executed(row.epoch if is_own else None)

    def _renew(self, node: str, *, draining: bool) -> Executed:
        if node not in self.nodes:
            return Executed(None)
        row = self.nodes[node]
        row.until_ms, row.draining = self.now_ms() + self.lease_ms, draining or row.draining
        return Executed(1)

    def _look(self, node: str) -> LookedUp:
        alive = {name: row for name, row in self.nodes.items() if self.is_alive(name)}
        return LookedUp(
            tuple(NodeRow(name, row.address, row.draining) for name, row in sorted(alive.items())),
            {
                club: ClubRow(row.node, row.epoch, row.wanted, row.to, row.offer, row.ready, row.listens)
                for club, row in self.clubs.items()
                if row.node is not None
            },
            min((int(row.until_ms - self.now_ms()) for name, row in alive.items() if name != node), default=None),
        )

    def _give(self, club: str, row: Row, node: str | None) -> int:
        row.node, row.epoch, row.wanted, row.to = node, row.epoch + 1, None, None
        self.epochs.setdefault(club, []).append((row.epoch, node))
        self.on_change()
        return row.epoch

    def is_alive(self, node: str) -> bool:
        return node in self.nodes and self.nodes[node].until_ms > self.now_ms()

    def leader(self, club: str) -> str | None:
        """Return the leader of a club with a valid lease; None without a leader."""
        row = self.clubs.get(club)
        return row.node if row is not None and row.node is not None and self.is_alive(row.node) else None
