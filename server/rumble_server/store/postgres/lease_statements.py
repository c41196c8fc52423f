"""Statements with which a node reads or changes leases and the leaders of clubs, and the answers to them.

A node sends one statement at a time. `Lease` makes the statements, and `store/postgres/leases.py` runs them. Most
statements name an epoch, and change a club only if this node still leads the club under this epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Renew:
    """A statement that renews this node's lease: the full time of the lease begins again.

    If `draining` is true, the statement also marks the node as draining.
    """

    draining: bool


@dataclass(frozen=True, slots=True)
class Look:
    """A statement that reads all nodes with a valid lease, and all clubs with a leader. The answer is `LookedUp`."""


@dataclass(frozen=True, slots=True)
class Acquire:
    """A statement that makes this node the leader of a club without a leader.

    A club whose leader has no valid lease any more can be acquired, too. Nothing is changed if the club's leader has a
    valid lease, or if this node's own lease is over.
    """

    club: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A statement by which a leader asks another node, `to`, to read a club ahead and then lead the club.

    This node must lead the club under `epoch`. See `store/log/read_ahead.py` for reading ahead.
    """

    club: str
    epoch: int
    to: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A statement that reports to a club's leader that this node has read the club ahead.

    `offer` is the number of the offer in which the leader asked this node to read the club ahead.
    """

    club: str
    offer: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """A statement that makes the node `to` the leader of a club.

    This node must lead the club under `epoch`, and the next leader must have a valid lease. If `to` is None, the club
    is left without a leader.
    """

    club: str
    epoch: int
    to: str | None


@dataclass(frozen=True, slots=True)
class Listen:
    """A statement that reports to all nodes that this node now accepts the bots of a club.

    The node has loaded the club, and leads it under `epoch`.
    """

    club: str
    epoch: int


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node with a valid lease, as the table of nodes has it."""

    id: str
    address: str
    draining: bool = False


@dataclass(frozen=True, slots=True)
class ClubRow:
    """A club with a leader, as the table of clubs has it. `node` is the leader, whose lease may be over."""

    node: str
    epoch: int
    wanted: str | None = None
    """Id or address of the node that an operator wants as the next leader; None without such a wish."""
    to: str | None = None
    """Node that the leader's newest offer asks to read the club ahead; None without an offer."""
    offer: int = 0
    """Number of the leader's newest offer."""
    ready: int = 0
    """Number of the newest offer after which the asked node has read the club ahead; 0 without such an offer."""
    listens: int = 0
    """Number of the newest epoch in which the club's leader has accepted bots."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The answer to `Look`: the tables of nodes and clubs at one moment."""

    nodes: tuple[NodeRow, ...] = ()
    """Nodes with a valid lease, by id."""
    clubs: Mapping[str, ClubRow] = field(default_factory=dict)
    """Clubs with a leader, by name."""
    lapse_in_ms: int | None = None
    """Time in ms until the first lease of another node ends, if no lease is renewed; None without other nodes."""


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer to any other statement. `number` is None if the statement changed nothing.

    `Renew` changes nothing if this node has no row in the database any more. In all other cases `number` is 1 for
    `Renew`, the number of the offer for `Offer` and `Ready`, and the club's epoch for `Acquire`, `HandOver` and
    `Listen`.
    """

    number: int | None


Statement = Renew | Look | Acquire | Offer | Ready | HandOver | Listen
StatementResult = LookedUp | Executed
