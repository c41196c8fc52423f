"""Statements about leases that a node has the database run one at a time, and their answers.

`Lease` asks for them. `store/postgres/leases.py` runs them, and so does a table in memory in the tests.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Renew:
    """Extend the node's lease to its full time from now. Answered with `Renewed`."""

    draining: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Read all nodes with a valid lease, and all clubs with a node. Answered with `Seen`."""


@dataclass(frozen=True, slots=True)
class Acquire:
    """Lead a club without a leader, or whose leader's lease is over. Answered with `Acquired`."""

    club: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Ask a node to read a club ahead, which this node leads under `epoch`. Answered with `Offered`."""

    club: str
    epoch: int
    to: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Tell the leader that this node has read a club ahead for offer `offer`. Answered with `Done`."""

    club: str
    offer: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """Make a node (None: nobody) the leader of a club that this node leads. Answered with `HandedOver`."""

    club: str
    epoch: int
    to: str | None


@dataclass(frozen=True, slots=True)
class Listen:
    """Tell all nodes that this node has loaded a club and lets its bots in. Answered with `Done`."""

    club: str
    epoch: int


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node with a valid lease."""

    id: str
    address: str
    draining: bool = False


@dataclass(frozen=True, slots=True)
class ClubRow:
    """A club that has a node, whose lease may be over."""

    node: str
    epoch: int
    wanted: str | None = None
    """Node to which an operator wants the club to go."""
    to: str | None = None
    """Node to which the leader offered the club last."""
    offer: int = 0
    """Number of that offer."""
    ready: int = 0
    """Number of the newest offer for which a node has read the club ahead."""
    listens: int = 0
    """Epoch under which a node let bots in last."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """Whether the node's row was there."""

    known: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """Both tables at one moment."""

    nodes: tuple[NodeRow, ...] = ()
    """Nodes with a valid lease, by id."""
    clubs: Mapping[str, ClubRow] = field(default_factory=dict)
    """Clubs that have a node."""
    lapse_in_ms: int | None = None
    """Time in ms until the next lease of another node is over, unless that node renews it."""


@dataclass(frozen=True, slots=True)
class Acquired:
    """The new epoch; None if another node leads the club."""

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Offered:
    """The number of the offer; None if this node does not lead the club under that epoch."""

    offer: int | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The club's new epoch; None if this node's epoch was not the newest, or the next leader has no valid lease."""

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Done:
    """The statement ran; the next look shows its effect."""


Statement = Renew | Look | Acquire | Offer | Ready | HandOver | Listen
Answer = Renewed | Seen | Acquired | Offered | HandedOver | Done
