"""The table of leases in memory: what `store/postgres/leases.py` does in PostgreSQL, by the clock of the database."""

from collections.abc import Callable
from dataclasses import dataclass, field

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


@dataclass
class Row:
    """A club."""

    node: str | None = None
    epoch: int = 0
    last: int = 0
    wanted: str | None = None


@dataclass
class Lives:
    """A node."""

    until_ms: float
    draining: bool = False


@dataclass
class Table:
    """The rows. Each call is one statement."""

    now_ms: Callable[[], float]
    lease_ms: int
    nodes: dict[str, Lives] = field(default_factory=dict)
    clubs: dict[str, Row] = field(default_factory=dict)
    epochs: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    """All epochs that a club has had, and whose they were."""

    def join(self, node: str) -> None:
        self.nodes[node] = Lives(self.now_ms() + self.lease_ms)

    def run(self, node: str, statement: Statement) -> Answer:
        match statement:
            case Renew():
                return self._renew(node, draining=statement.draining)
            case Look():
                return self._look(node)
            case Acquire():
                row = self.clubs.setdefault(statement.club, Row())
                if not self.is_alive(node) or (row.node is not None and self.is_alive(row.node)):
                    return Acquired(None)
                return Acquired(self._give(statement.club, row, node))
            case HandOver():
                row = self.clubs[statement.club]
                is_there = statement.to is None or self.is_alive(statement.to)
                if (row.node, row.epoch) != (node, statement.epoch) or not is_there:
                    return HandedOver(done=False)
                self._give(statement.club, row, statement.to)
                return HandedOver(done=True)

    def _renew(self, node: str, *, draining: bool) -> Renewed:
        if node not in self.nodes:
            return Renewed(known=False)
        self.nodes[node] = Lives(self.now_ms() + self.lease_ms, draining or self.nodes[node].draining)
        return Renewed(known=True)

    def _look(self, node: str) -> Seen:
        alive = {name: row for name, row in self.nodes.items() if self.is_alive(name)}
        return Seen(
            tuple(NodeRow(name, f"http://{name}", row.draining) for name, row in sorted(alive.items())),
            {club: row.epoch for club, row in self.clubs.items() if row.node == node},
            {club: row.wanted for club, row in self.clubs.items() if row.node == node and row.wanted is not None},
            tuple(club for club, row in self.clubs.items() if row.node is not None and row.node not in alive),
            min((int(row.until_ms - self.now_ms()) for name, row in alive.items() if name != node), default=None),
        )

    def _give(self, club: str, row: Row, node: str | None) -> int:
        row.node, row.epoch, row.wanted = node, row.epoch + 1, None
        self.epochs.setdefault(club, []).append((row.epoch, node))
        return row.epoch

    def is_alive(self, node: str) -> bool:
        return node in self.nodes and self.nodes[node].until_ms > self.now_ms()

    def leader(self, club: str) -> str | None:
        """The node that leads a club by a valid lease."""
        row = self.clubs.get(club)
        return row.node if row is not None and row.node is not None and self.is_alive(row.node) else None
