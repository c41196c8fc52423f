"""Statements about leases and clubs that a node sends to the database one at a time, and their answers.

`Lease` makes statements, and `store/postgres/leases.py` runs them; tests run them on a table in memory. A statement
changes a club only if the club's row is as the statement assumes: most statements assume that this node still leads the
club under the given epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Renew:
    """Extend the node's lease to its full time from now, and note it as draining if so. Answered with `Renewed`."""

    draining: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Read all nodes with a valid lease, and all clubs with a leader. Answered with `Seen`."""


@dataclass(frozen=True, slots=True)
class Acquire:
    """Become the leader of a club that has no leader, or whose leader's lease is over. Answered with `Acquired`."""

    club: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Ask the node `to` to read ahead a club that this node leads under `epoch`. Answered with `Offered`."""

    club: str
    epoch: int
    to: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Tell a club's leader that this node has read the club ahead, as offer `offer` asked. Answered with `Executed`."""

    club: str
    offer: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """Make the node `to` the leader of a club that this node leads under `epoch`. Answered with `HandedOver`.

    If `to` is None, the club is left without a leader.
    """

    club: str
    epoch: int
    to: str | None


@dataclass(frozen=True, slots=True)
class Listen:
    """Tell all nodes that this node has loaded a club under `epoch`, and lets bots in. Answered with `Executed`."""

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
    """A club with a leader, `node`. The leader's lease may be over."""

    node: str
    epoch: int
    wanted: str | None = None
    """Node that an operator wants as the next leader."""
    to: str | None = None
    """Node to which the leader's newest offer was made; None without an offer."""
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
    """The tables of nodes and clubs at one moment."""

    nodes: tuple[NodeRow, ...] = ()
    """Nodes with a valid lease, by id."""
    clubs: Mapping[str, ClubRow] = field(default_factory=dict)
    """Clubs with a leader, by name."""
    lapse_in_ms: int | None = None
    """Time in ms until the first of the other nodes' leases ends unless renewed; None without other nodes."""


@dataclass(frozen=True, slots=True)
class Acquired:
    """The answer to `Acquire`. `epoch` is the club's new epoch if this node now leads the club.

    It is None if a node with a valid lease leads the club already, or if this node's own lease is over.
    """

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Offered:
    """The answer to `Offer`. `offer` is the number of the offer, or None if this node does not lead the club."""

    offer: int | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The answer to `HandOver`. `epoch` is the club's new epoch, or None if nothing was handed over.

    Nothing is handed over if this node does not lead the club under the given epoch, or if the next leader has no valid
    lease.
    """

    epoch: int | None


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer to `Ready` and `Listen`, whose effect only the next `Look` shows."""


Statement = Renew | Look | Acquire | Offer | Ready | HandOver | Listen
Answer = Renewed | Seen | Acquired | Offered | HandedOver | Executed
