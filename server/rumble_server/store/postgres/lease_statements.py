"""Statements about leases and their answers, which a node sends to the database one at a time.

`Lease` makes statements, and `store/postgres/leases.py` runs them; tests run them on a table in memory. A change of a
club takes effect only if the club's row is as the statement assumes, such as led by the node under the given epoch.
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
    """Lead a club without a leader or with a leader whose lease is over. Answered with `Acquired`."""

    club: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Ask the node `to` to read a club ahead, led by this node under `epoch`. Answered with `Offered`."""

    club: str
    epoch: int
    to: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Tell the leader that a club is read ahead here for offer `offer`. Answered with `Executed`."""

    club: str
    offer: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """Give a club of this node to the node `to`, or to nobody (None). Answered with `HandedOver`."""

    club: str
    epoch: int
    to: str | None


@dataclass(frozen=True, slots=True)
class Listen:
    """Tell all nodes that a club is loaded here and lets bots in. Answered with `Executed`."""

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
    """A club with a node. The node's lease may be over."""

    node: str
    epoch: int
    wanted: str | None = None
    """Node that an operator wants as the next leader."""
    to: str | None = None
    """Node of the leader's newest offer."""
    offer: int = 0
    """Number of the newest offer."""
    ready: int = 0
    """Number of the newest offer for which a node has read the club ahead."""
    listens: int = 0
    """Newest epoch under which a leader has let bots in."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """The answer to a renewal. `known` is false if the node has no row in the database."""

    known: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """Both tables at one moment."""

    nodes: tuple[NodeRow, ...] = ()
    """Nodes with a valid lease, by id."""
    clubs: Mapping[str, ClubRow] = field(default_factory=dict)
    """Clubs with a node, by name."""
    lapse_in_ms: int | None = None
    """Time in ms until the next lease of another node ends if not renewed."""


@dataclass(frozen=True, slots=True)
class Acquired:
    """The new epoch; None if the club has a leader with a valid lease."""

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Offered:
    """The number of the offer; None if this node does not lead the club under the epoch."""

    offer: int | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The club's new epoch; None if this node's epoch was not the newest, or the next leader has no valid lease."""

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer to a statement whose effect the next look shows."""


Statement = Renew | Look | Acquire | Offer | Ready | HandOver | Listen
Answer = Renewed | Seen | Acquired | Offered | HandedOver | Executed
